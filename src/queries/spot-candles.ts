/** Question: candles of a spot market. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import { candleWindow, fillCandles } from "./candle-window.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function spotCandles(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"spot-candles">,
): Promise<HistoryAnswer<"spot-candles">> {
  const { interval } = question;
  const stored = db
    .selectFrom("spot_candles")
    .where("symbol", "=", question.symbol)
    .where("candle_interval", "=", interval);
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
  return fillCandles(interval, window, rows, before?.close ?? "0");
}
