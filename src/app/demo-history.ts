/**
 * Whether a venue begins with a past, and the clock that makes one: the exchange is told a time
 * that is behind, until what is to be traded before now is traded.
 */
import type { Engine } from "../engine/engine.ts";
import type { EngineClient } from "../protocol/index.ts";
import { makePast, type PastClock } from "../sandbox/index.ts";
import type { Config } from "./config.ts";
import { Progress } from "./progress.ts";

const PAST_MS = 6 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

/** The wall clock of the machine, but for the time in which a past is made. */
export class VenueClock implements PastClock {
  #pastMs: number | null = null;

  /** Null: there is no past to make. */
  constructor(pastMs: number | null) {
    this.#pastMs = pastMs;
  }

  /** Whether a past is still to be made. */
  get isBehind(): boolean {
    return this.#pastMs !== null;
  }

  nowMs(): number {
    return this.#pastMs ?? Date.now();
  }

  advanceTo(timeMs: number): boolean {
    this.#pastMs = timeMs < Date.now() ? timeMs : null;
    return this.#pastMs !== null;
  }
}

/**
 * Where the clock of a starting exchange begins. A demo without a key is nobody's yet: its past
 * begins hours ago, or where the journal ends, if an earlier start was cut short. Nobody can have
 * traded there, so what is made up is not taken for what somebody did.
 */
export function openClock(config: Config, engine: Engine): VenueClock {
  if (config.profile !== "demo" || config.marketMakers === "off") return new VenueClock(null);
  const keys = engine.ask({ type: "api-keys", after: "", limit: 1 }, engine.timestampMs);
  const hasKeys = !keys.ok || !Array.isArray(keys.value) || keys.value.length > 0;
  const beginMs = Math.max(Date.now() - PAST_MS, engine.timestampMs - engine.clockOffsetMs);
  return new VenueClock(hasKeys || beginMs >= Date.now() ? null : beginMs);
}

interface PastParts {
  readonly engine: EngineClient;
  readonly clock: VenueClock;
  readonly durableSequence: number;
  readonly room: () => Promise<void>;
}

/** Nothing, when the clock is not behind. */
export async function makeVenuePast(parts: PastParts): Promise<void> {
  const { engine, clock, room } = parts;
  if (!clock.isBehind) return;
  const minutes = Math.ceil((Date.now() - clock.nowMs()) / MINUTE_MS);
  const progress = new Progress("Trading the minutes before the demo's first start", minutes);
  await makePast({
    engine,
    clock,
    run: parts.durableSequence,
    room,
    onStep: (filledMs) => progress.report(Math.min(minutes, Math.round(filledMs / MINUTE_MS))),
  });
  progress.end();
}
