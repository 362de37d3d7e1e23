/** Answers with the version of a book, which the naive exchange does not count. */

export interface Versioned {
  readonly symbol: string;
  readonly bookVersion: number;
}

function isVersioned(row: unknown): row is Versioned {
  return typeof row === "object" && row !== null && "bookVersion" in row;
}

/** An answer without versions of the book, and its last row with one. */
export function splitVersions(value: unknown): {
  readonly value: unknown;
  readonly last: Versioned | null;
} {
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  const plain = rows.map((row) => {
    if (!isVersioned(row)) return row;
    const { bookVersion: _, ...rest } = row;
    return rest;
  });
  const last = rows.findLast(isVersioned) ?? null;
  return { value: Array.isArray(value) ? plain : plain[0], last };
}
