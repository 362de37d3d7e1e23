/**
 * Snapshots are made by a follower: a thread that starts from the last snapshot, replays the
 * journal from there, checks the digests on the way and writes the state it arrives at. So a
 * snapshot is also a verification, and trading does not wait for it.
 */
import { Worker } from "node:worker_threads";
import type { SnapshotStore } from "../protocol/index.ts";
import type { Log } from "./log.ts";

export interface SnapshotView {
  readonly sequence: number;
  /** Wall clock. */
  readonly createdMs: number;
}

/** What the thread is told; it answers with `FollowerReply`. */
export interface FollowerTask {
  readonly journalFolder: string;
  readonly snapshotFolder: string;
  /** A durable sequence. */
  readonly throughSequence: number;
}

export type FollowerReply =
  | { readonly ok: true; readonly sequence: number }
  | { readonly ok: false; readonly message: string };

export interface SnapshotFollowerOptions {
  readonly journalFolder: string;
  readonly snapshotFolder: string;
  readonly snapshots: SnapshotStore;
  readonly durableSequence: () => number;
  readonly log: Log;
  /** The replay came to another state than the journal says: the process has to end. */
  readonly onFailure: (error: Error) => void;
}

/** A snapshot is due after so many commands, or after so long when anything changed. */
export const DUE_COMMANDS = 1_000_000;
const DUE_MS = 60 * 60 * 1000;
const CHECK_MS = 10_000;

export class SnapshotFollower {
  readonly #options: SnapshotFollowerOptions;
  readonly #timer: NodeJS.Timeout;
  #making: Promise<SnapshotView> | null = null;
  #thread: Worker | null = null;
  #lastSequence: number;
  #lastMs = performance.now();
  #stopped = false;

  /** `lastSequence` is that of the snapshot that the start used, 0 for none. */
  constructor(options: SnapshotFollowerOptions, lastSequence: number) {
    this.#options = options;
    this.#lastSequence = lastSequence;
    this.#timer = setInterval(() => this.#makeWhenDue(), CHECK_MS).unref();
  }

  /**
   * Resolves when a snapshot of at least the present sequence is durable. Calls meanwhile share it.
   */
  make(): Promise<SnapshotView> {
    this.#making ??= this.#run().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  list(): Promise<readonly SnapshotView[]> {
    return this.#options.snapshots.list();
  }

  /** Ends a run that is under way; what it did not finish leaves no trace. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#thread?.terminate();
    await this.#making?.catch(() => {});
  }

  #makeWhenDue(): void {
    const commands = this.#options.durableSequence() - this.#lastSequence;
    const isDue = commands >= DUE_COMMANDS || performance.now() - this.#lastMs >= DUE_MS;
    if (commands > 0 && isDue && this.#making === null) {
      this.make().catch((error: Error) => this.#options.onFailure(error));
    }
  }

  async #run(): Promise<SnapshotView> {
    const { journalFolder, snapshotFolder, durableSequence, log } = this.#options;
    const startedMs = performance.now();
    const throughSequence = durableSequence();
    if (throughSequence > this.#lastSequence) {
      const task: FollowerTask = { journalFolder, snapshotFolder, throughSequence };
      this.#lastSequence = await this.#follow(task);
      const durationMs = Math.round(performance.now() - startedMs);
      log.info({ sequence: this.#lastSequence, durationMs }, "snapshot written");
    }
    this.#lastMs = performance.now();
    const [newest] = await this.#options.snapshots.list();
    if (newest === undefined) throw new Error("there is nothing to make a snapshot of yet");
    return newest;
  }

  #follow(task: FollowerTask): Promise<number> {
    return new Promise((resolve, reject) => {
      const thread = new Worker(new URL("./snapshot-worker.ts", import.meta.url), {
        workerData: task,
      });
      this.#thread = thread;
      thread.once("message", (reply: FollowerReply) => {
        if (reply.ok) resolve(reply.sequence);
        else reject(new Error(reply.message));
      });
      thread.once("error", reject);
      thread.once("exit", () => {
        this.#thread = null;
        reject(new Error(this.#stopped ? "the exchange is stopping" : "the follower ended early"));
      });
    });
  }
}
