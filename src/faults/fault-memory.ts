/**
 * What the gateways of all threads count together for the sandbox's faults: how many requests or
 * messages each rule has met, how often its fault happened, and the requests of the log. Plain
 * additions in shared memory, so counts are exact without a lock.
 */
import { FAULT_RULES_MAX } from "../api/operator/faults.ts";

/** A replaced rule keeps its slot until every gateway has the new one. */
const SLOTS = 2 * FAULT_RULES_MAX;
const WORDS_OF_A_SLOT = 2;
const HITS = 1;
const COUNTER_BYTES = 4;
const LOG_BYTES = 8;

export class FaultMemory {
  readonly memory: SharedArrayBuffer;
  readonly #requests: BigUint64Array;
  readonly #slots: Uint32Array;

  /** Without memory it makes its own; `memory` is that of another thread. */
  constructor(memory = new SharedArrayBuffer(LOG_BYTES + SLOTS * WORDS_OF_A_SLOT * COUNTER_BYTES)) {
    this.memory = memory;
    this.#requests = new BigUint64Array(memory, 0, 1);
    this.#slots = new Uint32Array(memory, LOG_BYTES);
  }

  get slots(): number {
    return SLOTS;
  }

  /** The number of what a rule has just met, from 1. */
  meet(slot: number): number {
    return Atomics.add(this.#slots, WORDS_OF_A_SLOT * slot, 1) + 1;
  }

  hit(slot: number): void {
    Atomics.add(this.#slots, WORDS_OF_A_SLOT * slot + HITS, 1);
  }

  hits(slot: number): number {
    return Atomics.load(this.#slots, WORDS_OF_A_SLOT * slot + HITS);
  }

  /** For a new rule. */
  clear(slot: number): void {
    Atomics.store(this.#slots, WORDS_OF_A_SLOT * slot, 0);
    Atomics.store(this.#slots, WORDS_OF_A_SLOT * slot + HITS, 0);
  }

  /** The number of a request of the log, from 1. */
  nextRequest(): number {
    return Number(Atomics.add(this.#requests, 0, 1n)) + 1;
  }

  get lastRequest(): number {
    return Number(Atomics.load(this.#requests, 0));
  }
}
