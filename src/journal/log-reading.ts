/** Reads the log of an open journal: up to its durable end, and beyond it as that end moves. */
import type { FileSystem } from "../platform/index.ts";
import type { JournaledBatch } from "../protocol/index.ts";
import { boundAt, chainHashAt, type ReadBound, readBatches } from "./segments/journal-reader.ts";

interface OpenLog {
  readonly lastSequence: number;
  /** False from the moment when nothing more can become durable. */
  readonly isOpen: boolean;
}

export class LogReading {
  readonly #fileSystem: FileSystem;
  readonly #folder: string;
  readonly #log: OpenLog;
  #waiters: (() => void)[] = [];

  constructor(fileSystem: FileSystem, folder: string, log: OpenLog) {
    this.#fileSystem = fileSystem;
    this.#folder = folder;
    this.#log = log;
  }

  /** Call after every change of the log. */
  notify(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  read(fromSequence: number): AsyncIterable<JournaledBatch> {
    return readBatches(
      this.#fileSystem,
      this.#folder,
      fromSequence,
      boundAt(this.#log.lastSequence),
    );
  }

  tail(fromSequence: number, signal: AbortSignal): AsyncIterable<JournaledBatch> {
    return readBatches(this.#fileSystem, this.#folder, fromSequence, this.#movingBound(signal));
  }

  /** Moves with the log until the signal aborts or the journal closes. */
  #movingBound(signal: AbortSignal): ReadBound {
    const log = this.#log;
    return {
      get sequence() {
        return signal.aborted ? 0 : log.lastSequence;
      },
      movedBeyond: async (sequence) => {
        while (!signal.aborted && log.isOpen && log.lastSequence <= sequence) {
          await this.#changed(signal);
        }
        return !signal.aborted && log.lastSequence > sequence;
      },
    };
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      const once = () => {
        signal.removeEventListener("abort", once);
        wake();
      };
      signal.addEventListener("abort", once, { once: true });
      this.#waiters.push(once);
    });
  }

  /** The chain hash after `sequence`; null when no batch ends there. */
  chainHashAt(sequence: number): Promise<Uint8Array | null> {
    return chainHashAt(this.#fileSystem, this.#folder, sequence, this.#log.lastSequence);
  }
}
