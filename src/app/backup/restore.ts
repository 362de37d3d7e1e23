/**
 * Makes a data folder from a backup: as of its end, or of any command before. Every byte of the
 * backup is compared with its manifest, then the journal is replayed, so that the state is known
 * before an exchange starts on it. Until that is done a marker keeps everything else off; a failure
 * leaves the folder empty.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type BackupFile,
  BackupFolder,
  type BackupManifest,
  bytesOf,
  DamagedBackup,
  filesOf,
  lockDataFolder,
  openJournalReader,
  openSnapshotFiles,
  type RestoreLimit,
  replaceWholeFile,
  restoreLog,
} from "../../journal/index.ts";
import { type FileSystem, NODE_PLATFORM, type Platform } from "../../platform/index.ts";
import { newVenueId, writeManifest } from "../data-folder-manifest.ts";
import { createLog } from "../log.ts";
import { Progress } from "../progress.ts";
import { beginReplay } from "../recovery.ts";
import { Replay } from "../replay.ts";
import { writeBranch } from "../states/branch-file.ts";
import { removeLock } from "./back-up.ts";
import { BackupRefused } from "./backup-refused.ts";
import { UNFINISHED_RESTORE } from "./unfinished-restore.ts";

const PRIVATE_FOLDER_MODE = 0o700;
const OF_LOCK = /^lock\.db/;
/** What a restore makes; a killed one may have left some of it. */
const MADE = /^(journal|snapshots|keys\.db|venue\.json|branch\.json)(\.tmp)?$/;
/** Of a restore from a backup that is being added to. */
const ATTEMPTS = 5;
/** As many as an exchange keeps; a backup may have those of more days. */
const COPIED_SNAPSHOTS = 3;
const MEBIBYTE = 1024 * 1024;
/** The root of a file system may have this folder. */
const NOT_OURS = "lost+found";

export interface RestoreOptions {
  readonly source: string;
  /** New, or empty. */
  readonly dataFolder: string;
  /** Null: all of the backup. */
  readonly limit: RestoreLimit | null;
  /** Whether to replay from the first command rather than from a snapshot. */
  readonly fromTheBeginning: boolean;
  /**
   * Whether the backup has everything and its exchange is over: what is restored is then the same
   * venue. Asked when the last command is known; false if absent.
   */
  readonly isSameVenue?: (sequence: number) => boolean;
  readonly platform?: Pick<Platform, "clock" | "files" | "randomness">;
}

export interface RestoreResult {
  readonly sequence: number;
  readonly stateHash: string;
  readonly venueId: string;
  /** Whether API keys work only once `master.key` is put back. */
  readonly needsMasterKey: boolean;
}

/** Throws `BackupRefused`, `DamagedBackup` and `ReplayDivergence`. */
export async function restore(
  options: RestoreOptions,
  attempts = ATTEMPTS,
): Promise<RestoreResult> {
  const { dataFolder } = options;
  checkEmpty(dataFolder);
  const manifest = await readManifest(options);
  checkLimit(options, manifest);
  const lock = lockDataFolder(dataFolder);
  if (!lock.ok) throw new BackupRefused("in-use", lock.message);
  try {
    return await new Restoration(options, manifest).run();
  } catch (error) {
    removeMade(dataFolder);
    // A backup that goes on meanwhile replaces files: what it has then is taken.
    const mayBeReplaced = error instanceof DamagedBackup && attempts > 1;
    if (!mayBeReplaced || !(await isReplaced(options, manifest))) throw error;
  } finally {
    lock.release();
    removeLock(dataFolder);
  }
  return await restore(options, attempts - 1);
}

function checkEmpty(dataFolder: string): void {
  if (!existsSync(dataFolder)) return;
  if (existsSync(join(dataFolder, UNFINISHED_RESTORE))) removeMade(dataFolder);
  const found = readdirSync(dataFolder).find((name) => name !== NOT_OURS && !OF_LOCK.test(name));
  if (found === undefined) return;
  throw new BackupRefused(
    "not-empty",
    `${dataFolder} is not empty (${found}): a restore needs a folder of its own. Name a new one ` +
      "with --data-dir.",
  );
}

/** The marker goes last: what it marks is never left without it. */
function removeMade(dataFolder: string): void {
  for (const name of readdirSync(dataFolder)) {
    if (MADE.test(name)) rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
  rmSync(join(dataFolder, UNFINISHED_RESTORE), { force: true });
}

async function readManifest({ source, platform }: RestoreOptions): Promise<BackupManifest> {
  const { files } = platform ?? NODE_PLATFORM;
  const manifest = await new BackupFolder(files, source).readManifest();
  if (manifest !== null) return manifest;
  throw new BackupRefused(
    "incomplete",
    `The backup in ${source} is incomplete: it has no manifest.json, which is written last. Run ` +
      "`rialto backup` again, or name another backup.",
  );
}

function checkLimit({ limit }: RestoreOptions, { sequence, ...manifest }: BackupManifest): void {
  if (limit === null) return;
  if ("sequence" in limit) {
    if (limit.sequence <= sequence) return;
    throw new BackupRefused("out-of-range", `The backup ends with sequence ${sequence}.`);
  }
  const lastMs = manifest.segments.at(-1)?.lastTimestampMs ?? 0;
  const endMs = Math.max(manifest.takenMs, lastMs);
  if (limit.timeMs <= endMs) return;
  throw new BackupRefused(
    "out-of-range",
    `The backup ends with sequence ${sequence} and was made at ${new Date(endMs).toISOString()}.`,
  );
}

async function isReplaced(options: RestoreOptions, manifest: BackupManifest): Promise<boolean> {
  const present = await readManifest(options);
  return present.takenMs !== manifest.takenMs;
}

class Restoration {
  readonly #options: RestoreOptions;
  readonly #manifest: BackupManifest;
  readonly #platform: Pick<Platform, "clock" | "files" | "randomness">;
  readonly #source: BackupFolder;
  readonly #progress: Progress;
  #doneBytes = 0;

  constructor(options: RestoreOptions, manifest: BackupManifest) {
    this.#options = options;
    this.#manifest = manifest;
    this.#platform = options.platform ?? NODE_PLATFORM;
    const total = Math.ceil(bytesOf(filesOf(manifest)) / MEBIBYTE);
    this.#progress = new Progress("Restoring, MiB", total, this.#platform.clock);
    this.#source = new BackupFolder(this.#platform.files, options.source, (bytes) => {
      this.#doneBytes += bytes;
      this.#progress.report(Math.round(this.#doneBytes / MEBIBYTE));
    });
  }

  get #files(): FileSystem {
    return this.#platform.files;
  }

  async run(): Promise<RestoreResult> {
    const { dataFolder, limit } = this.#options;
    const { keys, sequence: end } = this.#manifest;
    chmodSync(dataFolder, PRIVATE_FOLDER_MODE);
    const marker = join(dataFolder, UNFINISHED_RESTORE);
    await replaceWholeFile(this.#files, marker, new Uint8Array(0));
    const journalFolder = join(dataFolder, "journal");
    const sequence = await restoreLog({
      fileSystem: this.#files,
      source: this.#source,
      manifest: this.#manifest,
      folder: journalFolder,
      limit: limit ?? { sequence: end },
    });
    if (sequence === 0) throw beforeTheBeginning(this.#manifest);
    await this.#copySnapshots(sequence);
    if (keys !== null) await this.#copy(keys, join(dataFolder, "keys.db"));
    this.#progress.end();
    const stateHash = await this.#replay(sequence);
    const venueId = await this.#writeVenue(sequence);
    await this.#files.remove(marker);
    await this.#files.syncFolder(dataFolder);
    return { sequence, stateHash, venueId, needsMasterKey: keys !== null };
  }

  async #copySnapshots(sequence: number): Promise<void> {
    const folder = join(this.#options.dataFolder, "snapshots");
    mkdirSync(folder, { mode: PRIVATE_FOLDER_MODE });
    const { snapshots } = this.#manifest;
    const usable = snapshots.filter((snapshot) => snapshot.sequence <= sequence);
    const newest = usable.slice(-COPIED_SNAPSHOTS);
    for (const snapshot of snapshots) {
      const name = `${String(snapshot.sequence).padStart(16, "0")}.snapshot`;
      if (!newest.includes(snapshot)) await this.#source.verify(snapshot.file);
      else await this.#copy(snapshot.file, join(folder, name));
    }
    await this.#files.syncFolder(folder);
  }

  async #copy(file: BackupFile, path: string): Promise<void> {
    const target = await this.#files.open(path, "create");
    try {
      await this.#source.copyTo(file, target);
      await target.sync();
    } finally {
      await target.close();
    }
  }

  /** The state hash at the end; the snapshot made of it makes the first start quick. */
  async #replay(sequence: number): Promise<string> {
    const { dataFolder, fromTheBeginning } = this.#options;
    const { clock, files: fileSystem, randomness } = this.#platform;
    const reader = openJournalReader(join(dataFolder, "journal"), fileSystem);
    const read = (from: number) => reader.read(from, sequence);
    const snapshots = openSnapshotFiles({
      folder: join(dataFolder, "snapshots"),
      fileSystem,
      now: () => clock.wallMs(),
    });
    const journal = { lastSequence: sequence, read };
    const log = createLog("warn");
    const replay = fromTheBeginning
      ? Replay.from(null, randomness)
      : await beginReplay({ journal, snapshots, log, platform: this.#platform }, sequence);
    const first = replay.sequence;
    const progress = new Progress("Replaying the journal, commands", sequence - first, clock);
    for await (const batch of read(first + 1)) {
      replay.apply(batch);
      progress.report(replay.sequence - first);
    }
    progress.end();
    const snapshot = replay.snapshot();
    if (first < sequence) await snapshots.save(snapshot);
    return snapshot.stateHash;
  }

  /** What came after is not known here: so a restore is a venue of its own. */
  async #writeVenue(sequence: number): Promise<string> {
    const { dataFolder, isSameVenue } = this.#options;
    const { clock, randomness } = this.#platform;
    const { id: from, sandbox, clockBehindMs } = this.#manifest.venue;
    if (clockBehindMs !== 0) {
      await writeBranch(dataFolder, { number: 0, clockBehindMs }, this.#files);
    }
    if (from !== null && isSameVenue?.(sequence) === true) {
      writeManifest(dataFolder, sandbox, { id: from, origin: null });
      return from;
    }
    const id = newVenueId(randomness);
    const restoredMs = clock.wallMs();
    writeManifest(dataFolder, sandbox, { id, origin: { id: from, sequence, restoredMs } });
    return id;
  }
}

function beforeTheBeginning({ segments }: BackupManifest): BackupRefused {
  const last = segments.at(-1)?.lastSequence ?? 0;
  return new BackupRefused(
    "out-of-range",
    `The backup has no command at that time: it has the sequences 1 to ${last}.`,
  );
}
