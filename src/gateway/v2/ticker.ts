/** GET /api/v2/market/ticker */
import { refuse } from "../../api/errors.ts";
import { symbolFromV2 } from "../../api/symbols.ts";
import { tickerRoute } from "../../api/v2/spot.ts";
import { accept, invariant } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

/** No contract of this name: there is nothing to mark or to hold open. */
const NO_CONTRACT = { markPrice: "0", indexPrice: "0", openInterest: "0" };

export const ticker = endpoint(tickerRoute, async ({ query }, { engine }) => {
  const symbol = symbolFromV2(query.symbol);
  if (symbol === null) return refuse("unknown-symbol", "symbol");
  const [reply, contract] = await Promise.all([
    engine.ask({ type: "spot-tickers", symbol }),
    engine.ask({ type: "contract-prices", symbol }),
  ]);
  if (!reply.ok) return reply;
  const [day] = reply.value;
  invariant(day !== undefined, "a known market has a ticker");
  if (!contract.ok && "unavailable" in contract) return contract;
  const { markPrice, indexPrice, openInterest } =
    (contract.ok ? contract.value[0] : undefined) ?? NO_CONTRACT;
  return accept({
    symbol: query.symbol,
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
    markPrice,
    indexPrice,
    openInterest,
    ts: reply.timestampMs,
  });
});
