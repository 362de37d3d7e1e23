/**
 * Writes rows through statements that Kysely compiled once: building a query for every row would
 * cost several times the insertion itself.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Kysely } from "kysely";
import type { HistoryTables, TableName } from "./tables.ts";

/** Where projections put their rows. */
export interface RowSink {
  insert<Name extends TableName>(table: Name, row: HistoryTables[Name]): void;
  /** Replaces the row with the same key, if there is one. */
  upsert<Name extends TableName>(
    table: Name,
    key: readonly (keyof HistoryTables[Name] & string)[],
    row: HistoryTables[Name],
  ): void;
  /** Removes the row with this key, if there is one. */
  remove<Name extends TableName>(table: Name, key: Partial<HistoryTables[Name]>): void;
}

interface Prepared {
  readonly columns: readonly string[];
  readonly statement: StatementSync;
}

export class RowWriter implements RowSink {
  readonly #db: Kysely<HistoryTables>;
  readonly #connection: DatabaseSync;
  readonly #inserts = new Map<TableName, Prepared>();
  readonly #upserts = new Map<TableName, Prepared>();
  readonly #removals = new Map<TableName, Prepared>();

  constructor(db: Kysely<HistoryTables>, connection: DatabaseSync) {
    this.#db = db;
    this.#connection = connection;
  }

  insert<Name extends TableName>(table: Name, row: HistoryTables[Name]): void {
    let prepared = this.#inserts.get(table);
    if (prepared === undefined) {
      prepared = this.#prepare(table, row, null);
      this.#inserts.set(table, prepared);
    }
    run(prepared, row);
  }

  upsert<Name extends TableName>(
    table: Name,
    key: readonly (keyof HistoryTables[Name] & string)[],
    row: HistoryTables[Name],
  ): void {
    let prepared = this.#upserts.get(table);
    if (prepared === undefined) {
      prepared = this.#prepare(table, row, key);
      this.#upserts.set(table, prepared);
    }
    run(prepared, row);
  }

  remove<Name extends TableName>(table: Name, key: Partial<HistoryTables[Name]>): void {
    let prepared = this.#removals.get(table);
    if (prepared === undefined) {
      const columns = Object.keys(key);
      // One of the tables stands for all: what is compiled is the same for each.
      const rows = this.#db.deleteFrom(table as "assets");
      const query = rows.where((is) => is.and(key as Partial<HistoryTables["assets"]>));
      prepared = { columns, statement: this.#connection.prepare(query.compile().sql) };
      this.#removals.set(table, prepared);
    }
    run(prepared, key);
  }

  #prepare(table: TableName, row: object, key: readonly string[] | null): Prepared {
    const columns = Object.keys(row);
    let query = this.#db.insertInto(table).values(row as never);
    if (key !== null) {
      const changed = columns.filter((column) => !key.includes(column));
      query = query.onConflict((conflict) =>
        conflict
          .columns(key as never)
          .doUpdateSet((columnOf) =>
            Object.fromEntries(
              changed.map((column) => [column, columnOf.ref(`excluded.${column}` as never)]),
            ),
          ),
      );
    }
    return { columns, statement: this.#connection.prepare(query.compile().sql) };
  }
}

function run({ columns, statement }: Prepared, row: object): void {
  const values = new Array<SQLInputValue>(columns.length);
  for (let i = 0; i < columns.length; i++) {
    values[i] = (row as Record<string, SQLInputValue>)[columns[i] as string] as SQLInputValue;
  }
  statement.run(...values);
}
