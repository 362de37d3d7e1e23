/** Time ranges and pages of questions. */

/** Inclusive at both ends; null is open. */
export interface TimeRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** An open end becomes a bound that no time lies beyond, so that every query has one shape. */
export function rangeBounds(range: TimeRange): readonly [fromMs: number, toMs: number] {
  return [range.fromMs ?? 0, range.toMs ?? Number.MAX_SAFE_INTEGER];
}

/** Counted from 1. */
export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}
