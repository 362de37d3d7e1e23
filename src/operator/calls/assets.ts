/** Assets: what balances are counted in. */
import type { AssetView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { call } from "../call.ts";
import { refuse } from "../refusal.ts";
import {
  AssetName,
  Count,
  DisplayName,
  Fields,
  Nothing,
  PageAfterName,
  PageOf,
  Scale,
} from "../schemas.ts";

const TAG = "Assets";
const OneAsset = Fields({ asset: AssetName });
const AssetFields = { coinId: Count, name: DisplayName, scale: Scale };
const Asset = Fields({ asset: AssetName, ...AssetFields });

const setAsset = call(
  {
    id: "setAsset",
    method: "PUT",
    path: "/operator/v1/assets/{asset}",
    tag: TAG,
    summary: "List an asset or change it; its scale is fixed once it was used",
    params: OneAsset,
    query: Nothing,
    body: Fields(AssetFields),
    answer: Asset,
  },
  async ({ params, body, actor }, { engine }) => {
    const { coinId, name, scale } = body;
    const asset = { asset: params.asset, coinId, name, scale };
    const reply = await engine.execute({ type: "set-asset", actor, ...asset });
    return reply.ok ? done(asset) : reply;
  },
);

const listAssets = call(
  {
    id: "listAssets",
    method: "GET",
    path: "/operator/v1/assets",
    tag: TAG,
    summary: "All assets, in order of name",
    params: Nothing,
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(Asset, AssetName),
  },
  async ({ query }, { engine }) => {
    const reply = await engine.ask({ type: "assets" });
    if (!reply.ok) return reply;
    const { rows, limit } = pageByName(reply.value, (row) => row.asset, query);
    return done(toPage(rows, limit, toAsset, (row) => row.asset));
  },
);

const getAsset = call(
  {
    id: "getAsset",
    method: "GET",
    path: "/operator/v1/assets/{asset}",
    tag: TAG,
    summary: "One asset",
    params: OneAsset,
    query: Nothing,
    body: Nothing,
    answer: Asset,
  },
  async ({ params }, { engine }) => {
    const reply = await engine.ask({ type: "assets" });
    if (!reply.ok) return reply;
    const view = reply.value.find((row) => row.asset === params.asset);
    return view === undefined ? refuse("unknown-asset", "asset") : done(toAsset(view));
  },
);

function toAsset({ asset, coinId, name, scale }: AssetView) {
  return { asset, coinId, name, scale };
}

export const ASSET_CALLS = [setAsset, listAssets, getAsset];
