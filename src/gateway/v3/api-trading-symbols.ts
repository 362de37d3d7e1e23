/** GET /api/v3/apiTradingSymbols: the pairs that take orders now. */
import { apiTradingSymbolsRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const apiTradingSymbolsEndpoint = endpoint(
  apiTradingSymbolsRoute,
  async (_request, { engine }) => {
    const markets = await engine.ask({ type: "spot-markets", symbol: null });
    if (!markets.ok) return markets;
    const trading = markets.value.filter(({ state }) => state === "trading");
    return accept(trading.map(({ symbol }) => symbol));
  },
);
