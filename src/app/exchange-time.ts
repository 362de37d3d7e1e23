/**
 * Wakes the sequencer when a timer of the engine is due, also when no client sends anything. It
 * only says when to look: the engine knows which timer is due next, and when.
 */

/** The engine's timers are a second apart; a wall clock that stands still is asked this often. */
const PAUSE_MIN_MS = 50;
/** A wall clock that was put ahead is noticed within this time. */
const PAUSE_MAX_MS = 60_000;

export class ExchangeTime {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer ends, and when it last did, on the monotonic clock. */
  #endsMs = 0;
  #wokeMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Something is due in `delayMs`, infinite for nothing. A timer that ends sooner stays. */
  arm(delayMs: number): void {
    if (this.#stopped || delayMs === Number.POSITIVE_INFINITY) return;
    const nowMs = performance.now();
    const endsMs = Math.max(nowMs + Math.min(delayMs, PAUSE_MAX_MS), this.#wokeMs + PAUSE_MIN_MS);
    if (this.#timer !== null && this.#endsMs <= endsMs) return;
    this.#clear();
    this.#endsMs = endsMs;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, endsMs - nowMs));
    // The servers keep the process alive, not the clock.
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
