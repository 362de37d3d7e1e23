/** Assets in which balances are held. */
import * as routes from "../../api/operator/assets.ts";
import { reject } from "../../domain/index.ts";
import type { AssetView } from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";

const setAsset = handle(routes.setAsset, async ({ params, body, actor }, { engine }) => {
  const { coinId, name, scale } = body;
  const asset = { asset: params.asset, coinId, name, scale };
  const reply = await engine.execute({ type: "set-asset", actor, ...asset });
  return reply.ok ? done(asset) : reply;
});

const listAssets = handle(routes.listAssets, async ({ query }, { engine }) => {
  return pageByName(await engine.query({ type: "assets" }), query, (row) => row.asset, toAsset);
});

const getAsset = handle(routes.getAsset, async ({ params }, context) => {
  const found = await findAsset(context, params.asset);
  return found.ok ? done(toAsset(found.value)) : found;
});

export async function findAsset(
  { engine }: OperatorContext,
  name: string,
): Promise<Outcome<AssetView>> {
  const reply = await engine.query({ type: "assets" });
  if (!reply.ok) return reply;
  const view = reply.value.find((row) => row.asset === name);
  return view === undefined ? reject("unknown-asset", "asset") : done(view);
}

function toAsset({ asset, coinId, name, scale }: AssetView) {
  return { asset, coinId, name, scale };
}

export const ASSET_CALLS = [setAsset, listAssets, getAsset];
