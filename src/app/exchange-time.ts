/**
 * Wakes the sequencer when a timer of the engine is due, even when no client sends anything. It
 * only schedules the wake-up: the engine knows which timer is due, and when.
 */
import type { Platform, Timer } from "../platform/index.ts";

/** The engine's timers are a second apart. A wall clock that stands still is polled this often. */
const PAUSE_MIN_MS = 50;
/** Longest pause; a wall clock that is set forward is noticed within this time. */
const PAUSE_MAX_MS = 60_000;

export class ExchangeTime {
  readonly #platform: Pick<Platform, "clock" | "scheduler">;
  readonly #wake: () => void;
  #timer: Timer | null = null;
  /** When the timer ends (or last ended), on the monotonic clock. */
  #endsMs = 0;
  #wokeMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(platform: Pick<Platform, "clock" | "scheduler">, wake: () => void) {
    this.#platform = platform;
    this.#wake = wake;
  }

  /** Wakes the sequencer in `delayMs` (infinite: never). A timer that ends sooner is kept. */
  arm(delayMs: number): void {
    if (this.#stopped || delayMs === Number.POSITIVE_INFINITY) return;
    const { clock, scheduler } = this.#platform;
    const nowMs = clock.monotonicMs();
    const endsMs = Math.max(nowMs + Math.min(delayMs, PAUSE_MAX_MS), this.#wokeMs + PAUSE_MIN_MS);
    if (this.#timer !== null && this.#endsMs <= endsMs) return;
    this.#clear();
    this.#endsMs = endsMs;
    // The servers keep the process alive, not this timer.
    this.#timer = scheduler.after(Math.max(0, endsMs - nowMs), () => this.#end(), "background");
  }

  stop(): void {
    this.#stopped = true;
    this.#clear();
  }

  #end(): void {
    this.#timer = null;
    this.#wokeMs = this.#platform.clock.monotonicMs();
    this.#wake();
  }

  #clear(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
