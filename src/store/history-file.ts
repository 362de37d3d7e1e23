/**
 * The history file of a data folder. It can always be rebuilt from the journal, so a damaged or
 * unsuitable file is removed, never repaired.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { createHistorySchema, SCHEMA_VERSION } from "./schema.ts";
import {
  type HistoryDatabase,
  isDamage,
  makePrivateFile,
  openHistoryDatabase,
  PRIVATE_FILE_MODE,
} from "./sqlite-database.ts";

export interface HistoryFile {
  readonly path: string;
  /** Everything up to this sequence is in the file; 0 for a new one. */
  readonly appliedSequence: number;
  /** Exchange time of that sequence. */
  readonly appliedTimestampMs: number;
}

/** Receives a line for the operator's log. */
export type HistoryLog = (message: string) => void;

export function historyPath(folder: string): string {
  return join(folder, `history-v${SCHEMA_VERSION}.db`);
}

/** Opens the folder's history file, or creates an empty one when there is no usable one. */
export async function prepareHistoryFile(folder: string, log: HistoryLog): Promise<HistoryFile> {
  const path = historyPath(folder);
  for (const name of readdirSync(folder)) {
    if (/^history-v\d+\.db$/.test(name) && join(folder, name) !== path) {
      log(`${name} belongs to another version of Rialto and is not used; it may be deleted`);
    }
  }
  const found = existsSync(path) ? await inspect(path, log) : null;
  if (found !== null) return found;
  removeHistoryFile(path);
  const history = openHistoryDatabase(path, { readOnly: false });
  createHistorySchema(history.connection);
  history.connection.close();
  return { path, appliedSequence: 0, appliedTimestampMs: 0 };
}

/**
 * `unknown`: the file is in use or was left by a crash, and only opening it for writing would tell
 * more.
 */
export type HistoryGlance =
  | { readonly kind: "missing" | "damaged" | "unknown"; readonly path: string }
  | { readonly kind: "whole"; readonly path: string; readonly appliedSequence: number };

/**
 * What a start would find, without leaving a trace: an ordinary reader would create files beside
 * it, owned by the user who looked.
 */
export function glanceAtHistory(folder: string): HistoryGlance {
  const path = historyPath(folder);
  if (existsSync(`${path}.damaged`)) return { kind: "damaged", path };
  if (!existsSync(path)) return { kind: "missing", path };
  if (existsSync(`${path}-wal`)) return { kind: "unknown", path };
  const address = pathToFileURL(path);
  address.searchParams.set("immutable", "1");
  let connection: DatabaseSync | null = null;
  try {
    connection = new DatabaseSync(address, { readOnly: true });
    const row = connection.prepare("select schema_version, applied_sequence from progress").get();
    if (row?.schema_version !== SCHEMA_VERSION) return { kind: "damaged", path };
    return { kind: "whole", path, appliedSequence: Number(row.applied_sequence) };
  } catch {
    return { kind: "damaged", path };
  } finally {
    connection?.close();
  }
}

/** Removes the file and the files beside it. It must not be open anywhere. */
export function removeHistoryFile(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal", ".damaged"]) {
    rmSync(`${path}${suffix}`, { force: true });
  }
}

/** Pages of one step of a copy: far more than a copy that has to be quick has. */
const COPIED_PAGES = 100_000;

/** A durable copy of an open history in a new file, with everything that was committed. */
export async function copyHistory({ connection }: HistoryDatabase, to: string): Promise<void> {
  makePrivateFile(to);
  await backup(connection, to, { rate: COPIED_PAGES });
}

/** Marks the file when `error` says that it is damaged: the next start then rebuilds it. */
export function markIfDamaged(path: string, error: unknown): void {
  if (!isDamage(error)) return;
  writeFileSync(`${path}.damaged`, `${String(error)}\n`, { mode: PRIVATE_FILE_MODE });
}

/** Null when the file cannot be used. */
async function inspect(path: string, log: HistoryLog): Promise<HistoryFile | null> {
  if (existsSync(`${path}.damaged`)) {
    log(`${path} was found to be damaged; it is rebuilt from the journal`);
    return null;
  }
  let history: HistoryDatabase | null = null;
  try {
    history = openHistoryDatabase(path, { readOnly: false });
    const { db, connection } = history;
    const tables = connection.prepare("select count(*) as count from sqlite_schema").get();
    const progress =
      tables?.count === 0
        ? undefined
        : await db.selectFrom("progress").selectAll().executeTakeFirst();
    if (progress?.schema_version === SCHEMA_VERSION) {
      return {
        path,
        appliedSequence: progress.applied_sequence,
        appliedTimestampMs: progress.applied_timestamp_ms,
      };
    }
    log(`${path} is incomplete; it is rebuilt from the journal`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    log(`${path} is damaged (${String(error)}); it is rebuilt from the journal`);
  } finally {
    if (history !== null) await history.db.destroy();
    if (history?.connection.isOpen) history.connection.close();
  }
  return null;
}
