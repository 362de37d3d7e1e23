/**
 * Kysely over node:sqlite. Only this file, `schema.ts` and `row-writer.ts` know that it is SQLite.
 */
import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import type { HistoryTables } from "./tables.ts";

/** Prepared statements are cached by their text; queries have few shapes, this bounds a mistake. */
const STATEMENTS_MAX = 500;
const READER_CACHE_KIB = 32 * 1024;
const WRITER_CACHE_KIB = 128 * 1024;
/**
 * 4 MiB at a time: on the disk the journal's sync waits for what a checkpoint writes, and 32 MiB
 * delayed every order by 15 ms.
 */
const CHECKPOINT_PAGES = 1_000;
const LOG_BYTES_KEPT = 64 * 1024 * 1024;
const BUSY_WAIT_MS = 5_000;
export const PRIVATE_FILE_MODE = 0o600;
const SQLITE_FULL = 13;
const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;

export interface HistoryDatabase {
  readonly db: Kysely<HistoryTables>;
  /** The same connection, for the writer, which reuses prepared statements. */
  readonly connection: DatabaseSync;
}

export interface OpenOptions {
  readonly readOnly: boolean;
  /** Sees every query that Kysely runs; the tests explain their plans. */
  readonly onQuery?: (sql: string, parameters: readonly unknown[]) => void;
}

/**
 * Opens a history file. Its write-ahead log is not synced at every commit: after a power cut the
 * file is whole but may be behind, and the journal holds the rest.
 */
export function openHistoryDatabase(path: string, options: OpenOptions): HistoryDatabase {
  if (!options.readOnly) makePrivateFile(path);
  const connection = new DatabaseSync(path, {
    readOnly: options.readOnly,
    timeout: BUSY_WAIT_MS,
    enableForeignKeyConstraints: false,
  });
  if (options.readOnly) {
    connection.exec(`pragma cache_size = -${READER_CACHE_KIB}`);
  } else {
    connection.exec("pragma journal_mode = wal");
    connection.exec("pragma synchronous = normal");
    connection.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    connection.exec(`pragma journal_size_limit = ${LOG_BYTES_KEPT}`);
    connection.exec(`pragma cache_size = -${WRITER_CACHE_KIB}`);
  }
  const { onQuery } = options;
  const db = new Kysely<HistoryTables>({
    dialect: new SqliteDialect({ database: statementSource(connection) }),
    ...(onQuery && { log: ({ query }) => onQuery(query.sql, query.parameters) }),
  });
  return { db, connection };
}

/**
 * SQLite would create the file with the mode of the umask, and copies that mode to the files beside
 * it. An existing file is not opened: closing it would release this process's locks on it.
 */
export function makePrivateFile(path: string): void {
  if (path !== ":memory:" && !existsSync(path)) closeSync(openSync(path, "a", PRIVATE_FILE_MODE));
}

/** What Kysely's SQLite dialect expects of a database. */
function statementSource(connection: DatabaseSync) {
  const statements = new Map<string, ReturnType<typeof kyselyStatement>>();
  return {
    prepare(sql: string) {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      if (statements.size >= STATEMENTS_MAX) statements.clear();
      const statement = kyselyStatement(connection.prepare(sql));
      statements.set(sql, statement);
      return statement;
    },
    close(): void {
      connection.close();
    },
  };
}

function kyselyStatement(statement: StatementSync) {
  const bind = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...bind(parameters)),
    run: (parameters: readonly unknown[]) => statement.run(...bind(parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...bind(parameters)),
  };
}

/** The file itself is damaged: retrying does not help, it must be rebuilt. */
export function isDamage(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE;
}

/** The disk has no room for what was written. */
export function isDatabaseFull(error: unknown): boolean {
  return primaryCodeOf(error) === SQLITE_FULL;
}

/** Null when it is no error of SQLite. */
function primaryCodeOf(error: unknown): number | null {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : null;
}
