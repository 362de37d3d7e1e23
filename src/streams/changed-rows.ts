/** Rows of an account that were last sent, so that only those that differ are sent again. */

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

  forget(key: string): void {
    this.#known.delete(key);
  }
}
