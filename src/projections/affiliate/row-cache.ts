/**
 * A write-back cache of rows that change with almost every event, such as running sums: read once,
 * changed in memory, written when the transaction ends.
 */

/** Above this the cache is cleared at the end of a transaction. */
const ROWS_MAX = 50_000;

export class RowCache<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #dirty = new Map<string, Row>();
  readonly #write: (row: Row) => void;

  constructor(write: (row: Row) => void) {
    this.#write = write;
  }

  /** The current row; `read` finds it in the file when it is not cached. */
  get(key: string, read: () => Row | undefined): Row | undefined {
    const kept = this.#rows.get(key);
    if (kept !== undefined) return kept;
    const row = read();
    if (row !== undefined) this.#rows.set(key, row);
    return row;
  }

  set(key: string, row: Row): void {
    this.#rows.set(key, row);
    this.#dirty.set(key, row);
  }

  /** Replaces the cached row by the next one of its series, after writing it. */
  follow(key: string, row: Row): void {
    const last = this.#dirty.get(key);
    if (last !== undefined) this.#write(last);
    this.set(key, row);
  }

  flush(): void {
    for (const row of this.#dirty.values()) this.#write(row);
    this.#dirty.clear();
    if (this.#rows.size > ROWS_MAX) this.#rows.clear();
  }
}
