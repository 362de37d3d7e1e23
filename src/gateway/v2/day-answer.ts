/** What tickers say of a market's rolling 24 hours. */
import type { SpotTickerView } from "../../protocol/index.ts";

export function dayAnswer(day: SpotTickerView) {
  return {
    priceChange: day.priceChange,
    priceChangePercent: day.priceChangePercent,
    trades: day.trades,
    size: day.baseVolume,
    value: day.quoteVolume,
    high: day.high,
    low: day.low,
    open: day.open,
    close: day.close,
    highTime: day.highMs,
    lowTime: day.lowMs,
    startTime: day.windowStartMs,
    endTime: day.windowEndMs,
    lastPrice: day.lastPrice,
  };
}

/** No contract of this name: there is nothing to mark or to hold open. */
export const NO_CONTRACT = { markPrice: "0", indexPrice: "0", openInterest: "0" };
