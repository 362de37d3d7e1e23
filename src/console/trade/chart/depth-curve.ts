/**
 * What a depth chart shows: how much could be traded down to a price. The sums are exact; floats
 * are for the place on the canvas.
 */
import { formatDecimal } from "../../../domain/index.ts";
import { type BookScale, type Level, unitsOf } from "../book/book-rows.ts";

export interface DepthPoint {
  readonly price: string;
  /** Quantity at this price and all better ones, and what it is worth in the quote asset. */
  readonly quantity: string;
  readonly value: string;
  readonly x: number;
  readonly y: number;
}

/** Of levels from the best price on. */
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

/** Both sides as wide as the longer one; null while there is not a level on each. */
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

/** A book of one price is not drawn wider than this part of it. */
const MIDDLE_PARTS_MAX = 10_000;

/** The worst level that is reached at a price; undefined between the sides. */
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

/** How far a price is from the middle, in percent with two decimals: for a label alone. */
export function distanceOf(price: string, { middle }: DepthRange): string {
  const percent = ((Number(price) - middle) / middle) * 100;
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(2)}%`;
}

/** A round number of the axis: 1, 2 or 5 times a power of ten, not more than `most`. */
export function roundStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const factor = most / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}
