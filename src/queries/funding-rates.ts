/** The funding rates of a contract, newest slot first. */
import type { HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

export const fundingRates: HistoryQuery<"funding-rates"> = async (db, question) => {
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
};
