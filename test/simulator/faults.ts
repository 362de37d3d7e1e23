/** The faults of a step: what is armed before it, what strikes behind it, and how it is healed. */
import type { Random } from "../support/random.ts";
import type { Connected } from "./acts.ts";
import { THREAD_NAMES } from "./machine-life.ts";
import type { FaultKind } from "./schedule.ts";
import type { Ending, HistoryFate, SimulatedExchange } from "./simulated-exchange.ts";

/** A call of the disk that a step reaches or, if it has fewer, a later one. */
const CALLS_MAX = 25;
const SLOWEST_MS = 3_000;
/** Room that a nearly full disk has left. */
const ROOM_BYTES = 2_000_000;
/** Backwards a start tolerates a minute altogether. */
const CLOCK_BACK_MS = 2_000;

export interface StruckFault {
  readonly name: FaultKind;
  /** How the disk and the history survive if the machine ends. */
  readonly ending: Ending | undefined;
  /** Cuts the connection of a request. */
  readonly connected: Connected;
  /** Whether everything is checked behind it. */
  readonly isAudited: boolean;
  heal(): void;
}

export function armFault(
  exchange: SimulatedExchange,
  name: FaultKind,
  random: Random,
): StruckFault {
  const { files } = exchange.life;
  const ending = endingOf(name, random);
  let connected: Connected;
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
  } else if (name === "connection-cut") connected = cutConnection(random);
  return {
    name,
    ending,
    connected,
    isAudited: name !== "slow-disk" && name !== "clock-step",
    heal() {
      exchange.disk.capacityBytes = Number.POSITIVE_INFINITY;
      const { life } = exchange;
      life.files.slowestMs = 0;
      if (!life.files.hasFailed) life.files.arm(null);
    },
  };
}

function endingOf(name: FaultKind, random: Random): Ending | undefined {
  const isHistoryHit = random.chance(0.3);
  const history: HistoryFate = isHistoryHit ? random.pick(["older", "lost"]) : "kept";
  const disk = random.pick(["drops-all", "keeps-all", "tears", "tears"] as const);
  if (name === "power-cut" || name === "power-cut-at-a-call") return { disk, history };
  if (name === "kill" || name === "rotten-snapshot") return { disk: "kill", history: "kept" };
  if (name === "lost-history") return { disk: "kill", history: random.pick(["older", "lost"]) };
  if (name === "failed-sync" || name === "failed-call") {
    return random.chance(0.5) ? { disk: "kill", history: "kept" } : { disk, history };
  }
  return undefined;
}

/** After some turns of the event loop: before the request is read, or before its answer is. */
function cutConnection(random: Random): Connected {
  return (connection) => {
    let turns = random.integer(0, 12);
    const cut = (): void => {
      if (turns-- <= 0) connection.destroy();
      else setImmediate(cut);
    };
    cut();
  };
}

/** What happens once the acts of the step are done. */
export async function strikeBetweenSteps(
  exchange: SimulatedExchange,
  name: FaultKind,
  random: Random,
): Promise<void> {
  const { life } = exchange;
  if (name === "clock-step") {
    exchange.stepClock(random.pick([-CLOCK_BACK_MS, -1, 1, 999, 60_000, 3_600_000]));
  } else if (name === "lost-thread") {
    life.failingThread = random.pick(THREAD_NAMES);
    await life.pass(1_000);
  } else if (name === "rotten-snapshot") {
    exchange.rotSnapshots(random);
    life.end();
    await life.pass(1);
  } else if (name === "power-cut" || name === "kill" || name === "lost-history") {
    life.end();
    await life.pass(1);
  }
}
