/** GET /capi/v3/market/apiTradingSymbols: the contracts that take orders now. */
import { contractTradingSymbolsRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const contractTradingSymbolsEndpoint = endpoint(
  contractTradingSymbolsRoute,
  async (_request, { engine }) => {
    const markets = await engine.ask({ type: "contract-markets", symbol: null });
    if (!markets.ok) return markets;
    const trading = markets.value.filter(({ state }) => state === "trading");
    return accept(trading.map(({ symbol }) => symbol));
  },
);
