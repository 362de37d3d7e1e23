/**
 * Token buckets of one kind in a shared table. A bucket is one time: when it is full again, from
 * which on it needs no row. `aim` at a bucket, then use it under the table's lock.
 */
import { type Kind, NONE, type SharedTable } from "./shared-table.ts";

/** Adding to a time and taking it off again leaves a trace of a token behind, which is none. */
const ROUNDING_SLACK = 1e-6;

export class TokenBuckets {
  readonly #table: SharedTable;
  readonly #kind: Kind;
  readonly #capacity: number;
  readonly #intervalMs: number;
  #low = 0;
  #high = 0;
  #row = NONE;

  /** A bucket holds `capacity` tokens and gains one every `intervalMs`. */
  constructor(table: SharedTable, kind: string, capacity: number, intervalMs: number) {
    this.#table = table;
    this.#kind = table.kind(kind);
    this.#capacity = capacity;
    this.#intervalMs = intervalMs;
  }

  /** Everything else is about the bucket of this key. Needs no lock. */
  aim(key: string | number): void {
    const { hash } = this.#table;
    hash.of(key);
    this.#low = hash.low ^ this.#kind.low;
    this.#high = hash.high ^ this.#kind.high;
    this.#row = NONE;
  }

  /** The bucket's row, or the place that `take` will give it, since `waitMs` was asked. */
  get row(): number {
    return this.#row;
  }

  /**
   * Milliseconds until `amount` tokens are there; 0 when they are. A bucket without a place waits
   * for one. `except` is a place that another bucket is going to take.
   */
  waitMs(amount: number, nowMs: number, except = NONE): number {
    if (amount === 0) return 0;
    const row = this.#table.placeOf(this.#low, this.#high, nowMs, except);
    this.#row = row;
    if (row === NONE) return this.#table.placeFreeInMs(this.#low, nowMs);
    const untilMs = this.#table.untilMs[row] as number;
    const fullAtMs = Math.max(untilMs, nowMs) + amount * this.#intervalMs;
    const waitMs = fullAtMs - nowMs - this.#capacity * this.#intervalMs;
    return waitMs > ROUNDING_SLACK ? waitMs : 0;
  }

  /** Takes what `waitMs` said is there, at the same time. */
  take(amount: number, nowMs: number): void {
    if (amount === 0) return;
    const { untilMs } = this.#table;
    this.#table.claim(this.#row, this.#low, this.#high);
    untilMs[this.#row] = Math.max(untilMs[this.#row] as number, nowMs) + amount * this.#intervalMs;
  }

  /** Takes what was admitted elsewhere: down to nothing, if not so much is there. */
  spend(amount: number, nowMs: number): void {
    if (amount === 0) return;
    const row = this.#table.placeOf(this.#low, this.#high, nowMs);
    if (row === NONE) return;
    this.#table.claim(row, this.#low, this.#high);
    const { untilMs } = this.#table;
    const fullAtMs = Math.max(untilMs[row] as number, nowMs) + amount * this.#intervalMs;
    untilMs[row] = Math.min(fullAtMs, nowMs + this.#capacity * this.#intervalMs);
  }

  /** At most the capacity: what later requests took does not count against an earlier moment. */
  used(nowMs: number): number {
    const row = this.#table.find(this.#low, this.#high);
    if (row === NONE) return 0;
    const takenMs = (this.#table.untilMs[row] as number) - nowMs;
    const used = Math.ceil(takenMs / this.#intervalMs - ROUNDING_SLACK);
    return Math.min(Math.max(0, used), this.#capacity);
  }
}
