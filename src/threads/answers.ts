/**
 * Answers through a ring, so that who answers never waits for who asked.
 *
 * Who asks (a gateway) sets aside the space of an answer before it submits a request, and gives it
 * back when it has read the answer. Three quarters of the ring can be set aside; a quarter is for
 * what is longer. An answer that fits its reservation is one record, and there is space for it: all
 * reserved answers together fit into three quarters, the others never take more than a quarter. A
 * longer answer waits, at most `heldBytesMax` of them; it is cut into fragments, of which the first
 * uses the reservation and the others take turns in the quarter. When too many wait, an empty
 * answer marked as lost takes its place, which fits any reservation. So every answer is sent or
 * held at once, and both sides' memory is bounded: the asking side puts together one answer at a
 * time, because held answers are sent one after the other.
 *
 * Space is given back only after the tail has been stored: a request that uses it again is
 * published later still, so whoever sees that request sees the tail as well.
 */
import { invariant } from "../domain/index.ts";
import type { RingReader, RingWriter } from "./ring.ts";
import { type RingMemory, recordSpace } from "./ring-memory.ts";

/** Number of the request, flags and reservation, length of the whole answer; each 4 bytes. */
const HEADER_BYTES = 16;
const FIRST = 1;
const LAST = 2;
const LOST = 4;
const NOTHING = new Uint8Array(0);

function spareBytesOf(capacity: number): number {
  return capacity / 4;
}

/** The asking side's count of what it has set aside. */
export class AnswerSpace {
  readonly #limit: number;
  readonly #largestRecord: number;
  #reserved = 0;

  constructor({ capacity, largestRecord }: RingMemory) {
    this.#limit = capacity - spareBytesOf(capacity);
    this.#largestRecord = largestRecord;
  }

  get reservedBytes(): number {
    return this.#reserved;
  }

  /** For an answer of so many bytes. False: too many are on their way, the request is refused. */
  tryReserve(answerBytes: number): boolean {
    const length = HEADER_BYTES + answerBytes;
    invariant(length <= this.#largestRecord, "a reservation is one record");
    const space = recordSpace(length);
    if (this.#reserved + space > this.#limit) return false;
    this.#reserved += space;
    return true;
  }

  /** For a request that was not submitted after all; `AnswerReader` does it for answers. */
  release(answerBytes: number): void {
    this.#reserved -= recordSpace(HEADER_BYTES + answerBytes);
    invariant(this.#reserved >= 0, "what is given back was reserved");
  }
}

interface HeldAnswer {
  readonly request: number;
  readonly reservedBytes: number;
  readonly bytes: Uint8Array;
  sent: number;
  isStarted: boolean;
}

/** The answering side. */
export class AnswerWriter {
  readonly #ring: RingWriter;
  readonly #heldBytesMax: number;
  readonly #spareBytes: number;
  /** Bytes of an answer in one fragment: two fragments share the spare quarter. */
  readonly #fragmentBytes: number;
  readonly #header = new DataView(new ArrayBuffer(HEADER_BYTES));
  readonly #headerBytes = new Uint8Array(this.#header.buffer);
  readonly #held: HeldAnswer[] = [];
  #heldBytes = 0;
  /** Fragments beyond reservations that wait to be read, oldest first. */
  readonly #spare: { readonly end: number; readonly space: number }[] = [];
  #spareUsed = 0;

  constructor(ring: RingWriter, heldBytesMax: number) {
    this.#ring = ring;
    this.#heldBytesMax = heldBytesMax;
    this.#spareBytes = spareBytesOf(ring.capacity);
    const largest = Math.min(ring.largestRecord, this.#spareBytes / 2 - recordSpace(0));
    this.#fragmentBytes = largest - HEADER_BYTES;
    invariant(this.#fragmentBytes > 0, "an answer ring has space for fragments");
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Answers a request (u32), for which `reservedBytes` were set aside. The bytes are copied. Call
   * `flush` after the last answer of a turn.
   */
  write(request: number, reservedBytes: number, answer: Uint8Array): void {
    const { length } = answer;
    if (length <= reservedBytes) {
      this.#send(FIRST | LAST, request, reservedBytes, length, answer);
    } else if (this.#heldBytes + length > this.#heldBytesMax) {
      this.#send(FIRST | LAST | LOST, request, reservedBytes, 0, NOTHING);
    } else {
      this.#heldBytes += length;
      this.#held.push({ request, reservedBytes, bytes: answer.slice(), sent: 0, isStarted: false });
      if (this.#held.length === 1) this.#sendHeld();
    }
  }

  /** Wakes the reader if it sleeps. */
  flush(): void {
    this.#ring.flush();
  }

  /** Sends more of the held answers. Call for every event of the reader. */
  resume(): void {
    this.#sendHeld();
    this.#ring.flush();
  }

  /** Until nothing is held, or the reader will send an event. */
  #sendHeld(): void {
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      if (!next.isStarted) this.#sendFirst(next);
      while (next.sent < next.bytes.length) {
        const length = Math.min(next.bytes.length - next.sent, this.#fragmentBytes);
        const space = recordSpace(HEADER_BYTES + length);
        const hasSpace = () => this.#hasSpare(space);
        if (!hasSpace() && this.#ring.fallAsleep(hasSpace)) return;
        this.#sendFragment(next, length, 0);
        this.#spare.push({ end: this.#ring.position, space });
        this.#spareUsed += space;
      }
      this.#heldBytes -= next.bytes.length;
      this.#held.shift();
    }
  }

  #sendFirst(answer: HeldAnswer): void {
    answer.isStarted = true;
    this.#sendFragment(answer, answer.reservedBytes, FIRST);
  }

  #sendFragment(answer: HeldAnswer, length: number, first: number): void {
    const { request, reservedBytes, bytes, sent } = answer;
    answer.sent += length;
    const flags = first | (answer.sent === bytes.length ? LAST : 0);
    const part = bytes.subarray(sent, answer.sent);
    this.#send(flags, request, reservedBytes, bytes.length, part);
  }

  #hasSpare(space: number): boolean {
    for (let oldest = this.#spare[0]; oldest !== undefined; oldest = this.#spare[0]) {
      if (!this.#ring.isRead(oldest.end)) break;
      this.#spareUsed -= oldest.space;
      this.#spare.shift();
    }
    return this.#spareUsed + space <= this.#spareBytes;
  }

  #send(
    flags: number,
    request: number,
    reservedBytes: number,
    totalBytes: number,
    part: Uint8Array,
  ): void {
    const offset = this.#ring.reserve(HEADER_BYTES + part.length);
    invariant(offset >= 0, "the space of an answer was set aside");
    this.#header.setUint32(0, request, true);
    this.#header.setUint32(4, reservedBytes, true);
    this.#header.setUint32(8, totalBytes, true);
    this.#header.setUint32(12, flags, true);
    this.#ring.bytes.set(this.#headerBytes, offset);
    this.#ring.bytes.set(part, offset + HEADER_BYTES);
    this.#ring.commit();
  }
}

interface AnswerReaderOptions {
  readonly ring: RingReader;
  readonly space: AnswerSpace;
  /**
   * Bytes of the answer, which stay valid during the call; null when the answer was lost because
   * too many long ones waited: the outcome of the request is then unknown.
   */
  readonly deliver: (request: number, answer: Uint8Array | null) => void;
}

/** The asking side's end of the ring: puts answers together and gives their space back. */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  /** The one answer of which some fragments are here. */
  #partial = NOTHING;
  #received = 0;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
  }

  /** Delivers answers within a budget of bytes. Returns the bytes of ring that became free. */
  read(budgetBytes: number): number {
    const { ring, space } = this.#options;
    const readReservations: number[] = [];
    const freed = ring.read((record) => {
      const header = new DataView(record.buffer, record.byteOffset, HEADER_BYTES);
      const flags = header.getUint32(12, true);
      if ((flags & FIRST) !== 0) readReservations.push(header.getUint32(4, true));
      this.#take(header, flags, record.subarray(HEADER_BYTES));
    }, budgetBytes);
    for (const reservedBytes of readReservations) space.release(reservedBytes);
    return freed;
  }

  #take(header: DataView, flags: number, part: Uint8Array): void {
    const { deliver } = this.#options;
    const request = header.getUint32(0, true);
    if ((flags & LOST) !== 0) {
      deliver(request, null);
      return;
    }
    if ((flags & (FIRST | LAST)) === (FIRST | LAST)) {
      deliver(request, part);
      return;
    }
    if ((flags & FIRST) !== 0) {
      invariant(this.#received === 0, "one long answer arrives after the other");
      this.#partial = new Uint8Array(header.getUint32(8, true));
    }
    this.#partial.set(part, this.#received);
    this.#received += part.length;
    if ((flags & LAST) === 0) return;
    invariant(this.#received === this.#partial.length, "all fragments of the answer arrived");
    const answer = this.#partial;
    this.#partial = NOTHING;
    this.#received = 0;
    deliver(request, answer);
  }
}
