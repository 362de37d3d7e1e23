/** Declares a table once, for its rows in TypeScript and its columns and indexes in SQLite. */

export interface Column<Value> {
  readonly type: "bigint" | "text";
  readonly nullable: boolean;
  /** For the compiler only; never set. */
  readonly value?: Value;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

export interface Table<C extends Columns = Columns, Name extends string = string> {
  readonly columns: C;
  /** The primary key. A user's rows begin with the user, so that they lie together. */
  readonly key: readonly Name[];
  /** Named by their columns. Each serves one combination of filters of a query. */
  readonly indexes?: readonly (readonly Name[])[];
}

/** A row of the table. */
export type RowOf<T extends Table> = {
  [Name in keyof T["columns"]]: T["columns"][Name] extends Column<infer Value> ? Value : never;
};

/** Checks that the key and the indexes name columns of the table. */
export function table<C extends Columns>(declared: Table<C, keyof C & string>): Table<C> {
  return declared;
}

export function integer(): Column<number> {
  return { type: "bigint", nullable: false };
}

export function text<Value extends string = string>(): Column<Value> {
  return { type: "text", nullable: false };
}

export function nullableText<Value extends string = string>(): Column<Value | null> {
  return { type: "text", nullable: true };
}
