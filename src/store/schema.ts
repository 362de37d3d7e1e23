/**
 * Creates the tables and their indexes. History files are never migrated: a change of a table
 * raises `SCHEMA_VERSION`, which names the file, and a new file is filled from the journal.
 */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Table } from "./table.ts";
import { type HistoryTables, TABLES } from "./tables.ts";

export const SCHEMA_VERSION = 6;

/** Creates the tables and the progress row in one transaction: a file has all of it or none. */
export async function createHistorySchema(db: Kysely<HistoryTables>): Promise<void> {
  const nothingApplied = Object.keys(TABLES.progress.columns).map((column) => [column, 0]);
  await db.transaction().execute(async (transaction) => {
    for (const [name, table] of declaredTables()) await createTable(transaction, name, table);
    await describeIndexes(transaction);
    await transaction
      .insertInto("progress")
      .values({ ...Object.fromEntries(nothingApplied), id: 1, schema_version: SCHEMA_VERSION })
      .execute();
  });
}

function declaredTables(): readonly [string, Table][] {
  return Object.entries(TABLES);
}

/** In the file, numbers come before texts, and what may be null comes last. */
async function createTable(
  db: Kysely<HistoryTables>,
  name: string,
  { columns, key, indexes = [] }: Table,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  const listed = Object.entries(columns);
  for (const [type, nullable] of COLUMN_ORDER) {
    for (const [column, is] of listed) {
      if (is.type !== type || is.nullable !== nullable) continue;
      table = table.addColumn(column, type, (made) => (nullable ? made : made.notNull()));
    }
  }
  table = table.addPrimaryKeyConstraint(`${name}_key`, [...key]);
  await clusteredByKey(table).execute();
  for (const indexed of indexes) {
    const index = db.schema.createIndex(indexName(name, indexed)).on(name);
    await index.columns([...indexed]).execute();
  }
}

const COLUMN_ORDER = [
  ["bigint", false],
  ["text", false],
  ["text", true],
] as const;

function indexName(table: string, columns: readonly string[]): string {
  return `${table}_by_${columns.join("_")}`;
}

/** SQLite only: the table is stored in its primary key's tree, which saves a tree and a look-up. */
function clusteredByKey(table: CreateTableBuilder<string, string>) {
  return table.modifyEnd(sql`without rowid`);
}

/**
 * SQLite only: tells its planner, which never looks at the rows, that every further column of an
 * index narrows a search by a hundred. Without this it may take an index that leaves a condition to
 * be checked row by row. The statistics are of the form that `analyze` writes:
 * sqlite.org/fileformat2.html, 2.6.4.
 */
async function describeIndexes(db: Kysely<HistoryTables>): Promise<void> {
  await sql`analyze`.execute(db);
  for (const [name, { key, indexes = [] }] of declaredTables()) {
    await describeIndex(db, name, name, key);
    for (const columns of indexes) {
      await describeIndex(db, name, indexName(name, columns), columns);
    }
  }
}

const ASSUMED_ROWS = 10 ** 12;
const NARROWED_BY = 100;

async function describeIndex(
  db: Kysely<HistoryTables>,
  table: string,
  index: string,
  columns: readonly string[],
): Promise<void> {
  const rowsPerPrefix = columns.map((_, i) =>
    i === columns.length - 1 ? 1 : ASSUMED_ROWS / NARROWED_BY ** (i + 1),
  );
  const statistics = [ASSUMED_ROWS, ...rowsPerPrefix].join(" ");
  await sql`insert into sqlite_stat1 values (${table}, ${index}, ${statistics})`.execute(db);
}
