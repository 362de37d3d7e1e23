/** GET /api/v3/market/ticker/24hr: the rolling 24 hours, always as an array. */
import { ticker24hrRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type { SpotTickerView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { pickSymbols, readSymbols, symbolToAsk } from "../parameters.ts";

export const ticker24hrEndpoint = endpoint(ticker24hrRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const tickers = await engine.ask({ type: "spot-tickers", symbol: symbolToAsk(chosen.value) });
  if (!tickers.ok) return tickers;
  const picked = pickSymbols(tickers.value, chosen.value);
  return picked.ok ? accept(picked.value.map(toTicker)) : picked;
});

/** Public clients take a row with `markPrice` for a contract: a spot row has none. */
function toTicker(ticker: SpotTickerView) {
  return {
    symbol: ticker.symbol,
    priceChange: ticker.priceChange,
    priceChangePercent: ticker.priceChangePercent,
    lastPrice: ticker.lastPrice,
    bidPrice: ticker.bidPrice,
    bidQty: ticker.bidQuantity,
    askPrice: ticker.askPrice,
    askQty: ticker.askQuantity,
    openPrice: ticker.open,
    highPrice: ticker.high,
    lowPrice: ticker.low,
    volume: ticker.baseVolume,
    quoteVolume: ticker.quoteVolume,
    openTime: ticker.windowStartMs,
    closeTime: ticker.windowEndMs,
    count: ticker.trades,
  };
}
