/**
 * Rows that are numbered from 1 in the order of their times: a range of time is a range of numbers,
 * found in as many look-ups as the count has binary digits; a total is a subtraction, and a page a
 * range again, at any depth.
 */
import type { Page } from "./page.ts";
import { rangeBounds, type TimeRange } from "./time-range.ts";

/** Empty when `last` is less than `first`. */
export interface OrdinalRange {
  readonly first: number;
  readonly last: number;
}

/** What a search needs to know of the rows. */
export interface NumberedRows {
  /** How many there are. */
  readonly count: number;
  readonly timeOf: (ordinal: number) => Promise<number>;
}

export async function ordinalsIn(rows: NumberedRows, time: TimeRange): Promise<OrdinalRange> {
  const [fromMs, toMs] = rangeBounds(time);
  if (fromMs > toMs) return { first: 1, last: 0 };
  const last = time.toMs === null ? rows.count : await countBefore(rows, toMs + 1);
  const before = time.fromMs === null ? 0 : await countBefore({ ...rows, count: last }, fromMs);
  return { first: before + 1, last };
}

export function totalOf({ first, last }: OrdinalRange): number {
  return Math.max(0, last - first + 1);
}

/** The numbers of a page, counted from the newest row. */
export function pageOf({ first, last }: OrdinalRange, { page, pageSize }: Page): OrdinalRange {
  const lastOfPage = last - (page - 1) * pageSize;
  return { first: Math.max(first, lastOfPage - pageSize + 1), last: lastOfPage };
}

/** How many rows happened before a time. */
async function countBefore({ count, timeOf }: NumberedRows, timeMs: number): Promise<number> {
  if (count === 0 || (await timeOf(count)) < timeMs) return count;
  let known = 0;
  let beyond = count;
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if ((await timeOf(middle)) < timeMs) known = middle;
    else beyond = middle;
  }
  return known;
}
