/**
 * What the engine's thread and the gateways' threads see of each other at any moment, without a
 * message: a few words in shared memory, each written by one thread.
 */
import type { Clock } from "../../platform/index.ts";
import type { NotReady } from "../readiness.ts";

/** Index 0: nothing keeps it from taking orders. */
const REASONS: readonly (NotReady | null)[] = [null, "stopping", "disk-nearly-full"];

const TIMESTAMP = 0;
const OFFSET = 1;
const NOT_READY = 2;
const EXCHANGE_WORDS = 3;

/** Written by the engine's thread: exchange time, and whether orders are taken. */
export class ExchangeState {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(EXCHANGE_WORDS * 8)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
  }

  /** Of the last command, and by how much the exchange's clock is ahead of the wall clock. */
  setTime(timestampMs: number, clockOffsetMs: number): void {
    Atomics.store(this.#words, TIMESTAMP, BigInt(timestampMs));
    Atomics.store(this.#words, OFFSET, BigInt(clockOffsetMs));
  }

  /** Exchange time now. */
  exchangeMs({ wallMs }: Pick<Clock, "wallMs">): number {
    const timestampMs = Number(Atomics.load(this.#words, TIMESTAMP));
    return Math.max(timestampMs, wallMs() + Number(Atomics.load(this.#words, OFFSET)));
  }

  setNotReady(reason: NotReady | null): void {
    Atomics.store(this.#words, NOT_READY, BigInt(REASONS.indexOf(reason)));
  }

  get notReadyBecause(): NotReady | null {
    return REASONS[Number(Atomics.load(this.#words, NOT_READY))] ?? null;
  }
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
