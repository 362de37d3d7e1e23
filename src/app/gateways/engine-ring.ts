/**
 * The engine's port across two rings: requests to the engine's thread, answers back. A gateway sets
 * aside the space of an answer before it submits, so that the engine never waits for a gateway;
 * what does not fit is refused before it is submitted.
 *
 * A request in the ring: its number and the bytes set aside for its answer (4 each), then itself.
 */
import { invariant } from "../../domain/index.ts";
import { type EnginePort, onlyAsks, refuseAll, submissionsIn } from "../../protocol/index.ts";
import {
  AnswerReader,
  AnswerSpace,
  AnswerWriter,
  createRingMemory,
  RingInbox,
  type RingMemory,
  RingReader,
  RingWriter,
  type Wake,
} from "../../threads/index.ts";

/** Of requests, and of answers, on their way between a gateway and the engine. */
const RING_BYTES = 4 * 1024 * 1024;
const HEADER_BYTES = 8;
/** The outcome of a command is shorter than this; of queries, the long ones come in fragments. */
const ANSWER_BYTES = 256;
/** What is set aside for a batch stays far below what the ring can set aside. */
const RESERVED_BYTES_MAX = 64 * 1024;
/** Long answers to one gateway that wait for space, above which their outcome is unknown. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Read in one turn of the event loop. */
const TURN_BYTES = 256 * 1024;

export interface EngineRings {
  readonly requests: RingMemory;
  readonly answers: RingMemory;
}

export function createEngineRings(): EngineRings {
  return { requests: createRingMemory(RING_BYTES), answers: createRingMemory(RING_BYTES) };
}

type Soon = (turn: () => void) => void;

type Answered = (answer: Uint8Array) => void;

/** The gateway's end. */
export class RingPort implements EnginePort {
  readonly #requests: RingWriter;
  readonly #space: AnswerSpace;
  readonly #inbox: RingInbox;
  readonly #header = new DataView(new ArrayBuffer(HEADER_BYTES));
  readonly #headerBytes = new Uint8Array(this.#header.buffer);
  /** By the number of their request; free numbers wait in `#free`. */
  readonly #waiting: (Waiting | null)[] = [];
  readonly #free: number[] = [];

  /** `wakeEngine` sends an event to the engine's thread. */
  constructor({ requests, answers }: EngineRings, wakeEngine: Wake, soon: Soon) {
    this.#requests = new RingWriter(requests, wakeEngine);
    this.#space = new AnswerSpace(answers);
    const ring = new RingReader(answers, wakeEngine);
    const deliver = (request: number, answer: Uint8Array | null) => this.#deliver(request, answer);
    const reader = new AnswerReader({ ring, space: this.#space, deliver });
    this.#inbox = new RingInbox({ read: () => reader.read(TURN_BYTES), ring, soon });
  }

  /** Requests that were submitted and not answered. */
  get waiting(): number {
    return this.#waiting.length - this.#free.length;
  }

  /** For every event of the engine's thread. */
  wake(): void {
    this.#inbox.wake();
  }

  submit(request: Uint8Array, answered: Answered): void {
    const count = submissionsIn(request);
    const reserved = Math.min(count * ANSWER_BYTES, RESERVED_BYTES_MAX);
    const length = HEADER_BYTES + request.length;
    if (length > this.#requests.largestRecord || !this.#space.tryReserve(reserved)) {
      answered(refuseAll(count, "overloaded"));
      return;
    }
    const offset = this.#requests.reserve(length);
    if (offset < 0) {
      this.#space.release(reserved);
      answered(refuseAll(count, "overloaded"));
      return;
    }
    this.#header.setUint32(0, this.#remember({ request, answered }), true);
    this.#header.setUint32(4, reserved, true);
    this.#requests.bytes.set(this.#headerBytes, offset);
    this.#requests.bytes.set(request, offset + HEADER_BYTES);
    this.#requests.commit();
    this.#requests.flush();
  }

  #remember(waiting: Waiting): number {
    const number = this.#free.pop() ?? this.#waiting.length;
    this.#waiting[number] = waiting;
    return number;
  }

  #deliver(number: number, answer: Uint8Array | null): void {
    const waiting = this.#waiting[number];
    invariant(waiting !== undefined && waiting !== null, "a request is answered once");
    this.#waiting[number] = null;
    this.#free.push(number);
    // A copy: the ring takes its bytes back.
    waiting.answered(answer === null ? lostAnswer(waiting.request) : answer.slice());
  }
}

interface Waiting {
  readonly request: Uint8Array;
  readonly answered: Answered;
}

/** It was submitted: nobody may be told that it was not, unless it changed nothing. */
function lostAnswer(request: Uint8Array): Uint8Array {
  const unavailable = onlyAsks(request) ? "overloaded" : "outcome-unknown";
  return refuseAll(submissionsIn(request), unavailable);
}

/** The engine's end: passes a gateway's requests on, and the answers back. */
export class RingRequests {
  readonly #engine: EnginePort;
  readonly #ring: RingReader;
  readonly #answers: AnswerWriter;
  readonly #inbox: RingInbox;
  #isFlushing = false;

  /** `wakeGateway` sends an event to the gateway's thread. */
  constructor(engine: EnginePort, rings: EngineRings, wakeGateway: Wake, soon: Soon) {
    this.#engine = engine;
    this.#ring = new RingReader(rings.requests, wakeGateway);
    this.#answers = new AnswerWriter(new RingWriter(rings.answers, wakeGateway), HELD_BYTES_MAX);
    this.#inbox = new RingInbox({ read: () => this.#read(), ring: this.#ring, soon });
  }

  /** For every event of the gateway's thread, and once when it begins. */
  wake(): void {
    this.#answers.resume();
    this.#inbox.wake();
  }

  #read(): number {
    return this.#ring.read((record) => {
      const header = new DataView(record.buffer, record.byteOffset, HEADER_BYTES);
      const reserved = header.getUint32(4, true);
      // The engine keeps the bytes until they are in the journal.
      this.#submit(header.getUint32(0, true), reserved, record.slice(HEADER_BYTES));
    }, TURN_BYTES);
  }

  #submit(number: number, reserved: number, request: Uint8Array): void {
    this.#engine.submit(request, (answer) => {
      this.#answers.write(number, reserved, answer);
      if (this.#isFlushing) return;
      // All answers of a batch are written in one turn: one look at the sleeper is enough.
      this.#isFlushing = true;
      queueMicrotask(() => {
        this.#isFlushing = false;
        this.#answers.flush();
      });
    });
  }
}
