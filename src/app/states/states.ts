/**
 * The states of a sandbox: checkpoints, and going back to one. An exchange goes back as a whole, in
 * place: it stops taking requests, which wait; its journal, history, secrets and snapshots become
 * those of a new branch; the engine takes the state of the checkpoint; the gateways begin anew.
 * Until `branch.json` names the branch nothing has happened, from then on a failure ends the
 * process, and its next start is on the branch.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { OperatorReason } from "../../api/operator/errors.ts";
import { accept } from "../../domain/index.ts";
import type { Engine } from "../../engine/engine.ts";
import { type FolderJournal, openSnapshotFiles, type SnapshotFiles } from "../../journal/index.ts";
import type { KeyVault } from "../../keys/index.ts";
import type { CheckpointView } from "../../operator/index.ts";
import { isDiskFull, type Platform } from "../../platform/index.ts";
import type { ApiKeyView, Snapshot } from "../../protocol/index.ts";
import type { SimulatedClock } from "../demo-history.ts";
import type { Gateways } from "../gateways/gateways.ts";
import type { History } from "../history.ts";
import type { Log } from "../log.ts";
import { Replay } from "../replay.ts";
import type { Sequencer } from "../sequencer.ts";
import type { SnapshotFollower } from "../snapshot-follower.ts";
import { type Branch, branchFolder, writeBranch, writeOrigin } from "./branch-file.ts";
import { CheckpointFolders, type CheckpointRecord, runFolder } from "./checkpoint-folders.ts";
import { Moment } from "./moment.ts";
import { makeBranch, tidyLeftBranch } from "./new-branch.ts";
import { packState, STATE_BYTES_MAX, stateBytes } from "./state-file.ts";

const CHECKPOINTS_MAX = 100;
/** Calls that wait for the one that is being done. */
const WAITING_MAX = 20;
/** What a saved state was called where it was saved. */
const SAVED = "saved";
const MASTER_KEY_FILE = "master.key";
const KEY_FROM_OUTSIDE =
  "the keys are encrypted with RIALTO_MASTER_KEY_FILE, which is never copied: save from a " +
  "sandbox that has its own master key";
/** What `reset` goes back to, in `origin.json`. */
const START = "start";

type Done<Value> =
  | { readonly ok: true; readonly value: Value }
  | Refusal<OperatorReason>
  | { readonly ok: false; readonly unavailable: "disk-nearly-full" | "overloaded" };

/** Trading programs of the exchange itself: they stop before it goes back. */
export interface OwnTraders {
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface StatesOptions {
  readonly dataFolder: string;
  /** RIALTO_MASTER_KEY_FILE. */
  readonly masterKeyFile: string | null;
  readonly branch: Branch;
  readonly platform: Platform;
  readonly engine: Engine;
  readonly journal: FolderJournal;
  readonly snapshots: SnapshotFiles;
  readonly follower: SnapshotFollower;
  readonly history: History;
  readonly keys: KeyVault;
  readonly sequencer: Sequencer;
  readonly clock: SimulatedClock;
  readonly gateways: Gateways;
  readonly traders: OwnTraders;
  readonly webhooks: { goBack(sequence: number): void; restored(): Promise<void> };
  readonly log: Log;
  readonly onFatal: (error: Error) => void;
}

/** A state to go back to. */
interface Goal {
  readonly folder: string;
  readonly record: CheckpointRecord;
}

export class States {
  readonly #options: StatesOptions;
  readonly #folders: CheckpointFolders;
  #branch: Branch;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** What `reset` goes back to: taken, or written to its folder. */
  #start: Moment | null = null;
  #writtenStart: Goal | null = null;
  #starts = 0;
  #saves = 0;

  private constructor(options: StatesOptions, folders: CheckpointFolders) {
    this.#options = options;
    this.#folders = folders;
    this.#branch = options.branch;
  }

  static async open(options: StatesOptions): Promise<States> {
    const folders = await CheckpointFolders.open(options.dataFolder, options.platform.files);
    return new States(options, folders);
  }

  list(): readonly CheckpointView[] {
    return this.#folders.list().map(viewOf);
  }

  checkpoint(name: string): Promise<Done<CheckpointView>> {
    return this.#inTurn(async () => {
      if (this.#folders.find(name) !== null) {
        return refuse("conflict", "name", "a checkpoint with this name exists: remove it first");
      }
      if (this.#folders.size >= CHECKPOINTS_MAX) {
        return refuse("conflict", null, `${CHECKPOINTS_MAX} checkpoints exist: remove some first`);
      }
      if (this.#options.journal.nearlyFull) return DISK_NEARLY_FULL;
      const moment = await this.#takeMoment(this.#folders.path(name));
      const record = await moment.write(name, this.#journalFolder);
      this.#folders.add(record);
      return accept(viewOf(record));
    });
  }

  /** The present state as the bytes of a file; reading to the end, or stopping, frees its disk. */
  save(): Promise<Done<Readable>> {
    return this.#inTurn(async () => {
      const { dataFolder, journal, masterKeyFile } = this.#options;
      if (masterKeyFile !== null) return refuse("conflict", null, KEY_FROM_OUTSIDE);
      if (journal.nearlyFull) return DISK_NEARLY_FULL;
      this.#saves++;
      const moment = await this.#takeMoment(runFolder(this.#folders, `save-${this.#saves}`));
      await moment.write(SAVED, this.#journalFolder);
      if (stateBytes(moment.folder) > STATE_BYTES_MAX) {
        await moment.drop();
        return refuse("conflict", null, "the state is larger than 4 GiB, including its history");
      }
      const bytes = packState(moment.folder, join(dataFolder, MASTER_KEY_FILE));
      bytes.once("close", () => void moment.drop());
      return accept(bytes);
    });
  }

  remove(name: string): Promise<Done<CheckpointView>> {
    return this.#inTurn(async () => {
      const record = this.#folders.find(name);
      if (record === null) return UNKNOWN_NAME;
      await this.#folders.remove(name, this.#options.platform.files);
      return accept(viewOf(record));
    });
  }

  restore(name: string): Promise<Done<CheckpointView>> {
    return this.#inTurn(async () => {
      const record = this.#folders.find(name);
      if (record === null) return UNKNOWN_NAME;
      return await this.#goBack({ folder: this.#folders.path(name), record });
    });
  }

  /** Goes back to the marked start. */
  reset(): Promise<Done<CheckpointView>> {
    return this.#inTurn(async () => {
      if (this.#options.journal.nearlyFull) return DISK_NEARLY_FULL;
      await this.#writeStart();
      return await this.#goBack(this.#writtenStart as Goal);
    });
  }

  /**
   * What `reset` goes back to is the present state. It is taken when the next command is about to
   * change it, and written when it is first needed: marking costs nothing.
   */
  markStart(): Promise<Done<{ readonly sequence: number }>> {
    return this.#inTurn(async () => {
      const { sequencer } = this.#options;
      await this.#start?.drop();
      if (this.#writtenStart !== null) {
        rmSync(this.#writtenStart.folder, { recursive: true, force: true });
      }
      this.#start = null;
      this.#writtenStart = null;
      this.#starts++;
      const folder = runFolder(this.#folders, `start-${this.#starts}`);
      const sequence = await this.#whilePaused(() => {
        sequencer.beforeNextCommand((as) => {
          this.#start = new Moment(this.#options, folder, as);
        });
        return sequencer.durableSequence;
      });
      return accept({ sequence });
    });
  }

  async #writeStart(): Promise<void> {
    if (this.#writtenStart !== null) return;
    const { sequencer } = this.#options;
    if (this.#start === null) await this.#whilePaused(() => sequencer.lookNow());
    const moment = this.#start as Moment | null;
    if (moment === null) return;
    const record = await moment.write(START, this.#journalFolder);
    this.#writtenStart = { folder: moment.folder, record };
    this.#start = null;
  }

  get #journalFolder(): string {
    return join(this.#folderOf(this.#branch), "journal");
  }

  #folderOf({ number }: Branch): string {
    return branchFolder(this.#options.dataFolder, number);
  }

  async #takeMoment(folder: string): Promise<Moment> {
    const { sequencer } = this.#options;
    return await this.#whilePaused(() => {
      const { durableSequence: sequence, eventDigest } = sequencer;
      return new Moment(this.#options, folder, { sequence, eventDigest });
    });
  }

  async #whilePaused<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    const { sequencer } = this.#options;
    await sequencer.pause();
    try {
      return await work();
    } finally {
      sequencer.resume();
    }
  }

  async #goBack(goal: Goal): Promise<Done<CheckpointView>> {
    const { follower, history, journal, platform, traders } = this.#options;
    if (journal.nearlyFull) return DISK_NEARLY_FULL;
    const { folder: from, record } = goal;
    const snapshot = await loadSnapshot(from, record, platform);
    if (typeof snapshot === "string") return refuse("conflict", "name", snapshot);
    // Its commands are in the journal that is about to be left.
    await this.#writeStart();
    const number = this.#branch.number + 1;
    const to = branchFolder(this.#options.dataFolder, number);
    const made = makeBranch(platform.files, { from, to, record, epoch: journal.epoch });
    // The disk is busy with the branch while this thread builds the state.
    const restored = Replay.from(snapshot, platform.randomness);
    await made;
    await history.caughtUp();
    await Promise.all([follower.hold(), traders.stop()]);
    try {
      await this.#whilePaused(() => this.#goOver(number, to, record, restored));
    } finally {
      await this.#options.webhooks.restored();
      follower.release();
      void traders.start().catch(this.#options.onFatal);
    }
    return accept(viewOf(record));
  }

  /** While nothing happens. Rejects when the exchange is where it was. */
  async #goOver(
    number: number,
    to: string,
    record: CheckpointRecord,
    restored: Replay,
  ): Promise<void> {
    const { dataFolder, log, onFatal, platform, sequencer } = this.#options;
    const left = this.#branch;
    const leftSequence = sequencer.durableSequence;
    const clockBehindMs = Math.round(platform.clock.wallMs() - record.clockMs);
    const branch: Branch = { number, clockBehindMs };
    this.#options.webhooks.goBack(record.sequence);
    await writeBranch(dataFolder, branch, platform.files);
    this.#branch = branch;
    try {
      const { name: checkpoint, sequence, stateHash, chainHash } = record;
      const its = { checkpoint, sequence, stateHash, chainHash, leftBranch: left.number };
      await writeOrigin(to, { ...its, madeMs: platform.clock.wallMs() }, platform.files);
      await this.#takeOver(to, restored);
    } catch (error) {
      onFatal(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const { name, sequence } = record;
    log.info({ branch: number, checkpoint: name, sequence, leftSequence }, "restored");
    void this.#tidy(this.#folderOf(left));
  }

  /** Everything that has the state, or what follows from it, takes that of the branch. */
  async #takeOver(folder: string, restored: Replay): Promise<void> {
    const { clock, engine, follower, gateways, history, journal } = this.#options;
    const { keys, sequencer, snapshots } = this.#options;
    const { sequence, eventDigest } = restored;
    const journalFolder = join(folder, "journal");
    const snapshotFolder = join(folder, "snapshots");
    snapshots.switchTo(snapshotFolder);
    follower.switchTo({ journalFolder, snapshotFolder }, sequence);
    clock.behindMs = this.#branch.clockBehindMs;
    const settings = keysOf(restored.engine);
    engine.adopt(restored.engine);
    sequencer.continueFrom({ sequence, eventDigest });
    await Promise.all([
      journal.switchTo(journalFolder),
      history.switchTo(folder, sequence),
      keys.switchTo(folder, settings),
    ]);
    history.startCatchUp();
    await gateways.restored(history.path);
  }

  /** Leftovers do no harm. */
  async #tidy(folder: string): Promise<void> {
    try {
      await tidyLeftBranch(this.#options.platform.files, folder);
    } catch (error) {
      this.#options.log.warn(
        { error: String(error), folder },
        "an old branch could not be cleaned up",
      );
    }
  }

  /** One after the other; a full disk is a refusal. */
  async #inTurn<Value>(work: () => Promise<Done<Value>>): Promise<Done<Value>> {
    if (this.#waiting >= WAITING_MAX) return { ok: false, unavailable: "overloaded" };
    this.#waiting++;
    const turn = this.#turn.then(work).catch((error: unknown): Done<Value> => {
      if (isDiskFull(error)) return DISK_NEARLY_FULL;
      throw error;
    });
    this.#turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting--;
    }
  }
}

const DISK_NEARLY_FULL = { ok: false, unavailable: "disk-nearly-full" } as const;
const UNKNOWN_NAME = refuse("unknown-checkpoint", "name");

function viewOf({ name, sequence, stateHash }: CheckpointRecord): CheckpointView {
  return { name, sequence, stateHash };
}

/** A sentence when it is damaged. */
async function loadSnapshot(
  folder: string,
  { sequence }: CheckpointRecord,
  { files }: Platform,
): Promise<Snapshot | string> {
  const snapshots = openSnapshotFiles({ folder: join(folder, "snapshots"), fileSystem: files });
  try {
    return (await snapshots.load(sequence)) ?? `${folder} has no snapshot of ${sequence}`;
  } catch (error) {
    if (error instanceof Error && error.name === "DamagedSnapshot") return error.message;
    throw error;
  }
}

function keysOf(engine: Engine): readonly ApiKeyView[] {
  const limit = Number.MAX_SAFE_INTEGER;
  const keys = engine.query({ type: "api-keys", after: "", limit }, engine.timestampMs);
  return keys.ok ? (keys.value as readonly ApiKeyView[]) : [];
}
