/**
 * The main thread's side of the projection worker: takes chunks of events in any order, forwards
 * them in the order of their sequences, and knows how far the history file has come.
 */
import { invariant } from "../domain/index.ts";
import { type Thread, type Threads, threadFailure } from "../platform/index.ts";
import { readEvents } from "../protocol/index.ts";
import type { EventChunk } from "./event-chunk.ts";
import { HeldChunks } from "./held-chunks.ts";

/** Above this the sequencer takes no more commands. */
const BACKLOG_BYTES_MAX = 64 * 1024 * 1024;
/** A catching-up replay keeps the backlog below this, so that it never slows trading. */
const REPLAY_BACKLOG_BYTES = 8 * 1024 * 1024;

export type ToProjectionWorker =
  | { readonly kind: "chunk"; readonly chunk: Uint8Array }
  /** Copies the file, with the chunks before this message, to a new one. */
  | { readonly kind: "copy"; readonly to: string }
  /** Goes on in another file. */
  | { readonly kind: "switch"; readonly path: string }
  | { readonly kind: "close" };

/** Sent after each commit: how far the file is, and how many bytes of chunks went into it. */
export interface WorkerReport {
  readonly appliedSequence: number;
  readonly bytes: number;
}

export interface CopyFailure {
  readonly message: string;
  /** As a file system names a full disk; null for any other reason. */
  readonly code: "ENOSPC" | null;
}

export type FromProjectionWorker =
  | WorkerReport
  /** Answers the oldest copy; null when it is durable. */
  | { readonly copyFailure: CopyFailure | null }
  /** Answers a switch, with the last sequence in the other file. */
  | { readonly switchedSequence: number };

/** The name of the thread. */
export const HISTORY_WRITER = "history-writer";

interface ProjectionWriterOptions {
  readonly threads: Threads;
  readonly path: string;
  /** The last sequence in the file. */
  readonly appliedSequence: number;
  /** The last durable sequence: the file has to catch up with it. */
  readonly journalSequence: number;
  /** The worker failed: history can no longer be written, and the process has to end. */
  readonly onFailure: (error: Error) => void;
}

export class ProjectionWriter {
  readonly #thread: Thread;
  #held = new HeldChunks();
  readonly #ended: Promise<void>;
  readonly #listeners: (() => void)[] = [];
  /** Of those that wait for the next report. */
  #reportAwaited: (() => void)[] = [];
  #appliedSequence: number;
  #forwardedSequence: number;
  #newestSequence: number;
  #backlogBytes = 0;
  #isClosing = false;
  #hasEnded = false;
  readonly #copies: PromiseWithResolvers<void>[] = [];
  #switching: PromiseWithResolvers<void> | null = null;

  constructor(options: ProjectionWriterOptions) {
    this.#appliedSequence = options.appliedSequence;
    this.#forwardedSequence = options.appliedSequence;
    this.#newestSequence = options.journalSequence;
    this.#thread = options.threads.start({
      module: new URL("./projection-worker.ts", import.meta.url),
      name: HISTORY_WRITER,
      data: { path: options.path },
    });
    this.#thread.onMessage((report) => this.#take(report as FromProjectionWorker));
    this.#ended = new Promise((resolve) => {
      this.#thread.onError((error) => options.onFailure(threadFailure(HISTORY_WRITER, error)));
      this.#thread.onExit((code) => {
        if (!this.#isClosing && code === 0) {
          options.onFailure(new Error(`${HISTORY_WRITER} ended unexpectedly`));
        }
        this.#hasEnded = true;
        for (const { reject } of this.#copies.splice(0)) reject(new Error("the writer has ended"));
        resolve();
      });
    });
  }

  /** Everything up to this sequence is committed and visible to readers. */
  get appliedSequence(): number {
    return this.#appliedSequence;
  }

  /** The sequence with which a replay has to begin. */
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

  /** True from `close` on: no more chunks are taken. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * Takes a chunk of durable events; its memory moves to the worker and must not be used again.
   * Commands offered before are skipped. A chunk ahead of the next command is held, within bounds,
   * until a replay has filled the gap; the replay supplies what was dropped.
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

  /** Resolves when the backlog has room for more of a replay, or the worker has ended. */
  async drained(): Promise<void> {
    while (this.#backlogBytes >= REPLAY_BACKLOG_BYTES && !this.#hasEnded) {
      const report = new Promise<void>((resolve) => {
        this.#reportAwaited.push(resolve);
      });
      await Promise.race([report, this.#ended]);
    }
  }

  /** A durable copy of the file as of the chunks offered so far. Rejects when it cannot be made. */
  copyTo(path: string): Promise<void> {
    const copy = Promise.withResolvers<void>();
    this.#copies.push(copy);
    this.#post({ kind: "copy", to: path }, []);
    return copy.promise;
  }

  /**
   * Goes on in the file at `path`, which belongs to a journal that ends with `journalSequence`.
   * Nothing is offered until it resolves.
   */
  async switchTo(path: string, journalSequence: number): Promise<void> {
    this.#switching = Promise.withResolvers();
    this.#post({ kind: "switch", path }, []);
    await Promise.race([this.#switching.promise, this.#ended]);
    invariant(!this.#hasEnded, "the history has a writer");
    this.#newestSequence = journalSequence;
  }

  /** Writes what was forwarded and ends the worker. */
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
    this.#thread.post(message, transfer);
  }

  #take(message: FromProjectionWorker): void {
    if ("switchedSequence" in message) {
      this.#onSwitched(message.switchedSequence);
    } else if ("copyFailure" in message) {
      const copy = this.#copies.shift();
      if (message.copyFailure === null) copy?.resolve();
      else {
        const { message: reason, code } = message.copyFailure;
        copy?.reject(Object.assign(new Error(reason), { code }));
      }
    } else this.#onReport(message);
  }

  #onSwitched(sequence: number): void {
    this.#held = new HeldChunks();
    this.#appliedSequence = sequence;
    this.#forwardedSequence = sequence;
    this.#backlogBytes = 0;
    this.#switching?.resolve();
    this.#switching = null;
  }

  #onReport({ appliedSequence, bytes }: WorkerReport): void {
    this.#appliedSequence = appliedSequence;
    this.#backlogBytes -= bytes;
    const waiting = this.#reportAwaited;
    this.#reportAwaited = [];
    for (const resolve of waiting) resolve();
    for (const listener of this.#listeners) listener();
  }
}

function firstSequenceOf(chunk: Uint8Array): number {
  const { value } = readEvents(chunk).next();
  invariant(value?.type === "command-applied", "a chunk begins with its first command");
  return value.sequence;
}
