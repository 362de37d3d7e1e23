/**
 * Question: candles of a market. Stored are those with trades; an interval without trades repeats
 * the close before it, and is made here.
 */
import type { Kysely } from "kysely";
import { candleOpenMs, candlesBetween } from "../domain/index.ts";
import type { HistoryTables } from "../store/index.ts";
import type { Candle, HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

type Question = HistoryQuestion<"spot-candles">;

export async function spotCandles(
  db: Kysely<HistoryTables>,
  question: Question,
): Promise<HistoryAnswer<"spot-candles">> {
  const { interval } = question;
  const stored = db
    .selectFrom("spot_candles")
    .where("symbol", "=", question.symbol)
    .where("candle_interval", "=", interval);
  const first = await stored.select("open_ms").orderBy("open_ms").limit(1).executeTakeFirst();
  if (first === undefined) return [];

  const [firstOpenMs, lastOpenMs] = windowOf(question, first.open_ms);
  if (firstOpenMs > lastOpenMs) return [];
  const rows = await stored
    .selectAll()
    .where("open_ms", ">=", firstOpenMs)
    .where("open_ms", "<=", lastOpenMs)
    .orderBy("open_ms")
    .limit(question.limit)
    .execute();
  const before = await stored
    .select("close")
    .where("open_ms", "<", firstOpenMs)
    .orderBy("open_ms", "desc")
    .limit(1)
    .executeTakeFirst();

  const traded = new Map(rows.map((row) => [row.open_ms, row]));
  const candles: Candle[] = [];
  let close = before?.close ?? "0";
  for (let openMs = firstOpenMs; openMs <= lastOpenMs; openMs = candleOpenMs(interval, openMs, 1)) {
    const row = traded.get(openMs);
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

/**
 * Openings of the first and last candle of the answer: those that begin in the range, between the
 * first trade and now, and of these the newest `limit`.
 */
function windowOf(question: Question, firstTradedMs: number): readonly [number, number] {
  const { interval, nowMs, limit } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  const lastOpenMs = candleOpenMs(interval, Math.min(toMs, nowMs));
  const earliestMs = Math.max(fromMs, firstTradedMs);
  const earliestOpenMs = candleOpenMs(interval, earliestMs);
  const firstInRangeMs =
    earliestOpenMs === earliestMs ? earliestMs : candleOpenMs(interval, earliestMs, 1);
  if (candlesBetween(interval, firstInRangeMs, lastOpenMs) < limit) {
    return [firstInRangeMs, lastOpenMs];
  }
  return [candleOpenMs(interval, lastOpenMs, 1 - limit), lastOpenMs];
}
