/**
 * A sum over the current UTC day and the 29 before. Each day is one number, so a sum costs thirty
 * additions however many fills there were.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 30;

interface DayTotal {
  readonly day: number;
  totalE8: bigint;
}

/** The number of a UTC day since 1970. */
export function dayOf(timestampMs: number): number {
  return Math.floor(timestampMs / DAY_MS);
}

export class RollingDays {
  readonly #days: DayTotal[] = [];
  #sumE8 = 0n;

  /** The sum as of a day. Older days are dropped, since days only advance. */
  sumE8At(day: number): bigint {
    let old = 0;
    while (old < this.#days.length && (this.#days[old] as DayTotal).day <= day - DAYS) {
      this.#sumE8 -= (this.#days[old] as DayTotal).totalE8;
      old++;
    }
    if (old > 0) this.#days.splice(0, old);
    return this.#sumE8;
  }

  add(day: number, amountE8: bigint): void {
    if (amountE8 === 0n) return;
    this.#sumE8 += amountE8;
    const last = this.#days.at(-1);
    if (last?.day === day) last.totalE8 += amountE8;
    else this.#days.push({ day, totalE8: amountE8 });
  }

  /** Oldest first. */
  days(): readonly Readonly<DayTotal>[] {
    return this.#days;
  }
}
