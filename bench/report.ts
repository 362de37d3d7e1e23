/** The result of a benchmark: figures with units, and ratios measured within one run. */

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** A comparison, or what was kept constant. */
  readonly note?: string;
}

export function formatTable(rows: readonly BenchRow[]): string {
  const cells = rows.map(({ name, value, unit, note = "" }) => [
    name,
    value.toLocaleString("en-US", { maximumFractionDigits: 3 }),
    unit,
    note,
  ]);
  const widths = [0, 1, 2].map((column) =>
    Math.max(...cells.map((row) => (row[column] as string).length)),
  );
  return cells
    .map(([name, value, unit, note]) =>
      [
        (name as string).padEnd(widths[0] as number),
        (value as string).padStart(widths[1] as number),
        (unit as string).padEnd(widths[2] as number),
        note,
      ]
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
