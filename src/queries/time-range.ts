/** Time ranges of questions, and as bounds that a query can always compare with. */

/** Inclusive at both ends; null is open. */
export interface TimeRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** An open end becomes a bound that no time lies beyond, so that every question has one shape. */
export function rangeBounds(range: TimeRange): readonly [fromMs: number, toMs: number] {
  return [range.fromMs ?? 0, range.toMs ?? Number.MAX_SAFE_INTEGER];
}
