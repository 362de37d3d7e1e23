/**
 * Backs an exchange up into a folder, while it runs or after: the journal up to the last command
 * that was durable when it was asked, its snapshots, and the sealed secrets of API keys. History
 * follows from the journal and is left out; so are secrets in the clear.
 */
import { chmodSync, closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import {
  BackupFolder,
  type BackupManifest,
  type BackupSnapshot,
  bytesOf,
  chunksOf,
  DamagedJournal,
  DivergedBackup,
  endOf,
  filesOf,
  lockDataFolder,
  shipLog,
  verifyJournalEnd,
} from "../../journal/index.ts";
import { isMissingFile, NODE_PLATFORM, type Platform } from "../../platform/index.ts";
import { StartRefused } from "../config.ts";
import { isSandboxFolder, venueIdOf } from "../data-folder-manifest.ts";
import { Progress } from "../progress.ts";
import { branchFolder, readBranch } from "../states/branch-file.ts";
import { writeBackupRecord } from "./backup-record.ts";
import { BackupRefused } from "./backup-refused.ts";
import { dailySnapshots } from "./snapshot-retention.ts";

const KEY_STORE_FILE = "keys.db";
/** Next to the backup's own files while a run makes it of the key store. */
const KEYS_COPY = "keys.tmp";
const SNAPSHOT_NAME = /^(\d{16})\.snapshot$/;
const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;
const MEBIBYTE = 1024 * 1024;
const OF_LOCK = /^lock\.db/;

export interface BackupOptions {
  readonly dataFolder: string;
  readonly target: string;
  /** Whether every byte of the target is read, or only what this run writes. */
  readonly check: "all" | "size";
  /** For how many days the last snapshot of each is kept, besides those that the exchange has. */
  readonly snapshotDays?: number;
  /** A loop ends when the backup that it goes on with is gone: a disk was taken away. */
  readonly mustExist?: boolean;
  /** Whether the exchange shows how old this backup is; true if absent. */
  readonly isRecorded?: boolean;
  readonly platform?: Pick<Platform, "clock" | "files">;
}

export interface BackupResult {
  readonly target: string;
  /** The last command that the backup has. */
  readonly sequence: number;
  /** Of the whole backup. */
  readonly files: number;
  readonly bytes: number;
  /** Of the files that this run added. */
  readonly addedBytes: number;
}

/** Throws `BackupRefused`, `DamagedBackup`, `DamagedJournal` and errors of the system. */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  const { dataFolder, target, mustExist = false } = options;
  checkPlaces(dataFolder, target);
  if (mustExist && !existsSync(join(target, "manifest.json"))) {
    throw new BackupRefused("gone", `The backup in ${target} is gone. Is its disk still there?`);
  }
  const lock = lockDataFolder(target);
  if (!lock.ok) {
    throw new BackupRefused(
      "in-use",
      lock.kind === "held"
        ? `Another backup into ${target} is running. Wait for its end.`
        : lock.message.replace("the data folder ", "").replace("--data-dir", "folder"),
    );
  }
  try {
    closeFolder(target);
    return await new BackupRun(options).run();
  } finally {
    lock.release();
    removeLock(target);
  }
}

/** A folder may be gone with its disk. */
export function removeLock(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (OF_LOCK.test(name)) rmSync(join(folder, name), { force: true });
  }
}

function checkPlaces(dataFolder: string, target: string): void {
  const isWithin = (inner: string, outer: string): boolean => {
    const path = relative(resolve(outer), resolve(inner));
    return !path.startsWith("..") && path !== resolve(inner);
  };
  if (isWithin(target, dataFolder) || isWithin(dataFolder, target)) {
    throw new BackupRefused(
      "usage",
      `${target} and the data folder ${dataFolder} lie within each other. Name a folder on ` +
        "another disk.",
    );
  }
}

/** The root of a mounted disk may be somebody else's. */
function closeFolder(folder: string): void {
  try {
    chmodSync(folder, PRIVATE_FOLDER_MODE);
  } catch {
    return;
  }
}

class BackupRun {
  readonly #options: BackupOptions;
  readonly #platform: Pick<Platform, "clock" | "files">;
  readonly #target: BackupFolder;
  readonly #takenMs: number;
  #progress: Progress | null = null;
  #doneBytes = 0;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.#platform = options.platform ?? NODE_PLATFORM;
    this.#target = new BackupFolder(this.#platform.files, options.target, (bytes) => {
      this.#doneBytes += bytes;
      this.#progress?.report(Math.round(this.#doneBytes / MEBIBYTE));
    });
    this.#takenMs = this.#platform.clock.wallMs();
  }

  async run(): Promise<BackupResult> {
    const { dataFolder } = this.#options;
    const { clockBehindMs, number } = await readBranch(dataFolder);
    const source = branchFolder(dataFolder, number);
    const throughSequence = await endOfJournal(dataFolder, source);
    const target = this.#target;
    const earlier = await target.readManifest();
    await target.prepare();
    this.#progress = this.#startProgress(source, earlier);
    const segments = await this.#shipLog(source, throughSequence, earlier);
    const sequence = endOf(segments)?.sequence ?? 0;
    const snapshots = await this.#copySnapshots(source, sequence, earlier);
    // Last, so that it has the secrets of every key that the journal has.
    const keys = await this.#copyKeys(source);
    const id = venueIdOf(dataFolder);
    const sandbox = isSandboxFolder(dataFolder) ?? false;
    const venue = { id, sandbox, clockBehindMs };
    const manifest = { sequence, takenMs: this.#takenMs, venue, segments, snapshots, keys };
    await target.commit(manifest);
    await target.prune(manifest);
    this.#progress.end();
    const result = this.#result(manifest, earlier);
    if (this.#options.isRecorded === false) return result;
    writeBackupRecord(dataFolder, {
      target: resolve(target.path),
      sequence,
      madeMs: this.#takenMs,
    });
    return result;
  }

  /** What is copied is written and read back, the rest is read. */
  #startProgress(source: string, earlier: BackupManifest | null): Progress {
    const known = earlier === null ? 0 : bytesOf(filesOf(earlier));
    const bytes = folderBytes(join(source, "journal")) + folderBytes(join(source, "snapshots"));
    const total = known + 2 * Math.max(0, bytes - known);
    return new Progress("Backing up, MiB", Math.ceil(total / MEBIBYTE), this.#platform.clock);
  }

  async #shipLog(source: string, throughSequence: number, earlier: BackupManifest | null) {
    try {
      return await shipLog({
        fileSystem: this.#platform.files,
        journalFolder: join(source, "journal"),
        throughSequence,
        target: this.#target,
        earlier: earlier?.segments ?? [],
        check: this.#options.check,
      });
    } catch (error) {
      if (!(error instanceof DivergedBackup)) throw error;
      throw new BackupRefused(
        "diverged",
        `${this.#target.path} has commands up to sequence ${error.sequence} that this journal ` +
          "lacks: it is the backup of another exchange, or of this one before it went back. It " +
          "was not changed. Name another folder.",
      );
    }
  }

  /** Only shortcuts: one that the exchange has just removed is left out. */
  async #copySnapshots(
    source: string,
    sequence: number,
    earlier: BackupManifest | null,
  ): Promise<readonly BackupSnapshot[]> {
    const { files } = this.#platform;
    const folder = join(source, "snapshots");
    const copied = await this.#keptSnapshots(earlier, sequence);
    for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
      const number = Number(SNAPSHOT_NAME.exec(name)?.[1] ?? Number.NaN);
      if (!(number <= sequence)) continue;
      if (copied.some((snapshot) => snapshot.sequence === number)) continue;
      const known = earlier?.snapshots.find((snapshot) => snapshot.sequence === number);
      if (known !== undefined && (await this.#target.holds(known.file, this.#options.check))) {
        copied.push(known);
        continue;
      }
      try {
        const file = await this.#target.putSnapshot(number, chunksOf(files, join(folder, name)));
        copied.push({ sequence: number, file, copiedMs: this.#takenMs });
      } catch (error) {
        if (!isMissingFile(error)) throw error;
      }
    }
    return copied.sort((one, other) => one.sequence - other.sequence);
  }

  /** Of days past; a damaged one is left out, it is a shortcut. */
  async #keptSnapshots(
    earlier: BackupManifest | null,
    sequence: number,
  ): Promise<BackupSnapshot[]> {
    const { check, snapshotDays = 0 } = this.#options;
    const kept: BackupSnapshot[] = [];
    for (const snapshot of dailySnapshots(earlier?.snapshots ?? [], snapshotDays, this.#takenMs)) {
      const isThere = await this.#target.holds(snapshot.file, check);
      if (isThere && snapshot.sequence <= sequence) kept.push(snapshot);
    }
    return kept;
  }

  async #copyKeys(source: string) {
    const path = join(source, KEY_STORE_FILE);
    if (!existsSync(path)) return null;
    const copy = join(this.#target.path, KEYS_COPY);
    // SQLite would make it with the mode of the umask.
    closeSync(openSync(copy, "w", PRIVATE_FILE_MODE));
    const connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      await backup(connection, copy, { rate: 1_000_000 });
      return await this.#target.putKeys(chunksOf(this.#platform.files, copy));
    } finally {
      connection.close();
      for (const name of [copy, `${copy}-journal`]) rmSync(name, { force: true });
    }
  }

  #result(manifest: BackupManifest, earlier: BackupManifest | null): BackupResult {
    const files = filesOf(manifest);
    const known = new Set(earlier === null ? [] : filesOf(earlier).map(({ name }) => name));
    const added = files.filter(({ name }) => !known.has(name));
    const { sequence } = manifest;
    const target = this.#target.path;
    const [bytes, addedBytes] = [bytesOf(files), bytesOf(added)];
    return { target, sequence, files: files.length, bytes, addedBytes };
  }
}

function folderBytes(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.reduce((sum, name) => {
    return sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** The last command that can be seen, and so everything that is durable. */
async function endOfJournal(dataFolder: string, source: string): Promise<number> {
  const folder = join(source, "journal");
  if (!existsSync(folder)) {
    const advice = "Name its folder with --data-dir.";
    throw new StartRefused(`There is no exchange in ${dataFolder}. ${advice}`);
  }
  const { damage, lastSequence } = await verifyJournalEnd({ folder });
  const [first] = damage;
  if (first !== undefined) throw new DamagedJournal(first);
  if (lastSequence === 0) throw new BackupRefused("empty", `${dataFolder} has no commands yet.`);
  return lastSequence;
}
