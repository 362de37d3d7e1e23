/**
 * The shape of a book: how far its levels are from the price, as ratios, so that a book moves along
 * with a price.
 */
import type { BookLevels, Level, MarketMoment, MarketRules, OwnOrder } from "./market-moment.ts";
import { smallestLots } from "./order-batch.ts";

interface ShapeLevel {
  /** Price ÷ middle. */
  readonly ratio: number;
  readonly lots: number;
}

export interface Shape {
  readonly bids: readonly ShapeLevel[];
  readonly asks: readonly ShapeLevel[];
}

/** Of the house's orders; null where it has none. */
export function shapeOf({ own, lastTicks, bandTicks }: MarketMoment): Shape | null {
  if (own.length === 0) return null;
  const middle = middleOf(own) ?? (lastTicks || bandTicks);
  const levels = (side: "BUY" | "SELL") =>
    own
      .filter((order) => order.side === side)
      .map(({ ticks, lots }) => ({ ratio: ticks / middle, lots }));
  return { bids: levels("BUY"), asks: levels("SELL") };
}

function middleOf(own: readonly OwnOrder[]): number | null {
  const bids = own.filter(({ side }) => side === "BUY").map(({ ticks }) => ticks);
  const asks = own.filter(({ side }) => side === "SELL").map(({ ticks }) => ticks);
  const bid = bids.length === 0 ? null : Math.max(...bids);
  const ask = asks.length === 0 ? null : Math.min(...asks);
  if (bid !== null && ask !== null) return (bid + ask) / 2;
  // A book of one side stays as far from the price as its best order is from it: not at all.
  return bid ?? ask;
}

/** The book of this shape around a price, at least a tick away from it. */
export function bookAround(shape: Shape, ticks: number, rules: MarketRules): BookLevels {
  const bids = shape.bids.map(({ ratio, lots }) => {
    return { ticks: Math.min(ticks - 1, Math.round(ratio * ticks)), lots };
  });
  const asks = shape.asks.map(({ ratio, lots }) => {
    return { ticks: Math.max(ticks + 1, Math.round(ratio * ticks)), lots };
  });
  return {
    bids: merged(bids, rules).sort((one, other) => other.ticks - one.ticks),
    asks: merged(asks, rules).sort((one, other) => one.ticks - other.ticks),
  };
}

/** Levels that round to one price are one, of a size that the market takes. */
function merged(levels: readonly Level[], rules: MarketRules): Level[] {
  const lotsAt = new Map<number, number>();
  for (const { ticks, lots } of levels) {
    if (ticks >= 1) lotsAt.set(ticks, (lotsAt.get(ticks) ?? 0) + lots);
  }
  return [...lotsAt].map(([ticks, lots]) => {
    return { ticks, lots: Math.min(rules.maxLots, Math.max(lots, smallestLots(rules, ticks))) };
  });
}
