/**
 * The main thread's side of the reader workers: a query waits until the history file has reached
 * the sequence that the caller has seen, then goes to the least busy worker.
 */
import { invariant } from "../domain/index.ts";
import { type Platform, type Scheduler, type Thread, threadFailure } from "../platform/index.ts";
import type {
  HistoryPort,
  HistoryQueryName,
  HistoryQuestion,
  HistoryReply,
  HistoryUnavailable,
} from "./history-port.ts";

/** Longest wait for the file to reach a query's sequence. */
export const HISTORY_WAIT_MS = 2_000;
/** Queries waiting or running; further ones are refused. */
export const QUESTIONS_MAX = 1_000;

export interface ReaderQuestion {
  readonly id: number;
  readonly name: HistoryQueryName;
  readonly question: HistoryQuestion<HistoryQueryName>;
}

/** Null ends the thread, after the questions before it. */
export type ToReader = ReaderQuestion | { readonly switchTo: string } | null;

export type ReaderReply =
  | ({ readonly id: number } & (HistoryReply<HistoryQueryName> | { readonly error: Error }))
  /** It reads the other file. */
  | { readonly switchedTo: string };

/** How far the file has come; the projection writer implements it. */
export interface HistoryProgress {
  readonly appliedSequence: number;
  onApplied(listener: () => void): void;
}

/** The name of its threads. */
export const HISTORY_READER = "history-reader";

interface HistoryReaderOptions {
  readonly platform: Pick<Platform, "scheduler" | "threads">;
  readonly path: string;
  readonly progress: HistoryProgress;
  /** Threads; one answers some thousand queries a second. */
  readonly workers?: number;
  /** A reader failed: the process has to end. */
  readonly onFailure: (error: Error) => void;
}

interface Waiting {
  readonly sequence: number;
  readonly proceed: (reached: true | HistoryUnavailable["unavailable"]) => void;
}

interface Pending {
  readonly reader: ReaderThread;
  resolve(reply: HistoryReply<HistoryQueryName>): void;
  reject(error: Error): void;
}

interface ReaderThread {
  readonly thread: Thread;
  readonly ended: Promise<void>;
  pending: number;
  switching: (() => void) | null;
}

export class HistoryReader implements HistoryPort {
  readonly #progress: HistoryProgress;
  readonly #threads: readonly ReaderThread[];
  readonly #waiting = new Set<Waiting>();
  readonly #pending = new Map<number, Pending>();
  readonly #scheduler: Scheduler;
  readonly #onFailure: (error: Error) => void;
  #lastId = 0;
  #isStopping = false;

  constructor(options: HistoryReaderOptions) {
    this.#progress = options.progress;
    this.#onFailure = options.onFailure;
    this.#scheduler = options.platform.scheduler;
    this.#threads = Array.from({ length: options.workers ?? 1 }, () => this.#startThread(options));
    options.progress.onApplied(() => this.#releaseReached());
  }

  async query<Name extends HistoryQueryName>(
    name: Name,
    question: HistoryQuestion<Name>,
    sequence: number,
  ): Promise<HistoryReply<Name> | HistoryUnavailable> {
    if (this.#isStopping) return { unavailable: "stopping" };
    if (this.#waiting.size + this.#pending.size >= QUESTIONS_MAX) {
      return { unavailable: "overloaded" };
    }
    const reached = await this.#reach(sequence);
    if (reached !== true) return { unavailable: reached };
    if (this.#isStopping) return { unavailable: "stopping" };
    return (await this.#answer(name, question)) as HistoryReply<Name>;
  }

  /** Refuses waiting queries, finishes running ones, and ends the workers. */
  async close(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      for (const waiting of this.#waiting) waiting.proceed("stopping");
      for (const reader of this.#threads) this.#post(reader, null);
    }
    await Promise.all(this.#threads.map(({ ended }) => ended));
  }

  /**
   * Reads another file from now on, also for questions that have not begun, and those that wait for
   * a sequence: there may be no such sequence any more. Resolves when every thread does.
   */
  async switchTo(path: string): Promise<void> {
    await Promise.all(
      this.#threads.map((reader) => {
        return new Promise<void>((resolve) => {
          reader.switching = resolve;
          this.#post(reader, { switchTo: path });
        });
      }),
    );
    for (const waiting of this.#waiting) waiting.proceed(true);
  }

  #post({ thread }: ReaderThread, message: ToReader): void {
    thread.post(message);
  }

  async #reach(sequence: number): Promise<true | HistoryUnavailable["unavailable"]> {
    if (this.#progress.appliedSequence >= sequence) return true;
    return await new Promise((resolve) => {
      const proceed = (reached: true | HistoryUnavailable["unavailable"]) => {
        timer.cancel();
        this.#waiting.delete(waiting);
        resolve(reached);
      };
      const waiting: Waiting = { sequence, proceed };
      const timer = this.#scheduler.after(HISTORY_WAIT_MS, () => proceed("history-behind"));
      this.#waiting.add(waiting);
    });
  }

  #releaseReached(): void {
    const { appliedSequence } = this.#progress;
    for (const waiting of this.#waiting) {
      if (waiting.sequence <= appliedSequence) waiting.proceed(true);
    }
  }

  #answer(
    name: HistoryQueryName,
    question: HistoryQuestion<HistoryQueryName>,
  ): Promise<HistoryReply<HistoryQueryName>> {
    const reader = this.#threads.reduce((best, next) =>
      next.pending < best.pending ? next : best,
    );
    const id = ++this.#lastId;
    reader.pending++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { reader, resolve, reject });
      this.#post(reader, { id, name, question });
    });
  }

  #startThread({ path, platform }: HistoryReaderOptions): ReaderThread {
    const thread = platform.threads.start({
      module: new URL("./reader-worker.ts", import.meta.url),
      name: HISTORY_READER,
      data: { path },
    });
    thread.onMessage((reply) => this.#onReply(reply as ReaderReply, reader));
    const ended = new Promise<void>((resolve) => {
      thread.onError((error) => this.#onFailure(threadFailure(HISTORY_READER, error)));
      thread.onExit((code) => {
        if (!this.#isStopping && code === 0) {
          this.#onFailure(new Error(`${HISTORY_READER} ended unexpectedly`));
        }
        resolve();
      });
    });
    const reader: ReaderThread = { thread, ended, pending: 0, switching: null };
    return reader;
  }

  #onReply(reply: ReaderReply, reader: ReaderThread): void {
    if ("switchedTo" in reply) {
      reader.switching?.();
      reader.switching = null;
      return;
    }
    const pending = this.#pending.get(reply.id);
    invariant(pending !== undefined, "a reader answers each question once");
    this.#pending.delete(reply.id);
    pending.reader.pending--;
    if ("error" in reply) pending.reject(reply.error);
    else pending.resolve({ answer: reply.answer, sequence: reply.sequence });
  }
}
