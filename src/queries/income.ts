/** The changes of a user's contract wallets, newest first. */
import type { Income } from "./contract-history.ts";
import type { HistoryQuestion } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

const COLUMNS = [
  "income_id as incomeId",
  "uid",
  "asset",
  "symbol",
  "income_type as incomeType",
  "income",
  "balance",
  "fill_fee as fillFee",
  "transfer_reason as transferReason",
  "time_ms as timeMs",
] as const;

type Question = HistoryQuestion<"income">;

export const income: HistoryQuery<"income"> = async (db, question) => {
  const { asset, symbol, before, limit } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  const rows: Income[] = [];
  // The rows before the cursor are the rest of its millisecond, and what is earlier than that.
  if (before !== null && before.timeMs >= fromMs && before.timeMs <= toMs) {
    const rest = incomesOf(db, question)
      .where("time_ms", "=", before.timeMs)
      .where("income_id", "<", before.incomeId);
    rows.push(...(await rest.execute()));
  }
  if (rows.length < limit) {
    const lastMs = before === null ? toMs : Math.min(toMs, before.timeMs - 1);
    const earlier = incomesOf(db, question)
      .where("time_ms", ">=", fromMs)
      .where("time_ms", "<=", lastMs);
    rows.push(...(await earlier.execute()));
  }
  const newest = rows.slice(0, limit);
  // A symbol has one margin asset, so comparing it here drops all rows or none.
  return symbol === null || asset === null ? newest : newest.filter((row) => row.asset === asset);
};

/** A user's rows of the kind that is asked for, at all times, newest first. */
function incomesOf(db: Db, question: Question) {
  const { uid, asset, symbol, incomeType, limit } = question;
  let query = db.selectFrom("contract_income").select(COLUMNS).where("uid", "=", uid);
  if (symbol !== null) query = query.where("symbol", "=", symbol);
  else if (asset !== null) query = query.where("asset", "=", asset);
  if (incomeType !== null) query = query.where("income_type", "=", incomeType);
  return query.orderBy("time_ms", "desc").orderBy("income_id", "desc").limit(limit);
}
