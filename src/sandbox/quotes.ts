/**
 * One market's quotes: which of the maker's orders to cancel and which to place so that a ladder of
 * orders surrounds a price. Pure: takes the open orders and returns the changes.
 */
import type { Side } from "../domain/index.ts";
import type { SeededRandom } from "./random.ts";

/** Orders per side. */
export const LADDER_LEVELS = 12;
/** Distance of the best quote from the price, and between levels, as fractions of the price. */
const HALF_SPREAD = 0.0002;
const LEVEL_GAP = 0.0004;
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
  side: Side,
  price: number,
  skew: number,
  open: readonly Open[],
  changesMax: number,
  random: SeededRandom,
): QuoteChanges<Open> {
  const sign = side === "BUY" ? -1 : 1;
  const centre = price * (1 + sign * skew * LEVEL_GAP);
  const distanceOf = (order: OpenQuote): number => (sign * (Number(order.price) - centre)) / centre;
  const own = open
    .filter((order) => order.side === side)
    .sort((one, other) => distanceOf(one) - distanceOf(other));
  const stale = own.filter((order) => distanceOf(order) < HALF_SPREAD * STALE_SHARE);
  const good = own.filter((order) => !stale.includes(order));
  const surplus = good.slice(LADDER_LEVELS);
  const cancel = [...stale, ...surplus].slice(0, changesMax);

  const place: Quote[] = [];
  for (let level = 0; level < LADDER_LEVELS; level++) {
    if (cancel.length + place.length >= changesMax) break;
    const distance = HALF_SPREAD + level * LEVEL_GAP;
    const taken = good.some((order) => Math.abs(distanceOf(order) - distance) < LEVEL_GAP * 0.55);
    if (taken) continue;
    const jitter = (random.next() - 0.5) * LEVEL_GAP * 0.6;
    const notional = market.orderNotional * (0.4 + random.next() * 1.2) * (1 + level * 0.25);
    const quotePrice = centre * (1 + sign * (distance + Math.max(jitter, -HALF_SPREAD / 2)));
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
