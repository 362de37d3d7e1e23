/**
 * The history file of a data folder. It can always be filled anew from the journal, so a file that
 * is damaged or does not fit is removed, never repaired.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { createHistorySchema, SCHEMA_VERSION } from "./schema.ts";
import {
  type HistoryDatabase,
  isDamage,
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

/** Receives one line of text for people who run the exchange. */
export type HistoryLog = (message: string) => void;

export function historyPath(folder: string): string {
  return join(folder, `history-v${SCHEMA_VERSION}.db`);
}

/**
 * Opens the folder's history file, or creates an empty one where there is none that can be used.
 */
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
  await createHistorySchema(history.db);
  await history.db.destroy();
  return { path, appliedSequence: 0, appliedTimestampMs: 0 };
}

/**
 * `unknown`: it is there, and only opening it for writing would tell more, because it is in use or
 * was left by a crash.
 */
export type HistoryGlance =
  | { readonly kind: "missing" | "damaged" | "unknown"; readonly path: string }
  | { readonly kind: "whole"; readonly path: string; readonly appliedSequence: number };

/**
 * What a start would find, without leaving a trace: an ordinary reader would make files beside it,
 * which belong to whoever looked.
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

/** Removes the file with all that belongs to it. Nobody may have it open. */
export function removeHistoryFile(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal", ".damaged"]) {
    rmSync(`${path}${suffix}`, { force: true });
  }
}

/**
 * When `error` says that the file is damaged, leaves a mark beside it, so that the next start fills
 * a new file in place of failing again.
 */
export function markIfDamaged(path: string, error: unknown): void {
  if (!isDamage(error)) return;
  writeFileSync(`${path}.damaged`, `${String(error)}\n`, { mode: PRIVATE_FILE_MODE });
}

/** Null when the file cannot be used. */
async function inspect(path: string, log: HistoryLog): Promise<HistoryFile | null> {
  if (existsSync(`${path}.damaged`)) {
    log(`${path} was found to be damaged; it is filled anew from the journal`);
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
    log(`${path} is incomplete; it is filled anew from the journal`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    log(`${path} is damaged (${String(error)}); it is filled anew from the journal`);
  } finally {
    if (history !== null) await history.db.destroy();
    if (history?.connection.isOpen) history.connection.close();
  }
  return null;
}
