/** Question: movements of funds by the command that asked for them, oldest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function operatorMovements(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"operator-movements">,
): Promise<HistoryAnswer<"operator-movements">> {
  let query = db
    .selectFrom("operator_movements")
    .select([
      "movement_id as movementId",
      "request_id as requestId",
      "uid",
      "asset",
      "amount",
      "from_wallet as from",
      "to_wallet as to",
      "time_ms as timeMs",
    ])
    .where("command", "=", question.command)
    .where("uid", "=", question.uid)
    .where("movement_id", ">", question.afterMovementId);
  if (question.asset !== null) query = query.where("asset", "=", question.asset);
  return await query.orderBy("movement_id").limit(question.limit).execute();
}
