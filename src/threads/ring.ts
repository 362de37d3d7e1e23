/**
 * A ring of records from one thread to one other. Neither side ever waits in here: a full ring
 * refuses, an empty one gives nothing.
 *
 * Head and tail count bytes modulo 2^32 and are only ever compared by their difference, which is at
 * most the capacity (2^30); so it does not matter that they wrap around. Each is written by one
 * side. Bytes of a record are plain stores before the atomic store of the head, and are read after
 * an atomic load of it; a place is written again only after an atomic load of the tail that was
 * stored behind its reading. By the rules of JavaScript's memory model no access of one side can
 * then race with one of the other.
 */
import { invariant } from "../domain/index.ts";
import { Doorbell, fallAsleep, type Wake } from "./doorbell.ts";
import {
  AtomicWords,
  HEAD,
  lengthIndexAt,
  offsetAt,
  READER_ASLEEP,
  type RingMemory,
  recordBytes,
  recordSpace,
  type SharedWords,
  TAIL,
  WRITER_ASLEEP,
} from "./ring-memory.ts";

export class RingWriter {
  /** The shared bytes into which `reserve` gives offsets. */
  readonly bytes: Uint8Array;
  /** Longer records are refused before they enter the ring: compare before writing. */
  readonly largestRecord: number;
  readonly capacity: number;
  readonly #words: SharedWords;
  readonly #bell: Doorbell;
  #head: number;
  /** As last seen; the reader may be further. */
  #tail: number;
  #reserved = -1;

  /** `wakeReader` sends an event to the reader's thread. */
  constructor(memory: RingMemory, wakeReader: Wake, words: SharedWords = new AtomicWords(memory)) {
    this.bytes = recordBytes(memory);
    this.largestRecord = memory.largestRecord;
    this.capacity = memory.capacity;
    this.#words = words;
    this.#bell = new Doorbell(words, READER_ASLEEP, wakeReader);
    this.#head = words.load(HEAD);
    this.#tail = words.load(TAIL);
  }

  /** What is not taken by records that wait to be read. A record takes `recordSpace(length)`. */
  get freeBytes(): number {
    this.#tail = this.#words.load(TAIL);
    return this.#free;
  }

  get #free(): number {
    return this.capacity - ((this.#head - this.#tail) | 0);
  }

  /** The position behind the last record; positions are compared by `isRead`. */
  get position(): number {
    return this.#head;
  }

  /** Whether the reader has left behind everything before this position. */
  isRead(position: number): boolean {
    if (((this.#tail - position) | 0) >= 0) return true;
    this.#tail = this.#words.load(TAIL);
    return ((this.#tail - position) | 0) >= 0;
  }

  /**
   * Where to write the next record, as an offset into `bytes`; -1 when the ring is full. Reserving
   * again replaces what was reserved.
   */
  reserve(length: number): number {
    invariant(length <= this.largestRecord, "a record fits into its ring");
    const space = recordSpace(length);
    if (space > this.#free && space > this.freeBytes) return -1;
    this.#reserved = length;
    return offsetAt(this.#head, this.capacity);
  }

  /** Publishes the reserved record, or only its beginning. Call `flush` after the last one. */
  commit(length = this.#reserved): void {
    invariant(length >= 0 && length <= this.#reserved, "what is committed was reserved");
    this.#words.set(lengthIndexAt(this.#head, this.capacity), length);
    this.#head = (this.#head + recordSpace(length)) | 0;
    this.#reserved = -1;
    this.#words.store(HEAD, this.#head);
  }

  /** False: the ring is full, and nothing was written. */
  tryWrite(record: Uint8Array): boolean {
    const offset = this.reserve(record.length);
    if (offset < 0) return false;
    this.bytes.set(record, offset);
    this.commit();
    return true;
  }

  /** One record of several parts. */
  tryWriteParts(parts: readonly Uint8Array[]): boolean {
    let length = 0;
    for (const part of parts) length += part.length;
    let offset = this.reserve(length);
    if (offset < 0) return false;
    for (const part of parts) {
      this.bytes.set(part, offset);
      offset += part.length;
    }
    this.commit();
    return true;
  }

  /** Wakes the reader if it sleeps. Once after the last record of a turn is enough. */
  flush(): void {
    this.#bell.ring();
  }

  /**
   * Before waiting for the reader: true when an event will come once it has read something; false
   * when `isReady`, which must ask the ring, is true already.
   */
  fallAsleep(isReady: () => boolean): boolean {
    return fallAsleep(this.#words, WRITER_ASLEEP, isReady);
  }
}

export class RingReader {
  readonly #words: SharedWords;
  readonly #bytes: Uint8Array;
  readonly #capacity: number;
  readonly #bell: Doorbell;
  /** As last seen; the writer may be further. */
  #head: number;
  #tail: number;

  /** `wakeWriter` sends an event to the writer's thread, if it waits for space. */
  constructor(memory: RingMemory, wakeWriter: Wake, words: SharedWords = new AtomicWords(memory)) {
    this.#words = words;
    this.#bytes = recordBytes(memory);
    this.#capacity = memory.capacity;
    this.#bell = new Doorbell(words, WRITER_ASLEEP, wakeWriter);
    this.#head = words.load(HEAD);
    this.#tail = words.load(TAIL);
  }

  get isEmpty(): boolean {
    if (this.#head !== this.#tail) return false;
    this.#head = this.#words.load(HEAD);
    return this.#head === this.#tail;
  }

  /**
   * Visits the records that are there, at least one and then no more than fit the budget. Their
   * bytes are the writer's again when this returns. Returns the bytes of ring that became free.
   */
  read(visit: (record: Uint8Array) => void, budgetBytes: number): number {
    return this.readInPlace((bytes, start, end) => visit(bytes.subarray(start, end)), budgetBytes);
  }

  /** The same without an object per record. */
  readInPlace(
    visit: (bytes: Uint8Array, start: number, end: number) => void,
    budgetBytes: number,
  ): number {
    const begin = this.#tail;
    while (!this.isEmpty) {
      const position = this.#tail;
      const length = this.#words.get(lengthIndexAt(position, this.#capacity));
      const end = (position + recordSpace(length)) | 0;
      if (position !== begin && ((end - begin) | 0) > budgetBytes) break;
      const start = offsetAt(position, this.#capacity);
      visit(this.#bytes, start, start + length);
      this.#tail = end;
    }
    const freed = (this.#tail - begin) | 0;
    if (freed > 0) {
      this.#words.store(TAIL, this.#tail);
      this.#bell.ring();
    }
    return freed;
  }

  /** True: an event will come with the next record. False: there is one already. */
  fallAsleep(): boolean {
    return fallAsleep(this.#words, READER_ASLEEP, () => !this.isEmpty);
  }
}
