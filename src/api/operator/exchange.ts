/** The exchange as a whole: its invariants, status, snapshots, audit, and the sandbox's clock. */
import { Type } from "typebox";
import {
  Actor,
  Count,
  Fields,
  Flag,
  Limit,
  PageAfterNumber,
  PageOf,
  Sequence,
  SignedAmount,
  TimestampMs,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Exchange";

const SANDBOX_TAG = "Sandbox";

export const getInvariants = operatorRoute("getInvariants", {
  tag: TAG,
  summary: "What must always hold, checked now, and the totals per asset: they sum to zero",
  answer: Fields({
    ok: Flag,
    sequence: Sequence,
    stateHash: Type.String(),
    violations: Type.Array(Type.String()),
    totals: Type.Record(Type.String(), Type.Record(Type.String(), SignedAmount)),
  }),
});

export const getStatus = operatorRoute("getStatus", {
  tag: TAG,
  summary: "Sequence, exchange time, counts, and what the process says of itself",
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
});

const Snapshot = Fields({ sequence: Sequence, createdAt: TimestampMs });

export const makeSnapshot = operatorRoute("makeSnapshot", {
  tag: TAG,
  summary: "Make a snapshot; answered when it is on stable storage",
  answer: Snapshot,
});

export const listSnapshots = operatorRoute("listSnapshots", {
  tag: TAG,
  summary: "The snapshots that are kept, oldest first",
  query: PageAfterNumber,
  answer: PageOf(Snapshot, Sequence),
});

export const getSnapshot = operatorRoute("getSnapshot", {
  tag: TAG,
  summary: "One snapshot by its sequence",
  params: Fields({ sequence: Sequence }),
  answer: Snapshot,
});

const AuditPage = Fields({
  after: Type.Optional(Count),
  before: Type.Optional(Count),
  limit: Type.Optional(Limit),
});

export const listAudit = operatorRoute("listAudit", {
  tag: TAG,
  summary:
    "What was done over this plane and by whom, oldest first; with `before` newest first, and " +
    "`next` is then the `before` of the following page",
  query: AuditPage,
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
});

const Clock = Fields({ time: TimestampMs, offsetMs: Count });

export const advanceClock = operatorRoute("advanceClock", {
  tag: SANDBOX_TAG,
  summary: "Exchange time jumps ahead, what is due happens, and real time goes on from there",
  sandboxOnly: true,
  body: Fields({ ms: Count }),
  answer: Clock,
});

export const getClock = operatorRoute("getClock", {
  tag: SANDBOX_TAG,
  summary: "Exchange time, and how far it is ahead of the wall clock",
  sandboxOnly: true,
  answer: Clock,
});
