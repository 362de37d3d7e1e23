/**
 * What the engine's thread and the gateways' threads see of each other at any moment, without a
 * message: a few words in shared memory, each written by one thread.
 */
import type { Clock } from "../../platform/index.ts";
import { type ClockReading, exchangeMsAt } from "../exchange-clock.ts";
import type { NotReady } from "../readiness.ts";

/** Index 0: nothing keeps it from taking orders. */
const REASONS: readonly (NotReady | null)[] = [null, "stopping", "disk-nearly-full"];

const TIMESTAMP = 0;
const NOT_READY = 1;
/** Counts readings of the clock; each is written to one of two places in turn. */
const READINGS = 2;
const FIRST_READING = 3;
const READING_WORDS = 3;
const EXCHANGE_WORDS = FIRST_READING + 2 * READING_WORDS;

/** Written by the engine's thread: exchange time, and whether orders are taken. */
export class ExchangeState {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(EXCHANGE_WORDS * 8)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
  }

  /** Of the last command. */
  setTime(timestampMs: number): void {
    Atomics.store(this.#words, TIMESTAMP, BigInt(timestampMs));
  }

  setClock({ wallMs, exchangeMs, speedE3 }: ClockReading): void {
    const count = Atomics.load(this.#words, READINGS) + 1n;
    for (const [i, value] of [wallMs, exchangeMs, speedE3].entries()) {
      Atomics.store(this.#words, placeOfReading(count) + i, BigInt(value));
    }
    Atomics.store(this.#words, READINGS, count);
  }

  /** Exchange time now. */
  exchangeMs({ wallMs }: Pick<Clock, "wallMs">): number {
    const timestampMs = Number(Atomics.load(this.#words, TIMESTAMP));
    return Math.max(timestampMs, exchangeMsAt(this.#reading(), wallMs()));
  }

  /** Read again when two more were written meanwhile: the second overwrites this one. */
  #reading(): ClockReading {
    for (;;) {
      const count = Atomics.load(this.#words, READINGS);
      const first = placeOfReading(count);
      const word = (i: number) => Number(Atomics.load(this.#words, first + i));
      const reading = { wallMs: word(0), exchangeMs: word(1), speedE3: word(2) };
      if (Atomics.load(this.#words, READINGS) === count) return reading;
    }
  }

  setNotReady(reason: NotReady | null): void {
    Atomics.store(this.#words, NOT_READY, BigInt(REASONS.indexOf(reason)));
  }

  get notReadyBecause(): NotReady | null {
    return REASONS[Number(Atomics.load(this.#words, NOT_READY))] ?? null;
  }
}

function placeOfReading(count: bigint): number {
  return FIRST_READING + (count % 2n === 0n ? 0 : READING_WORDS);
}

const BEATS = 0;
const LISTENS = 1;
const MISSED = 2;
const STREAMS = 3;
const REQUESTS = 4;
const GATEWAY_WORDS = 5;

/** One of each gateway. */
export class GatewayState {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(GATEWAY_WORDS * 4)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  /** The gateway lives: it counts on, several times a second. */
  beat(): void {
    Atomics.add(this.#words, BEATS, 1);
  }

  get beats(): number {
    return Atomics.load(this.#words, BEATS);
  }

  /** Whether the gateway has stream clients, and so wants events. */
  get listens(): boolean {
    return Atomics.load(this.#words, LISTENS) === 1;
  }

  set listens(listens: boolean) {
    Atomics.store(this.#words, LISTENS, listens ? 1 : 0);
  }

  /** The engine's thread had events for which there was no space. */
  miss(): void {
    Atomics.store(this.#words, MISSED, 1);
  }

  /** Whether events were missed since the last call. */
  takeMissed(): boolean {
    return Atomics.exchange(this.#words, MISSED, 0) === 1;
  }

  /** Open stream connections. */
  get streams(): number {
    return Atomics.load(this.#words, STREAMS);
  }

  set streams(count: number) {
    Atomics.store(this.#words, STREAMS, count);
  }

  /** Counts an answered request. */
  answered(): void {
    Atomics.add(this.#words, REQUESTS, 1);
  }

  get requests(): number {
    return Atomics.load(this.#words, REQUESTS);
  }
}
