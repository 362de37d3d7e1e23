/**
 * Makes the folder of a new branch from a checkpoint: its journal shares the checkpoint's segments
 * and goes on behind them, the rest are copies. Nothing counts before `branch.json` names it.
 */
import { constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { copyFile, open, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { continueLog, linkOrCopy, shareLog } from "../../journal/index.ts";
import type { FileSystem } from "../../platform/index.ts";
import { historyPath, removeHistoryFile } from "../../store/index.ts";
import type { CheckpointRecord } from "./checkpoint-folders.ts";

const KEY_STORE_FILE = "keys.db";
const PRIVATE_FOLDER_MODE = 0o700;

export interface NewBranch {
  /** Of the checkpoint. */
  readonly from: string;
  readonly to: string;
  readonly record: CheckpointRecord;
  /** Of the journal that is left, which stays where it is. */
  readonly epoch: number;
}

export async function makeBranch(fileSystem: FileSystem, branch: NewBranch): Promise<void> {
  const { from, to, record } = branch;
  // A crash may have left one that was never gone over to.
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  await Promise.all([
    makeJournal(fileSystem, branch),
    shareSnapshot(fileSystem, from, to, record.sequence),
    copyDurably(historyPath(from), historyPath(to)),
    copyDurably(join(from, KEY_STORE_FILE), join(to, KEY_STORE_FILE)),
  ]);
  await fileSystem.syncFolder(to);
}

async function makeJournal(
  fileSystem: FileSystem,
  { from, to, record, epoch }: NewBranch,
): Promise<void> {
  const folder = join(to, "journal");
  await shareLog(fileSystem, { from: join(from, "journal"), to: folder });
  const chainHash = Uint8Array.from(Buffer.from(record.chainHash, "hex"));
  await continueLog(fileSystem, folder, { sequence: record.sequence, chainHash, epoch });
}

async function shareSnapshot(
  fileSystem: FileSystem,
  from: string,
  to: string,
  sequence: number,
): Promise<void> {
  const folder = join(to, "snapshots");
  await fileSystem.makeFolder(folder);
  const names = await fileSystem.list(join(from, "snapshots"));
  const name = names.find((candidate) => Number.parseInt(candidate, 10) === sequence);
  if (name === undefined) return;
  await linkOrCopy(fileSystem, join(from, "snapshots", basename(name)), folder);
  await fileSystem.syncFolder(folder);
}

/** A file that is not there is left out: an exchange that starts makes it anew. */
async function copyDurably(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  const file = await open(to, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Of a branch that was left the journal stays; what follows from it, and its secrets, go. */
export async function tidyLeftBranch(fileSystem: FileSystem, folder: string): Promise<void> {
  removeHistoryFile(historyPath(folder));
  await unlink(join(folder, KEY_STORE_FILE)).catch(() => undefined);
  const snapshots = join(folder, "snapshots");
  for (const name of await fileSystem.list(snapshots).catch(() => [])) {
    await fileSystem.remove(join(snapshots, name));
  }
}
