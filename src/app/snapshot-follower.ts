/**
 * Makes snapshots in a thread of their own, which starts from the last snapshot, replays the
 * journal from there, checks the digests on the way and writes the resulting state. So each
 * snapshot also verifies the journal, and trading does not wait for it.
 */
import {
  type Clock,
  isFileError,
  type Platform,
  type Thread,
  type Timer,
} from "../platform/index.ts";
import type { SnapshotStore } from "../protocol/index.ts";
import type { Log } from "./log.ts";

export interface SnapshotView {
  readonly sequence: number;
  /** Wall clock. */
  readonly createdMs: number;
}

/** Sent to the thread, which replies with `FollowerReply`. */
export interface FollowerTask {
  readonly journalFolder: string;
  readonly snapshotFolder: string;
  /** A durable sequence. */
  readonly throughSequence: number;
}

export type FollowerReply =
  | { readonly ok: true; readonly sequence: number }
  | { readonly ok: false; readonly message: string; readonly trouble: DiskTrouble | null };

/** The disk is full, a call failed, or the journal is not what was written. */
export type DiskTrouble = "full" | "failed" | "damaged";

/** The exchange continues with the snapshots that it has, unless the journal is damaged. */
class NoSnapshot extends Error {
  override readonly name = "NoSnapshot";
  readonly trouble: DiskTrouble;

  constructor(trouble: DiskTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** The name of the thread. */
export const SNAPSHOT_FOLLOWER = "snapshot-follower";

export interface SnapshotFollowerOptions {
  readonly platform: Pick<Platform, "clock" | "scheduler" | "threads">;
  readonly journalFolder: string;
  readonly snapshotFolder: string;
  readonly snapshots: SnapshotStore;
  readonly durableSequence: () => number;
  readonly log: Log;
  /** The replay reached a different state from the journal's: the process must exit. */
  readonly onFailure: (error: Error) => void;
  /** After so many commands, or after so long if anything changed. */
  readonly due?: { readonly commands: number; readonly ms: number } | undefined;
}

/** As the operator API returns them. */
const REFUSALS = {
  full: { ok: false, unavailable: "disk-nearly-full" },
  failed: { ok: false, reason: "disk-failed", field: null, detail: null },
  damaged: { ok: false, reason: "journal-damaged", field: null, detail: null },
} as const;

/** When a snapshot is due unless somebody says otherwise. */
export const DUE_COMMANDS = 1_000_000;
const DUE_MS = 60 * 60 * 1000;
const CHECK_MS = 10_000;
/** How long to wait for the next attempt when the disk took none. */
const RETRY_MS = 10 * 60 * 1000;

export class SnapshotFollower {
  #options: SnapshotFollowerOptions;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #making: Promise<SnapshotView> | null = null;
  #thread: Thread | null = null;
  #lastSequence: number;
  #lastMs: number;
  #notBeforeMs = 0;
  #stopped = false;
  /** While it is held, snapshots wait for its end. */
  #held: PromiseWithResolvers<void> | null = null;

  /** `lastSequence` is that of the snapshot that the start used, or 0. */
  constructor(options: SnapshotFollowerOptions, lastSequence: number) {
    this.#options = options;
    this.#lastSequence = lastSequence;
    const { clock, scheduler } = options.platform;
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
    this.#timer = scheduler.every(CHECK_MS, () => this.#makeWhenDue());
  }

  /**
   * Resolves when a snapshot of at least the current sequence is durable. Concurrent calls share
   * it.
   */
  async make(): Promise<SnapshotView | (typeof REFUSALS)[DiskTrouble]> {
    try {
      while (this.#held !== null) await this.#held.promise;
      return await this.#make();
    } catch (error) {
      if (!(error instanceof NoSnapshot)) throw error;
      return REFUSALS[error.trouble];
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

  /** Makes no snapshot until `release`; resolves when none is being made. */
  async hold(): Promise<void> {
    this.#held ??= Promise.withResolvers();
    await this.#making?.catch(() => {});
  }

  release(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  /** While held: follows the journal in another folder from its snapshot of `lastSequence` on. */
  switchTo(
    folders: Pick<SnapshotFollowerOptions, "journalFolder" | "snapshotFolder">,
    lastSequence: number,
  ): void {
    this.#options = { ...this.#options, ...folders };
    this.#lastSequence = lastSequence;
    this.#lastMs = this.#clock.monotonicMs();
  }

  /** Aborts a run in progress; an unfinished snapshot leaves no files behind. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer.cancel();
    await this.#thread?.terminate();
    await this.#making?.catch(() => {});
  }

  #makeWhenDue(): void {
    const commands = this.#options.durableSequence() - this.#lastSequence;
    const nowMs = this.#clock.monotonicMs();
    const { due = { commands: DUE_COMMANDS, ms: DUE_MS } } = this.#options;
    const isDue = commands >= due.commands || nowMs - this.#lastMs >= due.ms;
    const isTime = isDue && nowMs >= this.#notBeforeMs;
    if (commands > 0 && isTime && this.#making === null && this.#held === null) {
      this.#make().catch((error: Error) => {
        const goesOn = error instanceof NoSnapshot && error.trouble !== "damaged";
        if (!goesOn) this.#options.onFailure(error);
      });
    }
  }

  async #run(): Promise<SnapshotView> {
    const { journalFolder, snapshotFolder, durableSequence, log } = this.#options;
    const startedMs = this.#clock.monotonicMs();
    const throughSequence = durableSequence();
    if (throughSequence > this.#lastSequence) {
      const task: FollowerTask = { journalFolder, snapshotFolder, throughSequence };
      this.#lastSequence = await this.#follow(task).catch((error: Error) => {
        this.#notBeforeMs = this.#clock.monotonicMs() + RETRY_MS;
        if (!this.#stopped) log.error({ error }, "no snapshot was written");
        throw error;
      });
      const durationMs = Math.round(this.#clock.monotonicMs() - startedMs);
      log.info({ sequence: this.#lastSequence, durationMs }, "snapshot written");
    }
    this.#lastMs = this.#clock.monotonicMs();
    const [newest] = await this.#list();
    if (newest === undefined) throw new Error("there is nothing to make a snapshot of yet");
    return newest;
  }

  async #list(): Promise<readonly SnapshotView[]> {
    try {
      return await this.#options.snapshots.list();
    } catch (error) {
      throw isFileError(error) ? new NoSnapshot("failed", String(error)) : error;
    }
  }

  #follow(task: FollowerTask): Promise<number> {
    return new Promise((resolve, reject) => {
      const thread = this.#options.platform.threads.start({
        module: new URL("./snapshot-worker.ts", import.meta.url),
        name: SNAPSHOT_FOLLOWER,
        data: task,
      });
      this.#thread = thread;
      thread.onMessage((message) => {
        const reply = message as FollowerReply;
        if (reply.ok) resolve(reply.sequence);
        else if (reply.trouble !== null) reject(new NoSnapshot(reply.trouble, reply.message));
        else reject(new Error(reply.message));
      });
      thread.onError(reject);
      thread.onExit(() => {
        this.#thread = null;
        reject(new Error(this.#stopped ? "the exchange is stopping" : "the follower ended early"));
      });
    });
  }
}
