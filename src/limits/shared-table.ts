/**
 * A table in shared memory that all gateways read and write under one lock. A row has a keyed hash
 * of its key, a count, and the time until which it counts; from then on its place is free. A key
 * has 16 places. When all of them are taken there is no place for one more key: no row is ever
 * forgotten before its time.
 */

import { MemoryLock } from "../threads/index.ts";
import { HASH_KEY_BYTES, KeyedHash } from "./keyed-hash.ts";

/** No place, or no row. */
export const NONE = -1;
const PLACES_OF_A_KEY = 16;

const LOCK_CELL = 0;
const ROWS_CELL = 1;
const HASH_KEY_CELL = 2;
const LATEST_CELL = 4;
const SPARE_CELL = 8;
const SPARE_CELLS = 8;
const HEADER_BYTES = 64;
const TIME_BYTES = 8;
const KEY_BYTES = 8;
const COUNT_BYTES = 4;
const ROW_BYTES = TIME_BYTES + KEY_BYTES + COUNT_BYTES;

/** `rows` is a power of two, at least 16; `hashKey` has 8 bytes that nobody else knows. */
export function createTableMemory(rows: number, hashKey: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(HEADER_BYTES + rows * ROW_BYTES);
  new Int32Array(memory)[ROWS_CELL] = rows;
  new Uint8Array(memory).set(hashKey.subarray(0, HASH_KEY_BYTES), 4 * HASH_KEY_CELL);
  return memory;
}

/** The halves of a hash. All keys of one kind are hashed together with their kind's. */
export interface Kind {
  readonly low: number;
  readonly high: number;
}

/** Everything but `hash` is used between `lock.take()` and `lock.give()`. */
export class SharedTable {
  readonly memory: SharedArrayBuffer;
  readonly lock: MemoryLock;
  readonly hash: KeyedHash;
  /** When a row ends, on the monotonic clock that all gateways share. */
  readonly untilMs: Float64Array;
  readonly counts: Int32Array;
  /** For what counts over all rows. */
  readonly cells: Int32Array;
  readonly #keys: Int32Array;
  readonly #latestMs: Float64Array;
  readonly #lastSet: number;

  constructor(memory: SharedArrayBuffer) {
    const header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    const rows = header[ROWS_CELL] as number;
    const afterTimes = HEADER_BYTES + rows * TIME_BYTES;
    this.memory = memory;
    this.lock = new MemoryLock(header, LOCK_CELL);
    this.hash = new KeyedHash(header[HASH_KEY_CELL] as number, header[HASH_KEY_CELL + 1] as number);
    this.untilMs = new Float64Array(memory, HEADER_BYTES, rows);
    this.#keys = new Int32Array(memory, afterTimes, 2 * rows);
    this.counts = new Int32Array(memory, afterTimes + rows * KEY_BYTES, rows);
    this.cells = header.subarray(SPARE_CELL, SPARE_CELL + SPARE_CELLS);
    this.#latestMs = new Float64Array(memory, 4 * LATEST_CELL, 1);
    this.#lastSet = rows / PLACES_OF_A_KEY - 1;
  }

  /** Every row ends. */
  clear(): void {
    this.lock.take();
    this.untilMs.fill(0);
    this.lock.give();
  }

  /** Keys of different kinds have different rows. */
  kind(name: string): Kind {
    this.hash.of(name);
    return { low: this.hash.low, high: this.hash.high };
  }

  /**
   * The latest time that any gateway has named. A thread may get the lock with an older time than
   * the one before it, and time must not go back where rows end.
   */
  latest(nowMs: number): number {
    const latestMs = this.#latestMs[0] as number;
    if (nowMs <= latestMs) return latestMs;
    this.#latestMs[0] = nowMs;
    return nowMs;
  }

  /** The row of a key; NONE when there is none. */
  find(low: number, high: number): number {
    const first = this.#firstPlace(low);
    for (let row = first; row < first + PLACES_OF_A_KEY; row++) {
      if (this.#holds(row, low, high)) return row;
    }
    return NONE;
  }

  /**
   * The row of a key, or a free place for it: the one that is free the longest, and not `except`.
   * NONE when all its places are taken. A place becomes the key's row by `claim`.
   */
  placeOf(low: number, high: number, nowMs: number, except = NONE): number {
    const known = this.find(low, high);
    if (known !== NONE) return known;
    const first = this.#firstPlace(low);
    let free = NONE;
    let freeSinceMs = Number.POSITIVE_INFINITY;
    for (let row = first; row < first + PLACES_OF_A_KEY; row++) {
      const untilMs = this.untilMs[row] as number;
      if (untilMs > nowMs || untilMs >= freeSinceMs || row === except) continue;
      free = row;
      freeSinceMs = untilMs;
    }
    return free;
  }

  claim(row: number, low: number, high: number): void {
    if (this.#holds(row, low, high)) return;
    this.#keys[2 * row] = low;
    this.#keys[2 * row + 1] = high;
    this.counts[row] = 0;
  }

  /** Milliseconds until one of a key's places is free; more than 0. */
  placeFreeInMs(low: number, nowMs: number): number {
    const first = this.#firstPlace(low);
    const ends = this.untilMs.subarray(first, first + PLACES_OF_A_KEY);
    return Math.max(1, Math.min(...ends) - nowMs);
  }

  #firstPlace(low: number): number {
    return (low & this.#lastSet) * PLACES_OF_A_KEY;
  }

  #holds(row: number, low: number, high: number): boolean {
    return this.#keys[2 * row] === low && this.#keys[2 * row + 1] === high;
  }
}
