/**
 * Creates the demo's history: the exchange's clock starts in the past, and the
 * simulators trade until it reaches the present.
 */
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { type SimulatedClockPort, tradeHistory } from "../sandbox/index.ts";
import { type Config, DEMO_HISTORY_MIN_MS } from "./config.ts";
import { Progress } from "./progress.ts";

const MINUTE_MS = 60_000;

/**
 * The exchange's wall clock: the machine's, or one behind it in a sandbox that went back in time,
 * or a time in the past while history is being created.
 */
export class SimulatedClock implements SimulatedClockPort {
  readonly #clock: Clock;
  #simulatedMs: number | null;
  /** How far it is behind the machine's. */
  behindMs: number;

  /** `simulatedMs` is null for the wall clock. */
  constructor(clock: Clock, simulatedMs: number | null, behindMs: number) {
    this.#clock = clock;
    this.#simulatedMs = simulatedMs;
    this.behindMs = behindMs;
  }

  /** Whether some history has yet to be traded. */
  get isBehind(): boolean {
    return this.#simulatedMs !== null;
  }

  nowMs(): number {
    return this.#simulatedMs ?? this.#wallMs();
  }

  #wallMs(): number {
    return this.#clock.wallMs() - this.behindMs;
  }

  advanceTo(timeMs: number): boolean {
    this.#simulatedMs = timeMs < this.#wallMs() ? timeMs : null;
    return this.#simulatedMs !== null;
  }
}

/**
 * The clock of a starting exchange. A demo without API keys has no users yet: its history begins
 * hours ago, or where the journal ends if an earlier start was interrupted. No user can have traded
 * before that, so simulated trades are never mistaken for real ones.
 */
export function openClock(
  config: Config,
  engine: Engine,
  clock: Clock,
  behindMs: number,
): SimulatedClock {
  const { profile, marketMakers, demoHistoryMs } = config;
  if (profile !== "demo" || marketMakers === "off") {
    return new SimulatedClock(clock, null, behindMs);
  }
  const keys = engine.query({ type: "api-keys", after: "", limit: 1 }, engine.timestampMs);
  const hasKeys = !keys.ok || !Array.isArray(keys.value) || keys.value.length > 0;
  const nowMs = clock.wallMs() - behindMs;
  const beginMs = Math.max(nowMs - demoHistoryMs, engine.timestampMs - engine.clockOffsetMs);
  return new SimulatedClock(clock, hasKeys || beginMs >= nowMs ? null : beginMs, behindMs);
}

interface DemoHistoryParts {
  readonly engine: EngineClient;
  readonly clock: SimulatedClock;
  readonly realClock: Clock;
  readonly durableSequence: number;
  readonly drained: () => Promise<void>;
}

/** Does nothing when the clock is not behind. */
export async function makeDemoHistory(parts: DemoHistoryParts): Promise<void> {
  const { engine, clock, realClock, drained } = parts;
  if (!clock.isBehind) return;
  const minutes = Math.ceil((realClock.wallMs() - clock.nowMs()) / MINUTE_MS);
  const progress = new Progress("Trading the demo's history", minutes, realClock);
  await tradeHistory({
    engine,
    clock,
    realClock,
    detailedFromMs: realClock.wallMs() - clock.behindMs - DEMO_HISTORY_MIN_MS,
    run: parts.durableSequence,
    drained,
    onStep: (filledMs) => progress.report(Math.min(minutes, Math.round(filledMs / MINUTE_MS))),
  });
  progress.end();
}
