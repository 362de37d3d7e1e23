/**
 * Depth chart data: cumulative quantity by price. Sums are exact; floats are for canvas positions.
 */
import { formatDecimal } from "../../../domain/index.ts";
import { type BookScale, type Level, unitsOf } from "../book/book-rows.ts";

export interface DepthPoint {
  readonly price: string;
  /** Cumulative quantity down to this price, and its value in the quote asset. */
  readonly quantity: string;
  readonly value: string;
  readonly x: number;
  readonly y: number;
}

/** `levels` are sorted from the best price. */
export function depthCurve(
  levels: readonly Level[],
  { priceDecimals, quantityDecimals }: BookScale,
): DepthPoint[] {
  let total = 0n;
  let worth = 0n;
  return levels.map(([price, quantity]) => {
    const units = unitsOf(quantity, quantityDecimals);
    total += units;
    worth += units * unitsOf(price, priceDecimals);
    const sum = formatDecimal(total, quantityDecimals);
    const value = formatDecimal(worth, priceDecimals + quantityDecimals);
    return { price, quantity: sum, value, x: Number(price), y: Number(sum) };
  });
}

export interface DepthRange {
  readonly middle: number;
  /** From the middle to either edge. */
  readonly half: number;
  /** The highest sum inside. */
  readonly most: number;
}

/** Both sides as wide as the longer one; null if a side is empty. */
export function depthRange(
  bids: readonly DepthPoint[],
  asks: readonly DepthPoint[],
): DepthRange | null {
  const [bid, ask, lowest, highest] = [bids[0], asks[0], bids.at(-1), asks.at(-1)];
  if (!bid || !ask || !lowest || !highest) return null;
  const middle = (bid.x + ask.x) / 2;
  const half = Math.max(middle - lowest.x, highest.x - middle, middle / MIDDLE_PARTS_MAX);
  return { middle, half, most: Math.max(lowest.y, highest.y) };
}

/** Limits the zoom on a book with one price. */
const MIDDLE_PARTS_MAX = 10_000;

/** The worst level reached at a price; undefined inside the spread. */
export function reachedAt(
  bids: readonly DepthPoint[],
  asks: readonly DepthPoint[],
  x: number,
): { readonly side: "bids" | "asks"; readonly point: DepthPoint } | undefined {
  const bid = bids.findLast((point) => point.x >= x);
  if (bid !== undefined) return { side: "bids", point: bid };
  const ask = asks.findLast((point) => point.x <= x);
  return ask === undefined ? undefined : { side: "asks", point: ask };
}

/** Distance from the mid price in percent, for a label. */
export function distanceOf(price: string, { middle }: DepthRange): string {
  const percent = ((Number(price) - middle) / middle) * 100;
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(2)}%`;
}

/** A round axis step: 1, 2 or 5 times a power of ten, at most `most`. */
export function roundStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const factor = most / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}
