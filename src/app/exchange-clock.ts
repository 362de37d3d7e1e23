/**
 * Exchange time from the wall clock: ahead of it by what the operator advanced, or, once a speed
 * was set, at that speed from the moment of the change. A clock with a speed of its own stands
 * still while the exchange is stopped, and goes on from the last change of the state, or from where
 * that put it.
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
  /** Behind the last command, which may have moved exchange time. */
  readonly clockMs: number;
  readonly clockOffsetMs: number;
  /** Null while exchange time follows the wall clock. */
  readonly clockSpeedE3: number | null;
}

const WALL_SPEED_E3 = 1_000;

export function exchangeMsAt({ wallMs, exchangeMs, speedE3 }: ClockReading, nowMs: number): number {
  return exchangeMs + Math.floor(((nowMs - wallMs) * speedE3) / WALL_SPEED_E3);
}

/** The wall clock of the exchange: a sandbox that went back in time is behind the machine's. */
export interface WallClock {
  nowMs(): number;
  readonly behindMs: number;
}

export class ExchangeClock {
  readonly #settings: ClockSettings;
  readonly #wall: WallClock;
  #reading: ClockReading;
  #machineReading: ClockReading;
  /** Of the last change, which is in force at once, also where the wall clock was set back. */
  #changedMs: number;

  constructor(settings: ClockSettings, wall: WallClock) {
    this.#settings = settings;
    this.#wall = wall;
    this.#changedMs = settings.clockMs;
    this.#reading = this.#readingAt(settings.clockMs);
    this.#machineReading = this.#ofMachine();
  }

  /** Exchange time now; never before the last command or change. */
  nowMs(): number {
    const byWallMs = exchangeMsAt(this.#reading, this.#wall.nowMs());
    return Math.max(this.#settings.timestampMs, this.#changedMs, byWallMs);
  }

  /** By the machine's wall clock; the same object until the next change. */
  get machineReading(): ClockReading {
    return this.#machineReading;
  }

  /** The settings or the wall clock have changed, at this exchange time. */
  changed(exchangeMs: number): void {
    this.#changedMs = exchangeMs;
    this.#reading = this.#readingAt(exchangeMs);
    this.#machineReading = this.#ofMachine();
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
    return { wallMs: this.#wall.nowMs(), exchangeMs, speedE3: clockSpeedE3 };
  }

  #ofMachine(): ClockReading {
    return { ...this.#reading, wallMs: this.#reading.wallMs + this.#wall.behindMs };
  }
}
