/**
 * One market's quotes: which of the maker's orders to cancel and which to place so that a ladder of
 * orders surrounds a price. Pure: takes the open orders and returns the changes.
 */
import type { Side } from "../domain/index.ts";
import type { SeededRandom } from "./random.ts";

/** How a side's orders are spread over prices; distances are fractions of the price. */
export interface Ladder {
  /** Orders per side. */
  readonly levels: number;
  /** Of the best quote from the price. */
  readonly halfSpread: number;
  /** From one level to the next; a tick at least. */
  readonly gap: number;
  /** What each level adds to the gap behind it. */
  readonly gapGrowth: number;
  /** What each level adds to the size of orders, as a share of the first. */
  readonly sizeGrowth: number;
}

/** Live: as tight as a venue's main pairs, and 1% deep. */
export const FINE_LADDER: Ladder = {
  levels: 40,
  halfSpread: 0.00001,
  gap: 0.00003,
  gapGrowth: 0.00001,
  sizeGrowth: 0.08,
};
/** In history, where prices move further from one step to the next: few orders survive a step. */
export const COARSE_LADDER: Ladder = {
  levels: 12,
  halfSpread: 0.0002,
  gap: 0.0004,
  gapGrowth: 0,
  sizeGrowth: 0.25,
};
/** What an inventory at its limit adds to the distance. */
const SKEW_DISTANCE = 0.0004;
/** An order closer to the price than this share of the half spread is stale. */
const STALE_SHARE = 0.4;

/** The market rules that determine its quotes. */
export interface QuotedMarket {
  readonly tickSize: string;
  readonly stepSize: string;
  /** Quote value of a typical order. */
  readonly orderNotional: number;
}

/** The fields of an open order that determine whether it stays. */
export interface OpenQuote {
  readonly side: Side;
  readonly price: string;
}

export interface Quote {
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
}

export interface QuoteChanges<Open extends OpenQuote> {
  readonly cancel: readonly Open[];
  readonly place: readonly Quote[];
}

/**
 * At most `changesMax` changes for one side: first stale orders are cancelled, then the ladder is
 * filled from the best level on, then orders beyond its length are cancelled. `skew` moves the side
 * away from the price when the maker already holds too much of what it would receive.
 */
export function changeQuotes<Open extends OpenQuote>(
  market: QuotedMarket,
  ladder: Ladder,
  side: Side,
  price: number,
  skew: number,
  open: readonly Open[],
  changesMax: number,
  random: SeededRandom,
): QuoteChanges<Open> {
  const { levels, sizeGrowth } = ladder;
  const sign = side === "BUY" ? -1 : 1;
  const centre = price * (1 + sign * skew * SKEW_DISTANCE);
  const tick = Number(market.tickSize) / price;
  // Both best quotes on one tick would be rejected.
  const halfSpread = Math.max(ladder.halfSpread, tick * 0.6);
  const firstGap = Math.max(ladder.gap, tick);
  const distanceOf = (order: OpenQuote): number => (sign * (Number(order.price) - centre)) / centre;
  const own = open
    .filter((order) => order.side === side)
    .sort((one, other) => distanceOf(one) - distanceOf(other));
  const stale = own.filter((order) => distanceOf(order) < halfSpread * STALE_SHARE);
  const good = own.filter((order) => !stale.includes(order));
  const surplus = good.slice(levels);
  const cancel = [...stale, ...surplus].slice(0, changesMax);

  const place: Quote[] = [];
  let distance = halfSpread;
  for (let level = 0; level < levels; level++) {
    if (cancel.length + place.length >= changesMax) break;
    const gap = firstGap + level * ladder.gapGrowth;
    const target = distance;
    distance += gap;
    if (good.some((order) => Math.abs(distanceOf(order) - target) < gap * 0.55)) continue;
    const jitter = (random.next() - 0.5) * gap * 0.6;
    const notional = market.orderNotional * (0.4 + random.next() * 1.2) * (1 + level * sizeGrowth);
    const quotePrice = centre * (1 + sign * (target + Math.max(jitter, -halfSpread / 2)));
    place.push({
      side,
      price: onGrid(quotePrice, market.tickSize),
      quantity: onGrid(notional / quotePrice, market.stepSize),
    });
  }
  return { cancel, place };
}

/** The nearest multiple of a step, at least one step, as decimal text. */
export function onGrid(value: number, step: string): string {
  const decimals = step.includes(".") ? step.length - step.indexOf(".") - 1 : 0;
  const steps = Math.max(1, Math.round(value / Number(step)));
  return (steps * Number(step)).toFixed(decimals);
}
