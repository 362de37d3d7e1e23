/** Question: the funding rates of a contract, newest slot first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

export async function fundingRates(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"funding-rates">,
): Promise<HistoryAnswer<"funding-rates">> {
  const [fromMs, toMs] = rangeBounds(question.time);
  return await db
    .selectFrom("funding_rates")
    .select([
      "symbol",
      "slot_ms as slotMs",
      "rate",
      "index_price as indexPrice",
      "mark_price as markPrice",
    ])
    .where("symbol", "=", question.symbol)
    .where("slot_ms", ">=", fromMs)
    .where("slot_ms", "<=", toMs)
    .orderBy("slot_ms", "desc")
    .limit(question.limit)
    .execute();
}
