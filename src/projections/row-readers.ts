/** Reads rows back by a key, through statements that Kysely compiled once. */
import type { SQLInputValue } from "node:sqlite";
import type { HistoryDatabase, Row, TableName } from "../store/index.ts";

type ColumnOf<Name extends TableName> = keyof Row<Name> & string;
type Values<Name extends TableName, Key extends readonly ColumnOf<Name>[]> = {
  [I in keyof Key]: Row<Name>[Key[I]];
};

export class RowReaders {
  readonly #history: HistoryDatabase;

  constructor(history: HistoryDatabase) {
    this.#history = history;
  }

  /** The row with this key; of several the one with the highest `newestBy`. */
  row<Name extends TableName, const Key extends readonly ColumnOf<Name>[]>(
    table: Name,
    key: Key,
    newestBy?: ColumnOf<Name>,
  ): (...values: Values<Name, Key>) => Row<Name> | undefined {
    const read = this.#compile(table, key, newestBy, null);
    return (...values) => read(values) as Row<Name> | undefined;
  }

  /** The highest number of a column among the rows with this key; 0 without any. */
  last<Name extends TableName, const Key extends readonly ColumnOf<Name>[]>(
    table: Name,
    key: Key,
    column: ColumnOf<Name>,
  ): (...values: Values<Name, Key>) => number {
    const read = this.#compile(table, key, column, column);
    return (...values) => Number(read(values)?.[column] ?? 0);
  }

  /** Every row of one of the small tables. */
  all<Name extends TableName>(table: Name): readonly Row<Name>[] {
    const { db, connection } = this.#history;
    const query = db.selectFrom(table as "assets").selectAll();
    return connection.prepare(query.compile().sql).all() as unknown as Row<Name>[];
  }

  #compile(
    table: TableName,
    key: readonly string[],
    newestBy: string | undefined,
    column: string | null,
  ): (values: readonly unknown[]) => Record<string, unknown> | undefined {
    const { db, connection } = this.#history;
    // One table stands for all: the compiled query has the same form.
    let query = db.selectFrom(table as "assets").limit(1);
    for (const name of key) query = query.where(name as "asset", "=", "");
    if (newestBy !== undefined) query = query.orderBy(newestBy as "asset", "desc");
    const columns = column === null ? query.selectAll() : query.select(column as "asset");
    const statement = connection.prepare(columns.compile().sql);
    return (values) => statement.get(...(values as readonly SQLInputValue[]), 1);
  }
}
