/** Question: what was done by whom, oldest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function audit(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"audit">,
): Promise<HistoryAnswer<"audit">> {
  return await db
    .selectFrom("audit")
    .select([
      "audit_id as auditId",
      "sequence",
      "time_ms as timeMs",
      "actor",
      "action",
      "subject",
      "details",
    ])
    .where("audit_id", ">", question.afterAuditId)
    .orderBy("audit_id")
    .limit(question.limit)
    .execute();
}
