/** The exchange: invariants, status, snapshots, audit log, and the sandbox clock. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/exchange.ts";
import type { StatusView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import type { HealthSample, SnapshotView } from "../ports.ts";
import { listAudit } from "./audit.ts";

/** The state of the node that is asked. */
const getInvariants = handle(routes.getInvariants, async (_, { engine, node = null }) => {
  const reply = await (node?.engine ?? engine).query({ type: "invariants" });
  if (!reply.ok) return reply;
  const { ok, stateHash, violations, totals } = reply.value;
  const { sequence } = reply;
  return done({ ok, sequence, stateHash, violations: [...violations], totals: { ...totals } });
});

const getStatus = handle(routes.getStatus, async (_, { engine, status }) => {
  const reply = await engine.query({ type: "status" });
  if (!reply.ok) return reply;
  const { sequence, timestampMs: time } = reply;
  return done({ sequence, time, ...toCounts(reply.value), process: { ...status() } });
});

const getCluster = handle(routes.getCluster, async (_, { node = null }) => {
  return node === null ? refuse("no-cluster") : done(await node.cluster());
});

function toCounts(view: StatusView) {
  // No unfinished cascade is seen here: it runs before any query.
  const { unfinishedRisk: _unfinishedRisk, clockSpeedE3: _clockSpeedE3, ...counts } = view;
  return counts;
}

function toSnapshot({ sequence, createdMs }: SnapshotView) {
  return { sequence, createdAt: createdMs };
}

const makeSnapshot = handle(routes.makeSnapshot, async (_, { snapshots }) => {
  const made = await snapshots.make();
  return "ok" in made ? made : done(toSnapshot(made));
});

const listSnapshots = handle(routes.listSnapshots, async ({ query }, { snapshots }) => {
  const limit = pageLimit(query);
  const after = query.after ?? -1;
  const kept = (await snapshots.list()).filter(({ sequence }) => sequence > after);
  kept.sort((one, other) => one.sequence - other.sequence);
  return done(toPage(kept.slice(0, limit), limit, toSnapshot, ({ sequence }) => sequence));
});

const getSnapshot = handle(routes.getSnapshot, async ({ params }, { snapshots }) => {
  const kept = await snapshots.list();
  const found = kept.find(({ sequence }) => sequence === params.sequence);
  return found === undefined ? refuse("unknown-id", "sequence") : done(toSnapshot(found));
});

const listHealthSamples = handle(routes.listHealthSamples, async (_, { metrics }) => {
  const { nowMs, bounds, samples } = metrics.samples();
  return done({ now: nowMs, bounds: [...bounds], items: samples.map(toHealthSample) });
});

function toHealthSample({ timeMs: time, commits, ...sample }: HealthSample) {
  return { ...sample, time, commits: [...commits] };
}

/** The engine counts in thousandths of the speed of the wall clock. */
const SPEED_SCALE = 1_000;

interface Clock {
  readonly time: number;
  readonly offsetMs: number;
  readonly speed: number;
  readonly run: "follow-market" | null;
}

async function readClock(context: OperatorContext): Promise<Outcome<Clock>> {
  const reply = await context.engine.query({ type: "status" });
  if (!reply.ok) return reply;
  const { clockOffsetMs: offsetMs, clockSpeedE3 } = reply.value;
  const speed = (clockSpeedE3 ?? SPEED_SCALE) / SPEED_SCALE;
  const run = speed === 0 && context.replays.moveTime ? "follow-market" : null;
  return done({ time: reply.timestampMs, offsetMs, speed, run });
}

/** The house's quotes follow before the answer. */
async function clockMoved(context: OperatorContext): ReturnType<typeof readClock> {
  await context.house?.timeMoved();
  return await readClock(context);
}

const advanceClock = handle(routes.advanceClock, async ({ body, actor }, context) => {
  const reply = await context.engine.execute({ type: "advance-clock", actor, byMs: body.ms });
  return reply.ok ? await clockMoved(context) : reply;
});

const setClock = handle(routes.setClock, async ({ body, actor }, context) => {
  const { freeze, speed, run, setMs } = body;
  const isPaced = freeze !== undefined || speed !== undefined;
  if (isPaced && run !== undefined) return refuse("malformed", "run", "without freeze and speed");
  const isSpeedSet = isPaced || run !== undefined;
  if (!isSpeedSet && setMs === undefined) {
    return refuse("malformed", "speed", "given, or freeze, run or setMs");
  }
  const speedNow = freeze === true || run !== undefined ? 0 : (speed ?? 1);
  const speedE3 = isSpeedSet ? Math.round(speedNow * SPEED_SCALE) : null;
  const command = { type: "set-clock", actor, toMs: setMs ?? null, speedE3 } as const;
  const reply = await context.engine.execute(command);
  if (!reply.ok) return reply;
  if (isSpeedSet) context.replays.moveTime = run !== undefined;
  return await clockMoved(context);
});

const getClock = handle(routes.getClock, (_, context) => readClock(context));

export const EXCHANGE_CALLS = [
  getInvariants,
  getStatus,
  getCluster,
  listHealthSamples,
  makeSnapshot,
  listSnapshots,
  getSnapshot,
  listAudit,
  advanceClock,
  setClock,
  getClock,
];
