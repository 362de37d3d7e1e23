/** What was done by whom, oldest first; or newest first before an entry. */
import type { HistoryQuery } from "./history-query.ts";

export const audit: HistoryQuery<"audit"> = async (db, question) => {
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
};
