/** Assets, in which balances are held. */
import { AssetName, Count, DisplayName, Fields, PageAfterName, PageOf, Scale } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Assets";

const OneAsset = Fields({ asset: AssetName });

const AssetFields = { coinId: Count, name: DisplayName, scale: Scale };

const Asset = Fields({ asset: AssetName, ...AssetFields });

export const setAsset = operatorRoute("setAsset", {
  tag: TAG,
  summary: "List or change an asset; its scale cannot change once in use",
  params: OneAsset,
  body: Fields(AssetFields),
  answer: Asset,
});

export const listAssets = operatorRoute("listAssets", {
  tag: TAG,
  summary: "List assets by name",
  query: PageAfterName,
  answer: PageOf(Asset, AssetName),
});

export const getAsset = operatorRoute("getAsset", {
  tag: TAG,
  summary: "Get an asset",
  params: OneAsset,
  answer: Asset,
});
