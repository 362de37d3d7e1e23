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
  | { readonly ok: false; readonly message: string; readonly isDiskFull: boolean };

/** There was no room for it; the exchange goes on with the snapshots that it has. */
class NoRoomForSnapshot extends Error {
  override readonly name = "NoRoomForSnapshot";
}

export interface SnapshotFollowerOptions {
  readonly journalFolder: string;
  readonly snapshotFolder: string;
  readonly snapshots: SnapshotStore;
  readonly durableSequence: () => number;
  readonly log: Log;
  /** The replay came to another state than the journal says: the process has to end. */
  readonly onFailure: (error: Error) => void;
}

/** A refusal, as the operator API answers it. */
interface NoRoom {
  readonly ok: false;
  readonly unavailable: "disk-nearly-full";
}

/** A snapshot is due after so many commands, or after so long when anything changed. */
export const DUE_COMMANDS = 1_000_000;
const DUE_MS = 60 * 60 * 1000;
const CHECK_MS = 10_000;
/** Where the disk was full, the next one is tried so much later. */
const RETRY_MS = 10 * 60 * 1000;

export class SnapshotFollower {
  readonly #options: SnapshotFollowerOptions;
  readonly #timer: NodeJS.Timeout;
  #making: Promise<SnapshotView> | null = null;
  #thread: Worker | null = null;
  #lastSequence: number;
  #lastMs = performance.now();
  #notBeforeMs = 0;
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
  async make(): Promise<SnapshotView | NoRoom> {
    try {
      return await this.#make();
    } catch (error) {
      if (!(error instanceof NoRoomForSnapshot)) throw error;
      return { ok: false, unavailable: "disk-nearly-full" };
    }
  }

  #make(): Promise<SnapshotView> {
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
    const isTime = isDue && performance.now() >= this.#notBeforeMs;
    if (commands > 0 && isTime && this.#making === null) {
      this.#make().catch((error: Error) => {
        if (!(error instanceof NoRoomForSnapshot)) this.#options.onFailure(error);
      });
    }
  }

  async #run(): Promise<SnapshotView> {
    const { journalFolder, snapshotFolder, durableSequence, log } = this.#options;
    const startedMs = performance.now();
    const throughSequence = durableSequence();
    if (throughSequence > this.#lastSequence) {
      const task: FollowerTask = { journalFolder, snapshotFolder, throughSequence };
      this.#lastSequence = await this.#follow(task).catch((error: Error) => {
        this.#notBeforeMs = performance.now() + RETRY_MS;
        if (!this.#stopped) log.error({ error }, "no snapshot was written");
        throw error;
      });
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
        else if (reply.isDiskFull) reject(new NoRoomForSnapshot(reply.message));
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
