/**
 * The journal in memory, for tests: the same port and rules, nothing is kept when the process ends.
 * Opening a store again fences the previous holder, as in a cluster.
 */
import { invariant } from "../domain/index.ts";
import type { AppendResult, Batch, Journal, JournaledBatch } from "../protocol/index.ts";
import {
  BATCH_HEADER_BYTES,
  decodeBatch,
  decodeBatchHeader,
  encodeBatch,
  encodedBatchLength,
  GENESIS_CHAIN_HASH,
} from "./segments/batch-format.ts";

/** What survives a reopening: the batches, each as its bytes. */
export class MemoryJournalStore {
  epoch = 0;
  /** Appends are answered `unknown` while this is set, and are not kept. */
  failing = false;
  nearlyFull = false;
  readonly batches: JournaledBatch[] = [];
  readonly waiters = new Set<() => void>();

  get lastSequence(): number {
    const last = this.batches.at(-1);
    return last === undefined ? 0 : endOf(last);
  }
}

function endOf(batch: Batch): number {
  return batch.firstSequence + batch.records.length - 1;
}

export function openMemoryJournal(store = new MemoryJournalStore()): MemoryJournal {
  store.epoch++;
  return new MemoryJournal(store);
}

export class MemoryJournal implements Journal {
  readonly epoch: number;
  readonly #store: MemoryJournalStore;
  #closed = false;
  #failed = false;

  constructor(store: MemoryJournalStore) {
    this.#store = store;
    this.epoch = store.epoch;
  }

  get lastSequence(): number {
    return this.#store.lastSequence;
  }

  get nearlyFull(): boolean {
    return this.#store.nearlyFull;
  }

  async append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    const store = this.#store;
    this.#failed ||= store.failing;
    if (this.#closed || this.#failed) return "unknown";
    if (epoch !== store.epoch || expectedSequence !== store.lastSequence) return "fenced";
    invariant(batch.firstSequence === expectedSequence + 1, "a batch follows what it expects");
    invariant(batch.records.length > 0, "a batch has at least one record");
    store.batches.push(this.#written(batch));
    this.#notify();
    return "durable";
  }

  /** Decoded from the bytes, so that later changes to a record do not show. */
  #written(batch: Batch): JournaledBatch {
    const store = this.#store;
    const previousChainHash = store.batches.at(-1)?.chainHash ?? GENESIS_CHAIN_HASH;
    const place = { epoch: this.epoch, durableSequence: store.lastSequence, previousChainHash };
    const bytes = new Uint8Array(encodedBatchLength(batch));
    encodeBatch(batch, place, bytes);
    const header = decodeBatchHeader(bytes.subarray(0, BATCH_HEADER_BYTES));
    invariant(header !== null, "what was encoded can be decoded");
    const written = decodeBatch(header, bytes);
    invariant(typeof written !== "string", "what was encoded can be decoded");
    return written;
  }

  #notify(): void {
    for (const wake of [...this.#store.waiters]) wake();
  }

  async *read(fromSequence: number): AsyncGenerator<JournaledBatch, void, undefined> {
    const { lastSequence } = this;
    for (const batch of this.#store.batches.slice(this.#indexOf(fromSequence))) {
      if (endOf(batch) > lastSequence) return;
      yield batch;
    }
  }

  async *tail(
    fromSequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<JournaledBatch, void, undefined> {
    const { batches } = this.#store;
    let index = this.#indexOf(fromSequence);
    while (!signal.aborted) {
      const batch = batches[index];
      if (batch !== undefined && endOf(batch) >= fromSequence) yield batch;
      if (batch !== undefined) index++;
      else if (this.#closed) return;
      else await this.#changed(signal);
    }
  }

  #indexOf(sequence: number): number {
    const { batches } = this.#store;
    const index = batches.findIndex((batch) => endOf(batch) >= sequence);
    return index < 0 ? batches.length : index;
  }

  #changed(signal: AbortSignal): Promise<void> {
    const { waiters } = this.#store;
    return new Promise((resolve) => {
      const wake = () => {
        waiters.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      waiters.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  /** Nothing to close in memory. */
  async roll(): Promise<void> {}

  async chainHashAt(sequence: number): Promise<Uint8Array | null> {
    if (sequence === 0) return GENESIS_CHAIN_HASH;
    const batch = this.#store.batches.find((candidate) => endOf(candidate) === sequence);
    return batch?.chainHash ?? null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#notify();
  }
}
