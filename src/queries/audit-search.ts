/**
 * Searches the audit log, newest first. A search looks at so many entries at most, and says where
 * the next one goes on: filters need no index, and the cost of a search does not grow with the log.
 */
import type { AuditEntry, AuditFilter } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

/** Looked at by one search. */
const ENTRIES_MAX = 20_000;
const READ_AT_ONCE = 1_000;

export const auditSearch: HistoryQuery<"audit-search"> = async (db, question, scheduler) => {
  const { filter, limit } = question;
  const [fromMs, toMs] = rangeBounds(filter.time);
  const afterRange = await firstIdAfter(db, toMs);
  let before = Math.min(question.beforeAuditId, afterRange);
  const found: AuditEntry[] = [];
  for (let seen = 0; seen < ENTRIES_MAX; seen += READ_AT_ONCE) {
    const read = await entriesBefore(db, before, READ_AT_ONCE);
    for (const entry of read) {
      if (entry.timeMs < fromMs) return { entries: found, beforeAuditId: null };
      if (matches(entry, filter)) found.push(entry);
      if (found.length === limit) return { entries: found, beforeAuditId: entry.auditId };
    }
    const last = read.at(-1);
    if (last === undefined || read.length < READ_AT_ONCE) {
      return { entries: found, beforeAuditId: null };
    }
    before = last.auditId;
    await new Promise<void>((resolve) => {
      scheduler.soon(resolve);
    });
  }
  return { entries: found, beforeAuditId: before };
};

async function entriesBefore(db: Db, before: number, limit: number): Promise<AuditEntry[]> {
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
    .where("audit_id", "<", before)
    .orderBy("audit_id", "desc")
    .limit(limit)
    .execute();
}

/** Times grow with the ids, so halving the range of ids finds it. */
async function firstIdAfter(db: Db, timeMs: number): Promise<number> {
  if (timeMs === Number.MAX_SAFE_INTEGER) return timeMs;
  const [newest] = await entriesBefore(db, Number.MAX_SAFE_INTEGER, 1);
  let low = 1;
  let high = (newest?.auditId ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await entriesBefore(db, middle + 1, 1);
    if (entry === undefined || entry.timeMs <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function matches(entry: AuditEntry, filter: AuditFilter): boolean {
  const { actor, action, uid, symbol, text } = filter;
  // Two names where a second operator approved it.
  if (actor !== null && !entry.actor.split(" and ").includes(actor)) return false;
  if (action !== null && entry.action !== action) return false;
  if (uid !== null || symbol !== null) {
    const details = JSON.parse(entry.details) as {
      readonly uid?: number;
      readonly symbol?: string;
    };
    if (uid !== null && details.uid !== uid) return false;
    if (symbol !== null && details.symbol !== symbol) return false;
  }
  return text === null || textOf(entry).includes(text.toLowerCase());
}

function textOf({ actor, action, subject, details }: AuditEntry): string {
  return `${actor} ${action} ${subject} ${details}`.toLowerCase();
}
