/**
 * Creates the demo's first hours of history: the exchange's clock starts in the past, and the
 * simulators trade until it reaches the present.
 */
import type { Engine } from "../engine/engine.ts";
import type { EngineClient } from "../protocol/index.ts";
import { type SimulatedClockPort, tradeHistory } from "../sandbox/index.ts";
import type { Config } from "./config.ts";
import { Progress } from "./progress.ts";

const HISTORY_MS = 6 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

/** The wall clock, or a time in the past while history is being created. */
export class SimulatedClock implements SimulatedClockPort {
  #simulatedMs: number | null = null;

  /** Null for the wall clock. */
  constructor(simulatedMs: number | null) {
    this.#simulatedMs = simulatedMs;
  }

  /** Whether some history has yet to be traded. */
  get isBehind(): boolean {
    return this.#simulatedMs !== null;
  }

  nowMs(): number {
    return this.#simulatedMs ?? Date.now();
  }

  advanceTo(timeMs: number): boolean {
    this.#simulatedMs = timeMs < Date.now() ? timeMs : null;
    return this.#simulatedMs !== null;
  }
}

/**
 * The clock of a starting exchange. A demo without API keys has no users yet: its history begins
 * hours ago, or where the journal ends if an earlier start was interrupted. No user can have traded
 * before that, so simulated trades are never mistaken for real ones.
 */
export function openClock(config: Config, engine: Engine): SimulatedClock {
  if (config.profile !== "demo" || config.marketMakers === "off") return new SimulatedClock(null);
  const keys = engine.query({ type: "api-keys", after: "", limit: 1 }, engine.timestampMs);
  const hasKeys = !keys.ok || !Array.isArray(keys.value) || keys.value.length > 0;
  const beginMs = Math.max(Date.now() - HISTORY_MS, engine.timestampMs - engine.clockOffsetMs);
  return new SimulatedClock(hasKeys || beginMs >= Date.now() ? null : beginMs);
}

interface DemoHistoryParts {
  readonly engine: EngineClient;
  readonly clock: SimulatedClock;
  readonly durableSequence: number;
  readonly drained: () => Promise<void>;
}

/** Does nothing when the clock is not behind. */
export async function makeDemoHistory(parts: DemoHistoryParts): Promise<void> {
  const { engine, clock, drained } = parts;
  if (!clock.isBehind) return;
  const minutes = Math.ceil((Date.now() - clock.nowMs()) / MINUTE_MS);
  const progress = new Progress("Trading the demo's first hours", minutes);
  await tradeHistory({
    engine,
    clock,
    run: parts.durableSequence,
    drained,
    onStep: (filledMs) => progress.report(Math.min(minutes, Math.round(filledMs / MINUTE_MS))),
  });
  progress.end();
}
