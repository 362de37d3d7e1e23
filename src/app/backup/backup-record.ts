/**
 * `backup.json` in the data folder: where and when the last backup was made, so that whoever checks
 * the deployment sees its age. Only for people: a backup is whole without it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../../keys/private-file.ts";

const FILE = "backup.json";

export interface BackupRecord {
  readonly target: string;
  readonly sequence: number;
  /** The wall clock when it was asked for. */
  readonly madeMs: number;
}

/** A folder that cannot be written keeps what it has: a disk that fails is to be backed up too. */
export function writeBackupRecord(dataFolder: string, record: BackupRecord): void {
  try {
    writePrivateFile(join(dataFolder, FILE), `${JSON.stringify(record)}\n`);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** Null when there was none, or the file says nothing. */
export function readBackupRecord(dataFolder: string): BackupRecord | null {
  try {
    const { target, sequence, madeMs } = JSON.parse(readFileSync(join(dataFolder, FILE), "utf8"));
    const isWhole = [sequence, madeMs].every(Number.isSafeInteger) && typeof target === "string";
    return isWhole ? { target, sequence, madeMs } : null;
  } catch {
    return null;
  }
}
