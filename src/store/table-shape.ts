/** How a table is made, for `schema.ts`. */

/** `bigint` columns are listed by name, all others are text; the first list is the primary key. */
export interface TableShape {
  readonly key: readonly string[];
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly nullableTexts?: readonly string[];
  readonly indexes?: readonly (readonly string[])[];
}
