/** Assets: what balances are counted in. */
import { AssetName, Count, DisplayName, Fields, PageAfterName, PageOf, Scale } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Assets";

const OneAsset = Fields({ asset: AssetName });

const AssetFields = { coinId: Count, name: DisplayName, scale: Scale };

const Asset = Fields({ asset: AssetName, ...AssetFields });

export const setAsset = operatorRoute("setAsset", {
  tag: TAG,
  summary: "List an asset or change it; its scale is fixed once it was used",
  params: OneAsset,
  body: Fields(AssetFields),
  answer: Asset,
});

export const listAssets = operatorRoute("listAssets", {
  tag: TAG,
  summary: "All assets, in order of name",
  query: PageAfterName,
  answer: PageOf(Asset, AssetName),
});

export const getAsset = operatorRoute("getAsset", {
  tag: TAG,
  summary: "One asset",
  params: OneAsset,
  answer: Asset,
});
