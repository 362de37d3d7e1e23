/** What a webhook is to be told. */
import type { HistoryQuery } from "./history-query.ts";

export const webhookEvents: HistoryQuery<"webhook-events"> = async (db, question) => {
  const { webhookId, afterNumber, limit } = question;
  const of = db.selectFrom("webhook_events").where("webhook_id", "=", webhookId);
  const newest = await of.select("number").orderBy("number", "desc").limit(1).executeTakeFirst();
  const events = await of
    .select(["number", "sequence", "time_ms as timeMs", "event_type as type", "uid", "data"])
    .where("number", ">", afterNumber)
    .orderBy("number")
    .limit(limit)
    .execute();
  return { lastNumber: newest?.number ?? 0, events };
};
