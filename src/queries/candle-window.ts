/**
 * Candles of any market. Stored are those in which something happened; an interval without repeats
 * the close before it, and is made here.
 */
import { type CandleInterval, candleOpenMs, candlesBetween } from "../domain/index.ts";
import type { Row } from "../store/index.ts";
import type { Candle } from "./history-port.ts";
import { rangeBounds, type TimeRange } from "./time-range.ts";

/** Which candles are asked for. */
export interface CandleQuestion {
  readonly interval: CandleInterval;
  readonly time: TimeRange;
  readonly nowMs: number;
  readonly limit: number;
}

/** Openings of the first and last candle of an answer. */
export interface CandleWindow {
  readonly firstOpenMs: number;
  readonly lastOpenMs: number;
}

/**
 * The candles that begin in the range, between the first stored one and now, and of these the
 * newest `limit`; null when there is none.
 */
export function candleWindow(question: CandleQuestion, oldestOpenMs: number): CandleWindow | null {
  const { interval, nowMs, limit } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  const lastOpenMs = candleOpenMs(interval, Math.min(toMs, nowMs));
  const earliestMs = Math.max(fromMs, oldestOpenMs);
  const earliestOpenMs = candleOpenMs(interval, earliestMs);
  const firstInRangeMs =
    earliestOpenMs === earliestMs ? earliestMs : candleOpenMs(interval, earliestMs, 1);
  const firstOpenMs =
    candlesBetween(interval, firstInRangeMs, lastOpenMs) < limit
      ? firstInRangeMs
      : candleOpenMs(interval, lastOpenMs, 1 - limit);
  return firstOpenMs > lastOpenMs ? null : { firstOpenMs, lastOpenMs };
}

/** Every candle of the window, oldest first; `closeBefore` is the price before the first one. */
export function fillCandles(
  interval: CandleInterval,
  { firstOpenMs, lastOpenMs }: CandleWindow,
  rows: readonly Omit<Row<"spot_candles">, "symbol">[],
  closeBefore: string,
): Candle[] {
  const stored = new Map(rows.map((row) => [row.open_ms, row]));
  const candles: Candle[] = [];
  let close = closeBefore;
  for (let openMs = firstOpenMs; openMs <= lastOpenMs; openMs = candleOpenMs(interval, openMs, 1)) {
    const row = stored.get(openMs);
    close = row?.close ?? close;
    candles.push({
      openMs,
      closeMs: candleOpenMs(interval, openMs, 1) - 1,
      open: row?.open ?? close,
      high: row?.high ?? close,
      low: row?.low ?? close,
      close,
      baseVolume: row?.base_volume ?? "0",
      quoteVolume: row?.quote_volume ?? "0",
      trades: row?.trades ?? 0,
      takerBaseVolume: row?.taker_base_volume ?? "0",
      takerQuoteVolume: row?.taker_quote_volume ?? "0",
    });
  }
  return candles;
}
