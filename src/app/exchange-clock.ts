/**
 * Exchange time from the wall clock: ahead of it by what the operator advanced, or, once a speed
 * was set, at that speed from the moment of the change. A clock with a speed of its own stands
 * still while the exchange is stopped, and goes on from the last change of the state.
 */

/** What exchange time was at one moment of the wall clock, and how fast it runs from there. */
export interface ClockReading {
  readonly wallMs: number;
  readonly exchangeMs: number;
  /** Thousandths of the speed of the wall clock. */
  readonly speedE3: number;
}

/** Of the engine. */
export interface ClockSettings {
  readonly timestampMs: number;
  readonly clockOffsetMs: number;
  /** Null while exchange time follows the wall clock. */
  readonly clockSpeedE3: number | null;
}

const WALL_SPEED_E3 = 1_000;

export function exchangeMsAt({ wallMs, exchangeMs, speedE3 }: ClockReading, nowMs: number): number {
  return exchangeMs + Math.floor(((nowMs - wallMs) * speedE3) / WALL_SPEED_E3);
}

export class ExchangeClock {
  readonly #settings: ClockSettings;
  readonly #wallMs: () => number;
  #reading: ClockReading;

  constructor(settings: ClockSettings, wallMs: () => number) {
    this.#settings = settings;
    this.#wallMs = wallMs;
    this.#reading = this.#readingAt(settings.timestampMs);
  }

  /** Exchange time now; never before the last command. */
  nowMs(): number {
    return Math.max(this.#settings.timestampMs, exchangeMsAt(this.#reading, this.#wallMs()));
  }

  /** Until the next change of the clock. */
  get reading(): ClockReading {
    return this.#reading;
  }

  /** The settings have changed, at this exchange time. */
  changed(exchangeMs: number): void {
    this.#reading = this.#readingAt(exchangeMs);
  }

  /** How long the wall clock takes for so much exchange time; infinite while time stands still. */
  wallDelayMs(exchangeDelayMs: number): number {
    const { speedE3 } = this.#reading;
    if (exchangeDelayMs <= 0) return 0;
    return speedE3 === 0 ? Number.POSITIVE_INFINITY : (exchangeDelayMs * WALL_SPEED_E3) / speedE3;
  }

  #readingAt(exchangeMs: number): ClockReading {
    const { clockOffsetMs, clockSpeedE3 } = this.#settings;
    if (clockSpeedE3 === null) {
      return { wallMs: 0, exchangeMs: clockOffsetMs, speedE3: WALL_SPEED_E3 };
    }
    return { wallMs: this.#wallMs(), exchangeMs, speedE3: clockSpeedE3 };
  }
}
