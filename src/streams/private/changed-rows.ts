/**
 * Rows of an account that were last sent, so that only those that differ are sent again.
 *
 * A row that something has happened to is sent in any case: a client may have asked for it in
 * between, and would not know otherwise that it is what it was before.
 */
export class ChangedRows {
  readonly #known = new Map<string, string>();

  /** The rows as clients know them without being told. */
  remember(rows: ReadonlyMap<string, object>): void {
    for (const [key, row] of rows) this.#known.set(key, JSON.stringify(row));
  }

  /** Those that are new or differ, which are remembered. */
  differing(rows: ReadonlyMap<string, object>): object[] {
    const changed: object[] = [];
    for (const [key, row] of rows) {
      const text = JSON.stringify(row);
      if (this.#known.get(key) === text) continue;
      this.#known.set(key, text);
      changed.push(row);
    }
    return changed;
  }

  /** Of the row that is not known any more the next one is sent. */
  forget(key: string): void {
    this.#known.delete(key);
  }

  forgetAll(): void {
    this.#known.clear();
  }
}
