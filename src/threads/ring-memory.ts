/**
 * The memory of a ring, as both threads see it: four control words, each on a cache line of its
 * own, then the bytes of the records. It passes to another thread as part of a message.
 *
 * A record is a length (u32), its bytes, and padding to a multiple of four. A record may run beyond
 * `capacity` into the slack behind it, so every record is one piece and none is skipped over: what
 * a record takes depends on its length alone, not on where it begins. Two records never share the
 * slack, because their places in the ring are more than `capacity` apart.
 */
import { invariant } from "../domain/index.ts";

export interface RingMemory {
  readonly shared: SharedArrayBuffer;
  /** Bytes of records, with their headers, that the ring holds; a power of two. */
  readonly capacity: number;
  /** Records with more bytes never fit. */
  readonly largestRecord: number;
}

/** Indexes of the control words. */
export const HEAD = 0;
export const TAIL = 16;
export const READER_ASLEEP = 32;
export const WRITER_ASLEEP = 48;

const CONTROL_BYTES = 256;
const LENGTH_BYTES = 4;
const CAPACITY_MAX = 2 ** 30;

/** `largestRecord` is at most `capacity - 4`, which is also its default. */
export function createRingMemory(
  capacity: number,
  largestRecord = capacity - LENGTH_BYTES,
): RingMemory {
  const isPowerOfTwo =
    capacity >= 8 && capacity <= CAPACITY_MAX && 2 ** log2(capacity) === capacity;
  invariant(isPowerOfTwo, "the capacity of a ring is a power of two");
  invariant(recordSpace(largestRecord) <= capacity, "the largest record fits into the ring");
  const slack = recordSpace(largestRecord);
  return {
    shared: new SharedArrayBuffer(CONTROL_BYTES + capacity + slack),
    capacity,
    largestRecord,
  };
}

function log2(value: number): number {
  return Math.floor(Math.log2(value));
}

/** Bytes of a ring that a record of this length takes. */
export function recordSpace(length: number): number {
  return LENGTH_BYTES + ((length + 3) & ~3);
}

/** The bytes of all records. */
export function recordBytes({ shared }: RingMemory): Uint8Array {
  return new Uint8Array(shared, CONTROL_BYTES);
}

/** Where the bytes of the record at this position begin. */
export function offsetAt(position: number, capacity: number): number {
  return (position & (capacity - 1)) + LENGTH_BYTES;
}

/** The word with the length of the record at this position. */
export function lengthIndexAt(position: number, capacity: number): number {
  return (CONTROL_BYTES + (position & (capacity - 1))) >> 2;
}

/**
 * Every access to shared words goes through these five. A test passes others, which stop the code
 * before each access and let the other side go on.
 */
export interface SharedWords {
  /** Sequentially consistent, as all of `Atomics`. */
  load(index: number): number;
  store(index: number, value: number): void;
  exchange(index: number, value: number): number;
  /** Plain accesses, to lengths of records: the positions say whose they are. */
  get(index: number): number;
  set(index: number, value: number): void;
}

export class AtomicWords implements SharedWords {
  readonly #words: Int32Array;

  constructor({ shared }: Pick<RingMemory, "shared">) {
    this.#words = new Int32Array(shared);
  }

  load(index: number): number {
    return Atomics.load(this.#words, index);
  }

  store(index: number, value: number): void {
    Atomics.store(this.#words, index, value);
  }

  exchange(index: number, value: number): number {
    return Atomics.exchange(this.#words, index, value);
  }

  get(index: number): number {
    return this.#words[index] as number;
  }

  set(index: number, value: number): void {
    this.#words[index] = value;
  }
}
