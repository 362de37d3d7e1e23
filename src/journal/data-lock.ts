/**
 * One process per data folder: an exclusive transaction held open on `lock.db`. The operating
 * system drops it with the process, so that a crash never leaves a stale lock behind.
 */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface DataFolderLock {
  readonly ok: true;
  readonly folder: string;
  /** For an orderly stop; the system releases the lock of a process that dies. */
  release(): void;
}

export interface DataFolderBusy {
  readonly ok: false;
  /** Another holder, or a folder that cannot be used at all. */
  readonly kind: "held" | "unusable";
  readonly message: string;
}

const SQLITE_BUSY = 5;

/** Keeps held locks from being garbage-collected, which would release them. */
const HELD = new Set<DatabaseSync>();

/** Creates a missing folder. Busy when another process, or another holder in this one, has it. */
export function lockDataFolder(folder: string): DataFolderLock | DataFolderBusy {
  let database: DatabaseSync;
  try {
    makeFolder(resolve(folder));
    const path = join(folder, "lock.db");
    makePrivateFile(path);
    database = new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    return unusable(folder, error);
  }
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) return unusable(folder, error);
    const message =
      `the data folder ${folder} is in use by another process: stop that one, ` +
      "or start this one with another --data-dir";
    return { ok: false, kind: "held", message };
  }
  HELD.add(database);
  const release = () => {
    if (HELD.delete(database)) database.close();
  };
  return { ok: true, folder, release };
}

function unusable(folder: string, error: unknown): DataFolderBusy {
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    `the data folder ${folder} cannot be used (${reason}): ` +
    "make it writable, or choose another --data-dir";
  return { ok: false, kind: "unusable", message };
}

/**
 * Creates the folder and its parents, one by one: Node's recursive `mkdir` hangs on file systems
 * that refuse a new folder with "no such file", as `/proc` does.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  mkdirSync(path, { mode: 0o700 });
}

/**
 * SQLite would create the file with the mode of the umask, and copies that mode to its journal. An
 * existing file is not opened: closing it would release the lock that this process may hold on it.
 */
function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
