/**
 * Wakes the sequencer when a timer of the engine is due, even when no client sends anything. It
 * only schedules the wake-up: the engine knows which timer is due, and when.
 */

/** The engine's timers are a second apart. A wall clock that stands still is polled this often. */
const PAUSE_MIN_MS = 50;
/** Longest pause; a wall clock that is set forward is noticed within this time. */
const PAUSE_MAX_MS = 60_000;

export class ExchangeTime {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer ends (or last ended), on the monotonic clock. */
  #endsMs = 0;
  #wokeMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Wakes the sequencer in `delayMs` (infinite: never). A timer that ends sooner is kept. */
  arm(delayMs: number): void {
    if (this.#stopped || delayMs === Number.POSITIVE_INFINITY) return;
    const nowMs = performance.now();
    const endsMs = Math.max(nowMs + Math.min(delayMs, PAUSE_MAX_MS), this.#wokeMs + PAUSE_MIN_MS);
    if (this.#timer !== null && this.#endsMs <= endsMs) return;
    this.#clear();
    this.#endsMs = endsMs;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, endsMs - nowMs));
    // The servers keep the process alive, not this timer.
    this.#timer.unref();
  }

  stop(): void {
    this.#stopped = true;
    this.#clear();
  }

  #end(): void {
    this.#timer = null;
    this.#wokeMs = performance.now();
    this.#wake();
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
