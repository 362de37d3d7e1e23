/** The audit log: pages of it, and what filters leave of it. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/exchange.ts";
import type { OperatorQuery } from "../../api/operator/routes.ts";
import type { AuditEntry } from "../../queries/history-port.ts";
import { done, pageLimit, queryHistory, toPage } from "../answers.ts";
import { auditSentence } from "../audit-sentences.ts";
import { handle } from "../call.ts";

type Query = OperatorQuery<"listAudit">;

export const listAudit = handle(routes.listAudit, async ({ query }, context) => {
  const limit = pageLimit(query);
  const now = await context.engine.query({ type: "status" });
  if (!now.ok) return now;
  const filter = filterOf(query);
  if (filter !== null) {
    if (query.after !== undefined) return refuse("malformed", "after", "not with a filter");
    const beforeAuditId = query.before ?? Number.MAX_SAFE_INTEGER;
    const question = { filter, beforeAuditId, limit };
    const found = await queryHistory(context, "audit-search", question, now.sequence);
    if (!found.ok) return found;
    const { entries, beforeAuditId: next } = found.value;
    return done({ items: entries.map(toItem), next });
  }
  const beforeAuditId = query.before ?? null;
  const question = { afterAuditId: query.after ?? 0, beforeAuditId, limit };
  const rows = await queryHistory(context, "audit", question, now.sequence);
  return rows.ok ? done(toPage(rows.value, limit, toItem, (row) => row.auditId)) : rows;
});

/** Null without a filter. */
function filterOf(query: Query) {
  const { actor, action, uid, symbol, text, startTime, endTime } = query;
  const given = [actor, action, uid, symbol, text, startTime, endTime];
  if (given.every((value) => value === undefined)) return null;
  return {
    actor: actor ?? null,
    action: action ?? null,
    uid: uid ?? null,
    symbol: symbol ?? null,
    text: text ?? null,
    time: { fromMs: startTime ?? null, toMs: endTime ?? null },
  };
}

function toItem(row: AuditEntry) {
  const { auditId: id, sequence, timeMs: time, actor, action, subject } = row;
  const details = JSON.parse(row.details) as Readonly<Record<string, unknown>>;
  const sentence = auditSentence(actor, action, details);
  return { id, sequence, time, actor, action, subject, sentence, details };
}
