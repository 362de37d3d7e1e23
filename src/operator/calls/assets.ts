/** Assets: what balances are counted in. */
import * as routes from "../../api/operator/assets.ts";
import type { AssetView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { handle } from "../call.ts";
import { refuse } from "../refusal.ts";

const setAsset = handle(routes.setAsset, async ({ params, body, actor }, { engine }) => {
  const { coinId, name, scale } = body;
  const asset = { asset: params.asset, coinId, name, scale };
  const reply = await engine.execute({ type: "set-asset", actor, ...asset });
  return reply.ok ? done(asset) : reply;
});

const listAssets = handle(routes.listAssets, async ({ query }, { engine }) => {
  const reply = await engine.ask({ type: "assets" });
  if (!reply.ok) return reply;
  const { rows, limit } = pageByName(reply.value, (row) => row.asset, query);
  return done(toPage(rows, limit, toAsset, (row) => row.asset));
});

const getAsset = handle(routes.getAsset, async ({ params }, { engine }) => {
  const reply = await engine.ask({ type: "assets" });
  if (!reply.ok) return reply;
  const view = reply.value.find((row) => row.asset === params.asset);
  return view === undefined ? refuse("unknown-asset", "asset") : done(toAsset(view));
});

function toAsset({ asset, coinId, name, scale }: AssetView) {
  return { asset, coinId, name, scale };
}

export const ASSET_CALLS = [setAsset, listAssets, getAsset];
