/**
 * Writes rows through statements that Kysely compiled once: building a query for each row would
 * cost several times the insertion.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Kysely } from "kysely";
import { type HistoryTables, type Row, TABLES, type TableName } from "./tables.ts";

/** Where projections put their rows. */
export interface RowSink {
  insert<Name extends TableName>(table: Name, row: Row<Name>): void;
  /** Replaces the row with the same primary key, if there is one. */
  upsert<Name extends TableName>(table: Name, row: Row<Name>): void;
  /** Removes the row with this key, if there is one. */
  remove<Name extends TableName>(table: Name, key: Partial<Row<Name>>): void;
}

type Operation = keyof RowSink;

type WriteRow = (statement: StatementSync, row: object) => void;

interface Prepared {
  readonly statement: StatementSync;
  readonly write: WriteRow;
}

export class RowWriter implements RowSink {
  readonly #db: Kysely<HistoryTables>;
  readonly #connection: DatabaseSync;
  readonly #prepared: Record<Operation, Map<TableName, Prepared>> = {
    insert: new Map(),
    upsert: new Map(),
    remove: new Map(),
  };

  constructor(db: Kysely<HistoryTables>, connection: DatabaseSync) {
    this.#db = db;
    this.#connection = connection;
  }

  insert<Name extends TableName>(table: Name, row: Row<Name>): void {
    this.#run("insert", table, row);
  }

  upsert<Name extends TableName>(table: Name, row: Row<Name>): void {
    this.#run("upsert", table, row);
  }

  remove<Name extends TableName>(table: Name, key: Partial<Row<Name>>): void {
    this.#run("remove", table, key);
  }

  #run(operation: Operation, table: TableName, row: object): void {
    const known = this.#prepared[operation];
    let prepared = known.get(table);
    if (prepared === undefined) {
      const statement = this.#connection.prepare(this.#compile(operation, table, row));
      prepared = { statement, write: compileWrite(Object.keys(row)) };
      known.set(table, prepared);
    }
    prepared.write(prepared.statement, row);
  }

  #compile(operation: Operation, table: TableName, row: object): string {
    if (operation === "remove") {
      // One table stands for all: the compiled query has the same form.
      const rows = this.#db.deleteFrom(table as "assets");
      return rows.where((is) => is.and(row as Partial<Row<"assets">>)).compile().sql;
    }
    const inserted = this.#db.insertInto(table).values(row as never);
    if (operation === "insert") return inserted.compile().sql;
    const key: readonly string[] = TABLES[table].key;
    const replaced = Object.keys(row).filter((column) => !key.includes(column));
    return inserted
      .onConflict((conflict) =>
        conflict
          .columns(key as never)
          .doUpdateSet((of) =>
            Object.fromEntries(
              replaced.map((column) => [column, of.ref(`excluded.${column}` as never)]),
            ),
          ),
      )
      .compile().sql;
  }
}

/** One call with the columns as its arguments: an array of them would cost as much as binding. */
function compileWrite(columns: readonly string[]): WriteRow {
  const values = columns.map((column) => `row.${column}`).join(", ");
  return new Function("statement", "row", `statement.run(${values});`) as WriteRow;
}
