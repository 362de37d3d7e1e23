/** The exchange as a whole: its invariants, status, snapshots, audit, and the sandbox's clock. */
import { Type } from "typebox";
import type { StatusView } from "../../protocol/index.ts";
import type { AuditEntry } from "../../queries/history-port.ts";
import { askHistory, done, pageLimit, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import type { SnapshotView } from "../ports.ts";
import { refuse } from "../refusal.ts";
import {
  Actor,
  Count,
  Fields,
  Flag,
  Limit,
  Nothing,
  PageAfterNumber,
  PageOf,
  Sequence,
  SignedAmount,
  TimestampMs,
} from "../schemas.ts";

const TAG = "Exchange";
const SANDBOX_TAG = "Sandbox";

const getInvariants = call(
  {
    id: "getInvariants",
    method: "GET",
    path: "/operator/v1/invariants",
    tag: TAG,
    summary: "What must always hold, checked now, and the totals per asset: they sum to zero",
    params: Nothing,
    query: Nothing,
    body: Nothing,
    answer: Fields({
      ok: Flag,
      sequence: Sequence,
      stateHash: Type.String(),
      violations: Type.Array(Type.String()),
      totals: Type.Record(Type.String(), Type.Record(Type.String(), SignedAmount)),
    }),
  },
  async (_, { engine }) => {
    const reply = await engine.ask({ type: "invariants" });
    if (!reply.ok) return reply;
    const { ok, stateHash, violations, totals } = reply.value;
    const { sequence } = reply;
    return done({ ok, sequence, stateHash, violations: [...violations], totals: { ...totals } });
  },
);

const getStatus = call(
  {
    id: "getStatus",
    method: "GET",
    path: "/operator/v1/status",
    tag: TAG,
    summary: "Sequence, exchange time, counts, and what the process says of itself",
    params: Nothing,
    query: Nothing,
    body: Nothing,
    answer: Fields({
      sequence: Sequence,
      time: TimestampMs,
      rulesVersion: Count,
      clockOffsetMs: Count,
      users: Count,
      apiKeys: Count,
      spotMarkets: Count,
      openOrders: Count,
      rememberedClientOrderIds: Count,
      contractMarkets: Count,
      positions: Count,
      contractOpenOrders: Count,
      algoOrders: Count,
      process: Type.Record(Type.String(), Type.Unknown()),
    }),
  },
  async (_, { engine, status }) => {
    const reply = await engine.ask({ type: "status" });
    if (!reply.ok) return reply;
    const { sequence, timestampMs: time } = reply;
    return done({ sequence, time, ...toCounts(reply.value), process: { ...status() } });
  },
);

function toCounts(view: StatusView) {
  // A question never meets a cascade in the middle: what is left of one goes ahead of it.
  const { unfinishedRisk: _unfinishedRisk, ...counts } = view;
  return counts;
}

const Snapshot = Fields({ sequence: Sequence, createdAt: TimestampMs });

function toSnapshot({ sequence, createdMs }: SnapshotView) {
  return { sequence, createdAt: createdMs };
}

const makeSnapshot = call(
  {
    id: "makeSnapshot",
    method: "POST",
    path: "/operator/v1/snapshots",
    tag: TAG,
    summary: "Make a snapshot; answered when it is on stable storage",
    params: Nothing,
    query: Nothing,
    body: Nothing,
    answer: Snapshot,
  },
  async (_, { snapshots }) => {
    const made = await snapshots.make();
    return "unavailable" in made ? made : done(toSnapshot(made));
  },
);

const listSnapshots = call(
  {
    id: "listSnapshots",
    method: "GET",
    path: "/operator/v1/snapshots",
    tag: TAG,
    summary: "The snapshots that are kept, oldest first",
    params: Nothing,
    query: PageAfterNumber,
    body: Nothing,
    answer: PageOf(Snapshot, Sequence),
  },
  async ({ query }, { snapshots }) => {
    const limit = pageLimit(query);
    const after = query.after ?? -1;
    const kept = (await snapshots.list()).filter(({ sequence }) => sequence > after);
    kept.sort((one, other) => one.sequence - other.sequence);
    return done(toPage(kept.slice(0, limit), limit, toSnapshot, ({ sequence }) => sequence));
  },
);

const getSnapshot = call(
  {
    id: "getSnapshot",
    method: "GET",
    path: "/operator/v1/snapshots/{sequence}",
    tag: TAG,
    summary: "One snapshot by its sequence",
    params: Fields({ sequence: Sequence }),
    query: Nothing,
    body: Nothing,
    answer: Snapshot,
  },
  async ({ params }, { snapshots }) => {
    const kept = await snapshots.list();
    const found = kept.find(({ sequence }) => sequence === params.sequence);
    return found === undefined ? refuse("unknown-id", "sequence") : done(toSnapshot(found));
  },
);

const AuditPage = Fields({
  after: Type.Optional(Count),
  before: Type.Optional(Count),
  limit: Type.Optional(Limit),
});

const listAudit = call(
  {
    id: "listAudit",
    method: "GET",
    path: "/operator/v1/audit",
    tag: TAG,
    summary:
      "What was done over this plane and by whom, oldest first; with `before` newest first, and " +
      "`next` is then the `before` of the following page",
    params: Nothing,
    query: AuditPage,
    body: Nothing,
    answer: PageOf(
      Fields({
        id: Count,
        sequence: Sequence,
        time: TimestampMs,
        actor: Actor,
        action: Type.String(),
        subject: Type.String(),
        details: Type.Unknown({ description: "the whole change" }),
      }),
      Count,
    ),
  },
  async ({ query }, plane) => {
    const limit = pageLimit(query);
    const now = await plane.engine.ask({ type: "status" });
    if (!now.ok) return now;
    const beforeAuditId = query.before ?? null;
    const question = { afterAuditId: query.after ?? 0, beforeAuditId, limit };
    const rows = await askHistory(plane, "audit", question, now.sequence);
    if (!rows.ok) return rows;
    const toItem = (row: AuditEntry) => ({
      id: row.auditId,
      sequence: row.sequence,
      time: row.timeMs,
      actor: row.actor,
      action: row.action,
      subject: row.subject,
      details: JSON.parse(row.details) as unknown,
    });
    return done(toPage(rows.value, limit, toItem, (row) => row.auditId));
  },
);

const Clock = Fields({ time: TimestampMs, offsetMs: Count });

async function readClock(plane: Plane): Promise<Outcome<{ time: number; offsetMs: number }>> {
  const reply = await plane.engine.ask({ type: "status" });
  if (!reply.ok) return reply;
  return done({ time: reply.timestampMs, offsetMs: reply.value.clockOffsetMs });
}

const advanceClock = call(
  {
    id: "advanceClock",
    method: "POST",
    path: "/operator/v1/sandbox/clock/advance",
    tag: SANDBOX_TAG,
    summary: "Exchange time jumps ahead, what is due happens, and real time goes on from there",
    sandboxOnly: true,
    params: Nothing,
    query: Nothing,
    body: Fields({ ms: Count }),
    answer: Clock,
  },
  async ({ body, actor }, plane) => {
    const reply = await plane.engine.execute({ type: "advance-clock", actor, byMs: body.ms });
    return reply.ok ? readClock(plane) : reply;
  },
);

const getClock = call(
  {
    id: "getClock",
    method: "GET",
    path: "/operator/v1/sandbox/clock",
    tag: SANDBOX_TAG,
    summary: "Exchange time, and how far it is ahead of the wall clock",
    sandboxOnly: true,
    params: Nothing,
    query: Nothing,
    body: Nothing,
    answer: Clock,
  },
  (_, plane) => readClock(plane),
);

export const EXCHANGE_CALLS = [
  getInvariants,
  getStatus,
  makeSnapshot,
  listSnapshots,
  getSnapshot,
  listAudit,
  advanceClock,
  getClock,
];
