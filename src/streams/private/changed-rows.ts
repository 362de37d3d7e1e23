/**
 * Rows of an account that were last sent, so that only changed ones are sent again.
 *
 * A row that an event touched is always sent: a client may have queried it in between, and could
 * not know otherwise that it has returned to its old value.
 */
export class ChangedRows {
  readonly #known = new Map<string, string>();

  /** The rows that clients know without an update. */
  remember(rows: ReadonlyMap<string, object>): void {
    for (const [key, row] of rows) this.#known.set(key, JSON.stringify(row));
  }

  /** The new or changed rows, which are remembered. */
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

  /** The next version of a forgotten row is always sent. */
  forget(key: string): void {
    this.#known.delete(key);
  }

  forgetAll(): void {
    this.#known.clear();
  }
}
