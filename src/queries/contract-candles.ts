/** Question: candles of a contract, of its trades, its index or its mark. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import { candleWindow, fillCandles } from "./candle-window.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function contractCandles(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"contract-candles">,
): Promise<HistoryAnswer<"contract-candles">> {
  const { interval } = question;
  const stored = db
    .selectFrom("contract_candles")
    .where("symbol", "=", question.symbol)
    .where("price_type", "=", question.priceType)
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
