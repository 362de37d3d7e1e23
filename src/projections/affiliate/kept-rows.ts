/**
 * Rows that change with almost every event, such as running sums: they are read once, changed in
 * memory, and written when the transaction ends.
 */

/** Beyond this all are forgotten at the end of a transaction, and read again when needed. */
const KEPT_MAX = 50_000;

export class KeptRows<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #changed = new Map<string, Row>();
  readonly #write: (row: Row) => void;

  constructor(write: (row: Row) => void) {
    this.#write = write;
  }

  /** The row as it is now; `read` finds it in the file when it is not in memory. */
  get(key: string, read: () => Row | undefined): Row | undefined {
    const kept = this.#rows.get(key);
    if (kept !== undefined) return kept;
    const row = read();
    if (row !== undefined) this.#rows.set(key, row);
    return row;
  }

  set(key: string, row: Row): void {
    this.#rows.set(key, row);
    this.#changed.set(key, row);
  }

  /** A new row takes the place of the last one of the same kind, which is written first. */
  follow(key: string, row: Row): void {
    const last = this.#changed.get(key);
    if (last !== undefined) this.#write(last);
    this.set(key, row);
  }

  flush(): void {
    for (const row of this.#changed.values()) this.#write(row);
    this.#changed.clear();
    if (this.#rows.size > KEPT_MAX) this.#rows.clear();
  }
}
