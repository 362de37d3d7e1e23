/** GET /api/v3/market/klines: candles, oldest first. */
import { klinesRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type { Candle } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { readTimeRange } from "../parameters.ts";
import { askCandles } from "./market-history.ts";

export const klinesEndpoint = endpoint(klinesRoute, async ({ query }, exchange) => {
  const time = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!time.ok) return time;
  const { symbol, interval, limit } = query;
  const candles = await askCandles(exchange, symbol, interval, time.value, limit);
  return candles.ok ? accept(candles.value.map(candleRow)) : candles;
});

type Row = [
  openMs: number,
  open: string,
  high: string,
  low: string,
  close: string,
  baseVolume: string,
  closeMs: number,
  quoteVolume: string,
  trades: number,
  takerBaseVolume: string,
  takerQuoteVolume: string,
];

/** A candle as the v3 and the contract family write it. */
export function candleRow(candle: Candle): Row {
  return [
    candle.openMs,
    candle.open,
    candle.high,
    candle.low,
    candle.close,
    candle.baseVolume,
    candle.closeMs,
    candle.quoteVolume,
    candle.trades,
    candle.takerBaseVolume,
    candle.takerQuoteVolume,
  ];
}
