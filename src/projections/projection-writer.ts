/**
 * The main thread's end of the projection worker: takes chunks of events in any order of arrival,
 * hands them on in the order of their sequences, and knows how far the history file has come.
 */
import { Worker } from "node:worker_threads";
import { invariant } from "../domain/index.ts";
import { readEvents } from "../protocol/index.ts";
import type { EventChunk } from "./event-chunk.ts";
import { HeldChunks } from "./held-chunks.ts";

/** Beyond this the sequencer takes no more commands. */
const BACKLOG_BYTES_MAX = 64 * 1024 * 1024;
/**
 * A replay that catches up keeps the backlog below this, so that it never pushes back on trading.
 */
const REPLAY_BACKLOG_BYTES = 8 * 1024 * 1024;

export type ToProjectionWorker =
  | { readonly kind: "chunk"; readonly chunk: Uint8Array }
  | { readonly kind: "close" };

/** Sent after each commit: how far the file is, and how many bytes of chunks went into it. */
export interface WorkerReport {
  readonly appliedSequence: number;
  readonly bytes: number;
}

interface ProjectionWriterOptions {
  readonly path: string;
  /** What the file holds already. */
  readonly appliedSequence: number;
  /** The last durable sequence: until then there is something to catch up with. */
  readonly journalSequence: number;
  /** The worker broke: history can no longer be written, and the process has to end. */
  readonly onFailure: (error: Error) => void;
}

export class ProjectionWriter {
  readonly #worker: Worker;
  readonly #held = new HeldChunks();
  readonly #ended: Promise<void>;
  readonly #listeners: (() => void)[] = [];
  #appliedSequence: number;
  #forwardedSequence: number;
  #newestSequence: number;
  #backlogBytes = 0;
  #isClosing = false;
  #hasEnded = false;

  constructor(options: ProjectionWriterOptions) {
    this.#appliedSequence = options.appliedSequence;
    this.#forwardedSequence = options.appliedSequence;
    this.#newestSequence = options.journalSequence;
    this.#worker = new Worker(new URL("./projection-worker.ts", import.meta.url), {
      workerData: { path: options.path },
    });
    this.#worker.on("message", (report: WorkerReport) => this.#onReport(report));
    this.#ended = new Promise((resolve) => {
      this.#worker.on("error", (error) => options.onFailure(error as Error));
      this.#worker.on("exit", (code) => {
        if (!this.#isClosing && code === 0) {
          options.onFailure(new Error("the projection worker ended unasked"));
        }
        this.#hasEnded = true;
        resolve();
      });
    });
  }

  /** Everything up to this sequence is committed to the file and seen by its readers. */
  get appliedSequence(): number {
    return this.#appliedSequence;
  }

  /** The sequence that a replay has to begin with. */
  get nextSequence(): number {
    return this.#forwardedSequence + 1;
  }

  /** False while commands are missing between the file and the newest chunk: see `catchUp`. */
  get isCaughtUp(): boolean {
    return this.#forwardedSequence >= this.#newestSequence;
  }

  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** The sequencer takes no new commands while this is true. */
  get isFull(): boolean {
    return this.#backlogBytes >= BACKLOG_BYTES_MAX;
  }

  /** True from `close` on: nothing more is taken. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * Takes over a chunk of durable events; its memory moves to the worker and must not be used any
   * more. Commands that were offered before are passed over. A chunk ahead of the next command is
   * held, within bounds, until a replay has filled the gap; what was dropped comes out of the
   * journal again.
   */
  offer(chunk: Uint8Array, lastSequence: number): void {
    if (this.#isClosing || chunk.byteLength === 0) return;
    this.#newestSequence = Math.max(this.#newestSequence, lastSequence);
    if (lastSequence <= this.#forwardedSequence) return;
    const firstSequence = firstSequenceOf(chunk);
    if (firstSequence > this.nextSequence) {
      this.#held.add({ chunk, firstSequence, lastSequence });
      return;
    }
    this.#forward({ chunk, lastSequence });
    for (let next = this.#held.take(this.nextSequence); next !== null; ) {
      this.#forward(next);
      next = this.#held.take(this.nextSequence);
    }
  }

  /** Calls back after every commit. */
  onApplied(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when a replay may offer more, or the worker has ended. */
  async drained(): Promise<void> {
    while (this.#backlogBytes >= REPLAY_BACKLOG_BYTES && !this.#hasEnded) {
      const report = new Promise((resolve) => this.#worker.once("message", resolve));
      await Promise.race([report, this.#ended]);
    }
  }

  /** Writes what was handed on and ends the worker. */
  async close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#post({ kind: "close" }, []);
    }
    await this.#ended;
  }

  #forward({ chunk, lastSequence }: EventChunk): void {
    const isWhole = chunk.byteLength === chunk.buffer.byteLength;
    const owned = isWhole ? chunk : chunk.slice();
    this.#forwardedSequence = lastSequence;
    this.#backlogBytes += owned.byteLength;
    this.#post({ kind: "chunk", chunk: owned }, [owned.buffer as ArrayBuffer]);
  }

  #post(message: ToProjectionWorker, transfer: ArrayBuffer[]): void {
    this.#worker.postMessage(message, transfer);
  }

  #onReport({ appliedSequence, bytes }: WorkerReport): void {
    this.#appliedSequence = appliedSequence;
    this.#backlogBytes -= bytes;
    for (const listener of this.#listeners) listener();
  }
}

function firstSequenceOf(chunk: Uint8Array): number {
  const { value } = readEvents(chunk).next();
  invariant(value?.type === "command-applied", "a chunk begins with its first command");
  return value.sequence;
}
