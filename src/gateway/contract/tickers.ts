/**
 * GET /capi/v3/market/ticker/24hr and bookTicker: the rolling 24 hours, best bid and ask; always as
 * an array.
 */
import { contractBookTickerRoute, contractTicker24hrRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import type { QueryAnswers } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";

export const contractTicker24hrEndpoint = endpoint(
  contractTicker24hrRoute,
  async ({ query }, { engine }) => {
    const symbol = query.symbol ?? null;
    const tickers = await engine.ask({ type: "contract-tickers", symbol });
    return tickers.ok ? accept(tickers.value.map(toTicker)) : tickers;
  },
);

/** Public clients take a row with `markPrice` for a contract. */
function toTicker(ticker: QueryAnswers["contract-tickers"][number]) {
  return {
    symbol: ticker.symbol,
    priceChange: ticker.priceChange,
    priceChangePercent: ticker.priceChangePercent,
    lastPrice: ticker.lastPrice,
    openPrice: ticker.open,
    highPrice: ticker.high,
    lowPrice: ticker.low,
    volume: ticker.baseVolume,
    quoteVolume: ticker.quoteVolume,
    markPrice: ticker.markPrice,
    indexPrice: ticker.indexPrice,
    openTime: ticker.windowStartMs,
    closeTime: ticker.windowEndMs,
  };
}

export const contractBookTickerEndpoint = endpoint(
  contractBookTickerRoute,
  async ({ query }, { engine }) => {
    const symbol = query.symbol ?? null;
    const tickers = await engine.ask({ type: "contract-book-tickers", symbol });
    if (!tickers.ok) return tickers;
    return accept(
      tickers.value.map((ticker) => ({
        symbol: ticker.symbol,
        bidPrice: ticker.bidPrice,
        bidQty: ticker.bidQuantity,
        askPrice: ticker.askPrice,
        askQty: ticker.askQuantity,
        time: tickers.timestampMs,
      })),
    );
  },
);
