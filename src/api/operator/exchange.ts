/** The exchange: invariants, status, snapshots, audit log, and the sandbox's clock. */
import { Type } from "typebox";
import {
  Actor,
  Count,
  Fields,
  Flag,
  Limit,
  MarketSymbol,
  Nullable,
  OneOf,
  PageAfterNumber,
  PageOf,
  SearchText,
  Sequence,
  SignedAmount,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Exchange";

const SANDBOX_TAG = "Sandbox";

export const getInvariants = operatorRoute("getInvariants", {
  tag: TAG,
  summary: "Check the invariants now, and get the totals per asset, which sum to zero",
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
  summary: "Get sequence, exchange time, counts and the state of the process",
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

const ClusterNode = Fields({
  node: Type.String(),
  role: OneOf(["leader", "follower", "replica", "stream", "down"]),
  url: Type.String(),
  version: Type.String(),
  rules: Count,
  appliedSequence: Sequence,
  lagMs: Count,
  confirmed: Flag,
});

export const getCluster = operatorRoute("getCluster", {
  tag: TAG,
  summary: "Get the nodes of the cluster and of its PostgreSQL, as the asked node sees them",
  answer: Fields({
    generation: Count,
    epoch: Count,
    leader: Nullable(Type.String()),
    nodes: Type.Array(ClusterNode),
    postgres: Type.Array(
      Fields({
        name: Type.String(),
        role: OneOf(["primary", "standby", "down"]),
        timeline: Nullable(Count),
        sync: Flag,
      }),
    ),
    quorum: Flag,
  }),
});

const HealthSample = Fields({
  time: Type.Integer({ description: "milliseconds since 1970-01-01 UTC, by the wall clock" }),
  uptimeMs: Count,
  sequence: Sequence,
  requests: Type.Integer({ description: "HTTP requests answered since the start" }),
  commits: Type.Array(Count, {
    description: "commits since the start up to each bound of `bounds`, and in all",
  }),
  queueDepth: Count,
  historyLag: Count,
  historyBacklogBytes: Count,
  streamConnections: Count,
  residentBytes: Count,
});

export const listHealthSamples = operatorRoute("listHealthSamples", {
  tag: TAG,
  summary: "List how the process did in the last half hour, every five seconds, oldest first",
  answer: Fields({
    now: Type.Integer({ description: "the wall clock of the exchange" }),
    bounds: Type.Array(Type.Number(), { description: "of commit durations, in seconds" }),
    items: Type.Array(HealthSample),
  }),
});

const Snapshot = Fields({ sequence: Sequence, createdAt: TimestampMs });

export const makeSnapshot = operatorRoute("makeSnapshot", {
  tag: TAG,
  summary: "Make a snapshot; responds when it is durable",
  answer: Snapshot,
});

export const listSnapshots = operatorRoute("listSnapshots", {
  tag: TAG,
  summary: "List the kept snapshots, oldest first",
  query: PageAfterNumber,
  answer: PageOf(Snapshot, Sequence),
});

export const getSnapshot = operatorRoute("getSnapshot", {
  tag: TAG,
  summary: "Get a snapshot by its sequence",
  params: Fields({ sequence: Sequence }),
  answer: Snapshot,
});

const AuditPage = Fields({
  after: Type.Optional(Count),
  before: Type.Optional(Count),
  limit: Type.Optional(Limit),
  actor: Type.Optional(Actor),
  action: Type.Optional(
    Type.String({ pattern: "^[a-z-]{1,64}$", description: "an action such as user-updated" }),
  ),
  uid: Type.Optional(Uid),
  symbol: Type.Optional(MarketSymbol),
  text: Type.Optional(SearchText),
  startTime: Type.Optional(TimestampMs),
  endTime: Type.Optional(TimestampMs),
});

export const listAudit = operatorRoute("listAudit", {
  tag: TAG,
  summary:
    "List all changes made through the operator API and by whom, oldest first; with `before` or " +
    "a filter newest first, and `next` is then the `before` of the next page. With a filter a " +
    "page may have fewer entries than `limit`, even none, and still have a `next`",
  query: AuditPage,
  answer: PageOf(
    Fields({
      id: Count,
      sequence: Sequence,
      time: TimestampMs,
      actor: Type.String({ description: "one name, or two where an operator approved it" }),
      action: Type.String(),
      subject: Type.String(),
      sentence: Type.String({ description: "the same in words, with the reason if there is one" }),
      details: Type.Unknown({ description: "the whole change" }),
    }),
    Count,
  ),
});

/** What moves exchange time while its speed is 0. */
const CLOCK_RUNS = ["follow-market"] as const;

const Clock = Fields({
  time: TimestampMs,
  offsetMs: Count,
  speed: Type.Number({ description: "1 is the speed of the wall clock, 0 is frozen" }),
  run: Nullable(OneOf(CLOCK_RUNS)),
});

export const advanceClock = operatorRoute("advanceClock", {
  tag: SANDBOX_TAG,
  summary:
    "Advance exchange time; everything due in between happens, and time continues from there",
  sandboxOnly: true,
  body: Fields({ ms: Count }),
  answer: Clock,
});

export const setClock = operatorRoute("setClock", {
  tag: SANDBOX_TAG,
  summary:
    "Freeze exchange time, let it run faster or slower, let a replayed market move it, or set it " +
    "forward",
  sandboxOnly: true,
  body: Fields({
    freeze: Type.Optional(Flag),
    speed: Type.Optional(
      Type.Number({ minimum: 0.1, maximum: 10_000, description: "from 0.1 to 10000" }),
    ),
    run: Type.Optional(OneOf(CLOCK_RUNS)),
    setMs: Type.Optional(TimestampMs),
  }),
  answer: Clock,
});

export const getClock = operatorRoute("getClock", {
  tag: SANDBOX_TAG,
  summary: "Get exchange time, how far it was advanced, and its speed",
  sandboxOnly: true,
  answer: Clock,
});
