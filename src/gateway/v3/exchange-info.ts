/** GET /api/v3/exchangeInfo: the rules of the spot markets. */
import { exchangeInfoRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { pickSymbols, readSymbols, symbolToAsk } from "../parameters.ts";
import { marketRules } from "../spot/market-data.ts";

export const exchangeInfoEndpoint = endpoint(exchangeInfoRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const markets = await engine.ask({ type: "spot-markets", symbol: symbolToAsk(chosen.value) });
  if (!markets.ok) return markets;
  const picked = pickSymbols(markets.value, chosen.value);
  if (!picked.ok) return picked;
  const symbols = picked.value.map(toSymbol);
  return accept({
    timezone: "UTC",
    serverTime: markets.timestampMs,
    symbols:
      query.symbolStatus === undefined
        ? symbols
        : symbols.filter(({ status }) => status === query.symbolStatus),
  });
});

function toSymbol(market: SpotMarketView) {
  const trading = market.state === "trading";
  return {
    symbol: market.symbol,
    status: trading ? ("TRADING" as const) : ("BREAK" as const),
    baseAsset: market.baseAsset,
    baseAssetPrecision: market.baseScale,
    quoteAsset: market.quoteAsset,
    quoteAssetPrecision: market.quoteScale,
    minNotional: market.minNotional,
    ...marketRules(market),
  };
}
