/** Assets in which balances are held. */
import * as routes from "../../api/operator/assets.ts";
import { reject } from "../../domain/index.ts";
import type { AssetView } from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { handle } from "../call.ts";

const setAsset = handle(routes.setAsset, async ({ params, body, actor }, { engine }) => {
  const { coinId, name, scale } = body;
  const asset = { asset: params.asset, coinId, name, scale };
  const reply = await engine.execute({ type: "set-asset", actor, ...asset });
  return reply.ok ? done(asset) : reply;
});

const listAssets = handle(routes.listAssets, async ({ query }, { engine }) => {
  return pageByName(await engine.query({ type: "assets" }), query, (row) => row.asset, toAsset);
});

const getAsset = handle(routes.getAsset, async ({ params }, { engine }) => {
  const reply = await engine.query({ type: "assets" });
  if (!reply.ok) return reply;
  const view = reply.value.find((row) => row.asset === params.asset);
  return view === undefined ? reject("unknown-asset", "asset") : done(toAsset(view));
});

function toAsset({ asset, coinId, name, scale }: AssetView) {
  return { asset, coinId, name, scale };
}

export const ASSET_CALLS = [setAsset, listAssets, getAsset];
