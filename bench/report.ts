/** The result of a benchmark: figures with units, ratios measured within one run, and targets. */
import { judge, TARGETS, type Target, type TargetId } from "./targets.ts";

export interface BenchRow {
  readonly name: string;
  /** Null for what could not be measured here; the note says why. */
  readonly value: number | null;
  readonly unit: string;
  /** A comparison, or what was kept constant. */
  readonly note?: string;
  /** The promise that this figure keeps or breaks. */
  readonly target?: TargetId;
}

/** The row of a target, with its own name and unit. */
export function targetRow(id: TargetId, value: number | null, note = ""): BenchRow {
  const { what, unit } = TARGETS[id];
  return { name: what, value, unit, note, target: id };
}

export function formatTable(rows: readonly BenchRow[]): string {
  return alignColumns(
    rows.map(({ name, value, unit, note = "", target }) => {
      const verdict = target === undefined || value === null ? "" : judge(TARGETS[target], value);
      return [name, formatNumber(value), unit, [verdict, note].filter(Boolean).join("; ")];
    }),
  );
}

/** Every target, measured in this run or not. */
export function formatTargets(rows: readonly BenchRow[]): string {
  const lines = Object.entries<Target>(TARGETS).map(([id, target]) => {
    const row = rows.find((candidate) => candidate.target === id);
    const value = row?.value ?? null;
    const verdict = value === null ? (row?.note ?? "not run") : judge(target, value);
    const { what, unit, floor, aim = null } = target;
    return [what, formatNumber(value), unit, formatNumber(floor), formatNumber(aim), verdict];
  });
  return alignColumns([["target", "measured", "unit", "floor", "aim", ""], ...lines]);
}

function formatNumber(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

const IS_NUMBER = /^[\d–]|^(measured|floor|aim)$/;

/** Numbers to the right, texts to the left; the last column ends where its text does. */
function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] as string).length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          if (column === line.length - 1) return cell;
          const width = widths[column] as number;
          return column > 0 && IS_NUMBER.test(cell) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
