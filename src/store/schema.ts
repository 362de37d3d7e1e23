/**
 * Creates the tables and their indexes. History files are never migrated: a change of a table
 * raises `SCHEMA_VERSION`, which names the file, and a new file is filled from the journal.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Table } from "./table.ts";
import { TABLES } from "./tables.ts";

export const SCHEMA_VERSION = 10;

/** Creates the tables and the progress row in one transaction: a file has all of it or none. */
export function createHistorySchema(connection: DatabaseSync): void {
  connection.exec(schemaText());
}

function declaredTables(): readonly [string, Table][] {
  return Object.entries(TABLES);
}

/** In the file, numbers come before texts, and what may be null comes last. */
function createTable(name: string, declared: Table): string {
  const listed = Object.entries(declared.columns);
  const numbered = numberedBy(declared);
  const columns = COLUMN_ORDER.flatMap(([type, nullable]) =>
    listed
      .filter(([, is]) => is.type === type && is.nullable === nullable)
      .map(([column]) => {
        if (column === numbered) return `"${column}" integer not null primary key`;
        return `"${column}" ${type}${nullable ? "" : " not null"}`;
      }),
  );
  if (numbered !== null) return `create table "${name}" (${columns.join(", ")})`;
  const key = `constraint "${name}_key" primary key (${quoted(declared.key)})`;
  // SQLite only: stored in its primary key's tree, which saves a tree and a look-up.
  return `create table "${name}" (${[...columns, key].join(", ")}) without rowid`;
}

function createIndexes(name: string, declared: Table): readonly string[] {
  return (declared.indexes ?? []).map((indexed) => {
    const columns = quoted(storedColumns(declared, indexed));
    return `create index "${indexName(name, indexed)}" on "${name}" (${columns})`;
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/**
 * SQLite only: a whole number that is the whole key numbers the rows of the table's tree, where
 * finding the place of a row, usually the end, is cheapest. Null for other keys.
 */
function numberedBy({ columns, key }: Table): string | null {
  const [column] = key;
  const isNumber = key.length === 1 && column !== undefined && columns[column]?.type === "bigint";
  return isNumber ? column : null;
}

/** SQLite only: every index ends with the number of the row, without being told. */
function storedColumns(declared: Table, indexed: readonly string[]): string[] {
  const numbered = numberedBy(declared);
  return indexed.filter((column, i) => column !== numbered || i < indexed.length - 1);
}

const COLUMN_ORDER = [
  ["bigint", false],
  ["text", false],
  ["text", true],
] as const;

function indexName(table: string, columns: readonly string[]): string {
  return `${table}_by_${columns.join("_")}`;
}

/**
 * SQLite only: tells its planner, which never looks at the rows, that every further column of an
 * index narrows a search by a hundred. Without this it may take an index that leaves a condition to
 * be checked row by row. The statistics are of the form that `analyze` writes:
 * sqlite.org/fileformat2.html, 2.6.4.
 */
function describeIndexes(): readonly string[] {
  return declaredTables().flatMap(([name, declared]) => {
    const key = numberedBy(declared) === null ? [describeIndex(name, name, declared.key)] : [];
    const others = (declared.indexes ?? []).map((columns) => {
      return describeIndex(name, indexName(name, columns), storedColumns(declared, columns));
    });
    return [...key, ...others];
  });
}

const ASSUMED_ROWS = 10 ** 12;
const NARROWED_BY = 100;

function describeIndex(table: string, index: string, columns: readonly string[]): string {
  const rowsPerPrefix = columns.map((_, i) =>
    i === columns.length - 1 ? 1 : ASSUMED_ROWS / NARROWED_BY ** (i + 1),
  );
  const statistics = [ASSUMED_ROWS, ...rowsPerPrefix].join(" ");
  return `insert into sqlite_stat1 values ('${table}', '${index}', '${statistics}')`;
}

function firstProgress(): string {
  const columns = Object.keys(TABLES.progress.columns);
  const known: Readonly<Record<string, number>> = { id: 1, schema_version: SCHEMA_VERSION };
  const values = columns.map((column) => known[column] ?? 0);
  return `insert into "progress" (${quoted(columns)}) values (${values.join(", ")})`;
}

/** As text: to build the queries with Kysely took longer than to run them. */
function schemaText(): string {
  const tables = declaredTables().flatMap(([name, table]) => [
    createTable(name, table),
    ...createIndexes(name, table),
  ]);
  return ["begin", ...tables, "analyze", ...describeIndexes(), firstProgress(), "commit"].join(";");
}
