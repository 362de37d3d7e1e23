/**
 * Creates the tables and their indexes. History files are never migrated: a change of a table
 * raises `SCHEMA_VERSION`, which names the file, and a new file is filled from the journal.
 */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Table } from "./table.ts";
import { type HistoryTables, TABLES } from "./tables.ts";

export const SCHEMA_VERSION = 7;

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
  declared: Table,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  const listed = Object.entries(declared.columns);
  const numbered = numberedBy(declared);
  for (const [type, nullable] of COLUMN_ORDER) {
    for (const [column, is] of listed) {
      if (is.type !== type || is.nullable !== nullable) continue;
      table =
        column === numbered
          ? table.addColumn(column, "integer", (made) => made.notNull().primaryKey())
          : table.addColumn(column, type, (made) => (nullable ? made : made.notNull()));
    }
  }
  if (numbered === null) {
    table = clusteredByKey(table.addPrimaryKeyConstraint(`${name}_key`, [...declared.key]));
  }
  await table.execute();
  for (const indexed of declared.indexes ?? []) {
    const index = db.schema.createIndex(indexName(name, indexed)).on(name);
    await index.columns(storedColumns(declared, indexed)).execute();
  }
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
  for (const [name, declared] of declaredTables()) {
    if (numberedBy(declared) === null) await describeIndex(db, name, name, declared.key);
    for (const columns of declared.indexes ?? []) {
      const stored = storedColumns(declared, columns);
      await describeIndex(db, name, indexName(name, columns), stored);
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
