/** GET /api/v2/public/products: the pairs that take orders now. */
import { symbolToV2 } from "../../api/symbols.ts";
import { productsRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const products = endpoint(productsRoute, async (_request, { engine }) => {
  const markets = await engine.ask({ type: "spot-markets", symbol: null });
  if (!markets.ok) return markets;
  const trading = markets.value.filter(({ state }) => state === "trading");
  return accept(trading.map(({ symbol }) => symbolToV2(symbol)));
});
