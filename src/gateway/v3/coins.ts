/**
 * GET /api/v3/coins: the listed assets. Nothing moves over a chain here, so there are no networks.
 */
import { coinsRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const coinsEndpoint = endpoint(coinsRoute, async (_request, { engine }) => {
  const assets = await engine.ask({ type: "assets" });
  if (!assets.ok) return assets;
  const rows = assets.value.map(({ asset, coinId, name }) => ({
    coin: asset,
    coinId,
    name,
    depositAllEnable: false,
    withdrawAllEnable: false,
    networkList: [],
  }));
  return accept(rows);
});
