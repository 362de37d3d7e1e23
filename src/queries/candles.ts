/**
 * Candles of spot markets, of contracts, and of their index and mark. Only intervals in which
 * something happened are stored; the others repeat the close before them.
 */

import type { SelectQueryBuilder } from "kysely";
import { type CandleInterval, candleOpenMs, candlesBetween } from "../domain/index.ts";
import type { HistoryTables, Row } from "../store/index.ts";
import type { Candle } from "./history-port.ts";
import type { HistoryQuery } from "./history-query.ts";
import { rangeBounds, type TimeRange } from "./ranges.ts";

/** The candles of one interval of a market; spot's table stands for both. */
type StoredCandles = SelectQueryBuilder<HistoryTables, "spot_candles", object>;

/** Which candles are asked for. */
interface CandleQuestion {
  readonly interval: CandleInterval;
  readonly time: TimeRange;
  readonly nowMs: number;
  readonly limit: number;
}

export const spotCandles: HistoryQuery<"spot-candles"> = (db, question) =>
  candlesOf(
    question,
    db
      .selectFrom("spot_candles")
      .where("symbol", "=", question.symbol)
      .where("candle_interval", "=", question.interval),
  );

export const contractCandles: HistoryQuery<"contract-candles"> = (db, question) =>
  candlesOf(
    question,
    db
      .selectFrom("contract_candles")
      .where("symbol", "=", question.symbol)
      .where("price_type", "=", question.priceType)
      .where("candle_interval", "=", question.interval) as unknown as StoredCandles,
  );

async function candlesOf(question: CandleQuestion, stored: StoredCandles): Promise<Candle[]> {
  const first = await stored.select("open_ms").orderBy("open_ms").limit(1).executeTakeFirst();
  const window = first === undefined ? null : candleWindow(question, first.open_ms);
  if (window === null) return [];
  const rows = await stored
    .selectAll()
    .where("open_ms", ">=", window.firstOpenMs)
    .where("open_ms", "<=", window.lastOpenMs)
    .orderBy("open_ms")
    .limit(question.limit)
    .execute();
  const before = await stored
    .select("close")
    .where("open_ms", "<", window.firstOpenMs)
    .orderBy("open_ms", "desc")
    .limit(1)
    .executeTakeFirst();
  return fillCandles(question.interval, window, rows, before?.close ?? "0");
}

/** Openings of the first and last candle of an answer. */
interface CandleWindow {
  readonly firstOpenMs: number;
  readonly lastOpenMs: number;
}

/**
 * The candles that begin in the range, between the first stored one and now, and of these the
 * newest `limit`; null when there is none.
 */
function candleWindow(question: CandleQuestion, oldestOpenMs: number): CandleWindow | null {
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
function fillCandles(
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
