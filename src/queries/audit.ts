/** Question: what was done by whom, oldest first; or newest first before an entry. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function audit(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"audit">,
): Promise<HistoryAnswer<"audit">> {
  const { afterAuditId, beforeAuditId, limit } = question;
  const entries = db
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
    .where("audit_id", ">", afterAuditId)
    .limit(limit);
  if (beforeAuditId === null) return await entries.orderBy("audit_id").execute();
  return await entries.where("audit_id", "<", beforeAuditId).orderBy("audit_id", "desc").execute();
}
