/** The faults of a step: what is armed before it, what strikes behind it, and how it is healed. */
import type { Random } from "../support/random.ts";
import { askWhileSyncing } from "./crowd.ts";
import { cancelOnFullDisk } from "./full-disk.ts";
import { THREAD_NAMES } from "./machine-life.ts";
import { lastCommitOf, ringOf, rotBehindOldRing, rotJournal, rotLastCommit } from "./rot.ts";
import type { FaultKind } from "./schedule.ts";
import type { Ending, HistoryFate, SimulatedExchange, Wire } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

/** A call of the disk that a step reaches or, if it has fewer, a later one. */
const CALLS_MAX = 25;
const SLOWEST_MS = 3_000;
/** Room that a nearly full disk has left. */
const ROOM_BYTES = 2_000_000;
/** Backwards a start tolerates a minute altogether. */
const CLOCK_STEPS_MS = [-600_000, -61_000, -2_000, -1, 1, 999, 60_000, 3_600_000];
/** After so long without a sync somebody ends the process. */
const GIVES_UP_MS = 30_000;

export interface StruckFault {
  readonly name: FaultKind;
  /** How the disk and the history survive if the machine ends. */
  readonly ending: Ending | undefined;
  /** What happens to requests on their way. */
  readonly wire: Wire;
  /** Whether everything is checked behind it. */
  readonly isAudited: boolean;
  /** The power is cut again as soon as somebody has read from the exchange that started. */
  readonly cutsAgain: boolean;
  /** What happens beside the acts of the step. */
  readonly act: ((traders: readonly Trader[]) => Promise<unknown>) | null;
  heal(): void;
}

export function armFault(
  exchange: SimulatedExchange,
  name: FaultKind,
  random: Random,
): StruckFault {
  const { files } = exchange.life;
  const ending = endingOf(name, random);
  let wire: Wire = {};
  const inCalls = random.integer(0, CALLS_MAX);
  if (name === "power-cut-at-a-call") {
    // A slow sync is the time in which nothing may be answered.
    files.slowestMs = random.pick([0, 5, 100]);
    const of = random.pick([null, "sync"] as const);
    files.arm({ inCalls: of === null ? inCalls : inCalls % 4, fault: { kind: "stop" }, of });
  } else if (name === "failed-sync") {
    const fault = { kind: "error", code: "EIO" } as const;
    files.arm({ inCalls: random.integer(0, 2), fault, of: "sync" });
  } else if (name === "failed-call") {
    const code = random.pick(["EIO", "ENOSPC", "EMFILE"] as const);
    files.arm({ inCalls, fault: { kind: "error", code }, of: null });
  } else if (name === "slow-disk") {
    files.slowestMs = random.pick([5, 100, SLOWEST_MS]);
  } else if (name === "full-disk") {
    exchange.disk.capacityBytes = exchange.disk.usedBytes + random.integer(0, ROOM_BYTES);
  } else if (name === "connection-cut") wire = { connected: cutConnection(random) };
  else if (name === "request-delayed") wire = { delayMs: random.pick([1, 30, 1_000, 4_000]) };
  else if (name === "half-open") wire = { givesUpAfterMs: random.pick([0, 1, 5, 1_000]) };
  else if (name === "request-doubled") wire = { isDoubled: true };
  else if (name === "lying-sync") {
    files.lies = true;
    exchange.hasLied = true;
  } else if (name === "stuck-sync") {
    files.isStuck = true;
    exchange.life.time.after(GIVES_UP_MS, () => files.isStuck && exchange.life.end());
  } else if (name === "misdirected-write") files.misdirectsInWrites = random.integer(0, 3);
  else if (name === "clock-stall") exchange.clock.stall(true, exchange.worldMs);
  else armAimed(exchange, name, random);
  return {
    name,
    ending,
    wire,
    isAudited: name !== "slow-disk" && name !== "clock-step",
    cutsAgain: name === "cut-after-start",
    act: actOf(name, random),
    heal() {
      exchange.disk.capacityBytes = Number.POSITIVE_INFINITY;
      const { life } = exchange;
      life.files.slowestMs = 0;
      life.files.misdirectsInWrites = null;
      life.files.isStuck = false;
      exchange.clock.stall(false, exchange.worldMs);
      life.files.arm(null);
    },
  };
}

function actOf(name: FaultKind, random: Random): StruckFault["act"] {
  if (name === "read-while-syncing") return (traders) => askWhileSyncing(traders, random);
  return name === "full-disk" ? (traders) => cancelOnFullDisk(traders, random) : null;
}

function armAimed(exchange: SimulatedExchange, name: FaultKind, random: Random): void {
  const { files } = exchange.life;
  const stop = { kind: "stop" } as const;
  if (name === "cut-after-start") {
    // The last commit is in the page cache, and nobody knows whether the disk has it.
    const fault = random.chance(0.5) ? stop : ({ kind: "error", code: "EIO" } as const);
    files.arm({ inCalls: random.integer(0, 3), fault, of: "sync" });
    if (random.chance(0.3)) {
      exchange.stopsAtStart = [{ inCalls: random.integer(0, START_SYNCS), of: "sync" }];
    }
  } else if (name === "power-cut-at-start") {
    const starts = random.integer(1, 3);
    exchange.stopsAtStart = Array.from({ length: starts }, () => {
      return { inCalls: random.integer(0, START_CALLS), of: null };
    });
  } else if (name === "rotten-behind-old-ring") exchange.oldRing = ringOf(exchange);
  else if (name === "read-while-syncing") {
    files.slowestMs = random.pick([20, 200, SLOWEST_MS]);
    // The commit of the order that nobody knows of, or one of those behind it.
    files.arm({ inCalls: random.pick([0, 1, 1, 2, 5]), fault: stop, of: "sync" });
  }
}

/** Calls of a start, about. */
const START_CALLS = 60;
const START_SYNCS = 5;

/** What ends the process and keeps the page cache. */
const KILLED: ReadonlySet<FaultKind> = new Set([
  "kill",
  "rotten-snapshot",
  "rotten-journal",
  "rotten-read",
  "misdirected-write",
  "cut-after-start",
  "rotten-last-commit",
  "rotten-behind-old-ring",
]);

const POWER_CUTS: ReadonlySet<FaultKind> = new Set([
  "power-cut",
  "power-cut-at-a-call",
  "power-cut-at-start",
]);

function endingOf(name: FaultKind, random: Random): Ending | undefined {
  const isHistoryHit = random.chance(0.3);
  const history: HistoryFate = isHistoryHit ? random.pick(["older", "lost"]) : "kept";
  const disk = random.pick(["drops-all", "keeps-all", "tears", "tears"] as const);
  if (POWER_CUTS.has(name)) return { disk, history };
  if (name === "read-while-syncing") return { disk: "drops-all", history };
  if (KILLED.has(name)) return { disk: "kill", history: "kept" };
  if (name === "lying-sync") return { disk: "drops-all", history };
  if (name === "stuck-sync") return { disk: random.chance(0.5) ? "kill" : disk, history: "kept" };
  if (name === "lost-history") return { disk: "kill", history: random.pick(["older", "lost"]) };
  if (name === "failed-sync" || name === "failed-call") {
    return random.chance(0.5) ? { disk: "kill", history: "kept" } : { disk, history };
  }
  return undefined;
}

/** After some turns of the event loop: before the request is read, or before its answer is. */
function cutConnection(random: Random): NonNullable<Wire["connected"]> {
  return (connection) => {
    let turns = random.integer(0, 12);
    const cut = (): void => {
      if (turns-- <= 0) connection.destroy();
      else setImmediate(cut);
    };
    cut();
  };
}

/** What ends the machine behind a step. */
const ENDS: ReadonlySet<FaultKind> = new Set([
  "power-cut",
  "kill",
  "lost-history",
  "rotten-journal",
  "rotten-read",
  "misdirected-write",
  "lying-sync",
  "cut-after-start",
  "power-cut-at-start",
  "rotten-last-commit",
  "rotten-behind-old-ring",
]);
/** The ring says that the last commit was acknowledged after a second in which nothing comes. */
const ACKNOWLEDGED_AFTER_MS = 2_500;
const ACKNOWLEDGED_TRIES = 4;
/** Reads of a start, about. */
const READS_MAX = 40;

/** What happens once the acts of the step are done. */
export async function strikeBetweenSteps(
  exchange: SimulatedExchange,
  name: FaultKind,
  random: Random,
): Promise<void> {
  const { life } = exchange;
  if (name === "clock-step") {
    exchange.clock.step(random.pick(CLOCK_STEPS_MS));
  } else if (name === "lost-thread") {
    life.failingThread = random.pick(THREAD_NAMES);
    await life.pass(1_000);
  } else if (name === "rotten-snapshot") {
    exchange.rotSnapshots(random);
    life.end();
    await life.pass(1);
  } else if (name === "stuck-sync" && life.files.hasStuck) {
    // Nobody may have waited for it, as for one of the journal's own.
    life.end();
    await life.pass(1);
  } else if (ENDS.has(name)) {
    if (name === "rotten-journal") rotJournal(exchange, random);
    if (name === "rotten-read") exchange.rotsAtStart = random.integer(0, READS_MAX);
    if (name === "rotten-last-commit") {
      // Before the ring says so, an empty sector would prove that nobody was answered.
      const isEmptied = random.chance(0.5) && (await isLastAcknowledged(exchange));
      rotLastCommit(exchange, isEmptied, random);
    }
    const { oldRing } = exchange;
    if (name === "rotten-behind-old-ring" && oldRing !== null) {
      rotBehindOldRing(exchange, oldRing, random);
    }
    life.end();
    await life.pass(1);
  }
}

/** Once the ring says that the last commit was acknowledged; false if others come all the time. */
async function isLastAcknowledged(exchange: SimulatedExchange): Promise<boolean> {
  for (let tries = 0; tries < ACKNOWLEDGED_TRIES; tries++) {
    const last = lastCommitOf(exchange);
    await exchange.life.pass(ACKNOWLEDGED_AFTER_MS);
    if (lastCommitOf(exchange) === last) return true;
  }
  return false;
}

/** Of a fault behind which everything is checked; behind the others the cheap part is. */
const AUDITED_FAULTS = 0.5;

export function isAuditedBehind(fault: StruckFault | null, random: Random): boolean {
  return fault?.isAudited === true && random.chance(AUDITED_FAULTS);
}
