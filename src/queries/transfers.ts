/** Question: a user's transfers between the two wallets, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

export async function transfers(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"transfers">,
): Promise<HistoryAnswer<"transfers">> {
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("transfers")
    .select([
      "request_id as requestId",
      "uid",
      "asset",
      "amount",
      "from_wallet as from",
      "to_wallet as to",
      "time_ms as timeMs",
    ])
    .where("uid", "=", question.uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (question.asset !== null) query = query.where("asset", "=", question.asset);
  if (question.from !== null) query = query.where("from_wallet", "=", question.from);
  return await query
    .orderBy("time_ms", "desc")
    .orderBy("movement_id", "desc")
    .limit(question.limit)
    .execute();
}
