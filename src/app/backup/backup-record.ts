/**
 * `backup-….json` in the data folder, one for each target: where and when its last backup was made,
 * so that whoever checks the deployment sees its age. Only for people: a backup needs none.
 */
import { hash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../../keys/private-file.ts";

/** Earlier versions had one for all targets. */
const NAME = /^backup(-[0-9a-f]{16})?\.json$/;
const NAME_DIGITS = 16;
/** Long enough for its alarm to be heard; then it is taken for one that is not wanted any more. */
const FORGOTTEN_MS = 7 * 24 * 3_600_000;

export interface BackupRecord {
  readonly target: string;
  readonly sequence: number;
  /** The wall clock when it was asked for. */
  readonly madeMs: number;
}

/** A folder that cannot be written keeps what it has: a disk that fails is to be backed up too. */
export function writeBackupRecord(dataFolder: string, record: BackupRecord): void {
  const own = `backup-${hash("sha256", record.target).slice(0, NAME_DIGITS)}.json`;
  try {
    writePrivateFile(join(dataFolder, own), `${JSON.stringify(record)}\n`);
    for (const name of namesIn(dataFolder)) {
      const other = name === own ? null : readRecord(dataFolder, name);
      if (other === null) continue;
      const isOld = record.madeMs - other.madeMs > FORGOTTEN_MS;
      if (isOld || other.target === record.target) rmSync(join(dataFolder, name), { force: true });
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** One for each target, the newest first. */
export function readBackupRecords(dataFolder: string): readonly BackupRecord[] {
  const newest = new Map<string, BackupRecord>();
  for (const name of namesIn(dataFolder)) {
    const record = readRecord(dataFolder, name);
    if (record === null) continue;
    const known = newest.get(record.target);
    if (known === undefined || known.madeMs < record.madeMs) newest.set(record.target, record);
  }
  return [...newest.values()].sort((one, other) => other.madeMs - one.madeMs);
}

function namesIn(dataFolder: string): readonly string[] {
  try {
    return readdirSync(dataFolder).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}

/** Null when the file says nothing. */
function readRecord(dataFolder: string, name: string): BackupRecord | null {
  try {
    const { target, sequence, madeMs } = JSON.parse(readFileSync(join(dataFolder, name), "utf8"));
    const isWhole = [sequence, madeMs].every(Number.isSafeInteger) && typeof target === "string";
    return isWhole ? { target, sequence, madeMs } : null;
  } catch {
    return null;
  }
}
