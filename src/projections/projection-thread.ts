/**
 * The thread that writes history. It writes all queued chunks, up to a bound, in one transaction
 * and reports each commit to the main thread: a lone chunk is written at once, under load many
 * together.
 */
import type { BodyPort, Clock, ThreadContext } from "../platform/index.ts";
import {
  copyHistory,
  type HistoryDatabase,
  isDatabaseFull,
  markIfDamaged,
  openHistoryDatabase,
} from "../store/index.ts";
import type { CopyFailure, FromProjectionWorker, ToProjectionWorker } from "./projection-writer.ts";
import { Projector } from "./projector.ts";

const EVENTS_PER_COMMIT = 20_000;
const COMMIT_AFTER_MS = 250;
/**
 * Time from one commit to the next. A lone chunk is written at once; under load a commit costs more
 * than the rows in it, so they share one.
 */
const COMMIT_INTERVAL_MS = 25;
/** After a commit of many events: a page that several of them change is then written once. */
const BUSY_COMMIT_INTERVAL_MS = 100;
const BUSY_EVENTS = 500;

/** The body of the thread; `data` is the path of the history file. */
export async function writeHistory(context: ThreadContext): Promise<void> {
  const { path } = context.data as { readonly path: string };
  const history = openHistoryDatabase(path, { readOnly: false });
  try {
    await new HistoryWriting(context, history, await Projector.load(history)).untilClosed(
      context.terminated,
    );
  } catch (error) {
    markIfDamaged(path, error);
    throw error;
  }
}

class HistoryWriting {
  readonly #port: BodyPort;
  readonly #clock: Clock;
  readonly #pause: ThreadContext["pause"];
  #history: HistoryDatabase;
  #projector: Projector;
  /** Arrived during a pause. The sender bounds them by their bytes. */
  readonly #waiting: ToProjectionWorker[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #isWriting = false;
  /** Earliest time of the next transaction. */
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(
    { port, platform, pause }: ThreadContext,
    history: HistoryDatabase,
    projector: Projector,
  ) {
    this.#port = port;
    this.#clock = platform.clock;
    this.#pause = pause;
    this.#history = history;
    this.#projector = projector;
  }

  /** Rejects when a write fails. */
  untilClosed(terminated: AbortSignal): Promise<void> {
    terminated.addEventListener("abort", () => this.#close(), { once: true });
    this.#port.onMessage((message) => {
      this.#waiting.push(message as ToProjectionWorker);
      if (this.#isWriting) return;
      this.#isWriting = true;
      this.#writeWaiting().catch(this.#closed.reject);
    });
    return this.#closed.promise;
  }

  /** Writes the messages that have arrived. */
  async #writeWaiting(): Promise<void> {
    let message = this.#next();
    while (message !== undefined && message.kind !== "close") {
      message = (await this.#do(message)) ?? this.#next();
    }
    this.#isWriting = false;
    if (message?.kind === "close") this.#close();
  }

  /** Returns the message that it read but did not handle, if any. */
  async #do(
    message: Exclude<ToProjectionWorker, { readonly kind: "close" }>,
  ): Promise<ToProjectionWorker | undefined> {
    switch (message.kind) {
      case "chunk":
        return await this.#writeTransaction(message.chunk);
      case "copy":
        await this.#copy(message.to);
        return undefined;
      case "switch":
        await this.#switch(message.path);
        return undefined;
    }
  }

  async #copy(to: string): Promise<void> {
    let copyFailure: CopyFailure | null = null;
    try {
      await copyHistory(this.#history, to);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      copyFailure = { message, code: isDatabaseFull(error) ? "ENOSPC" : null };
    }
    this.#report({ copyFailure });
  }

  async #switch(path: string): Promise<void> {
    this.#history.connection.close();
    this.#history = openHistoryDatabase(path, { readOnly: false });
    this.#projector = await Projector.load(this.#history);
    this.#report({ switchedSequence: this.#projector.appliedSequence });
  }

  /** The next message that has arrived, if any. */
  #next(): ToProjectionWorker | undefined {
    return this.#waiting.shift() ?? (this.#port.take() as ToProjectionWorker | undefined);
  }

  /** Returns the message that it read but did not write, if any. */
  async #writeTransaction(first: Uint8Array): Promise<ToProjectionWorker | undefined> {
    const clock = this.#clock;
    const projector = this.#projector;
    const waitMs = this.#nextMs - clock.monotonicMs();
    if (waitMs > 0) await this.#pause(waitMs);
    const startedMs = clock.monotonicMs();
    let bytes = first.byteLength;
    projector.begin();
    let events = projector.apply(first);
    let next: ToProjectionWorker | undefined;
    while (events < EVENTS_PER_COMMIT && clock.monotonicMs() - startedMs < COMMIT_AFTER_MS) {
      next = this.#next();
      if (next?.kind !== "chunk") break;
      bytes += next.chunk.byteLength;
      events += projector.apply(next.chunk);
      next = undefined;
    }
    projector.commit();
    this.#nextMs = clock.monotonicMs() + pauseAfter(events);
    this.#report({ appliedSequence: projector.appliedSequence, bytes });
    return next;
  }

  #report(report: FromProjectionWorker): void {
    this.#port.post(report);
  }

  #close(): void {
    const { connection } = this.#history;
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    this.#port.close();
    this.#closed.resolve();
  }
}

/** None behind a full transaction: there is more to catch up with. */
function pauseAfter(events: number): number {
  if (events >= EVENTS_PER_COMMIT) return 0;
  return events < BUSY_EVENTS ? COMMIT_INTERVAL_MS : BUSY_COMMIT_INTERVAL_MS;
}
