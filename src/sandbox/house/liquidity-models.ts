/** How the house quotes a market by itself: models of liquidity, in figures. */

import type { Shape } from "./liquidity-shape.ts";
import type { MarketRules } from "./market-moment.ts";
import { smallestLots, valueMinor } from "./order-batch.ts";

export const LIQUIDITY_MODELS = [
  "tight",
  "thin",
  "one-sided",
  "vanishes-on-take",
  "last-look-never",
] as const;
export type LiquidityModel = (typeof LIQUIDITY_MODELS)[number];

export const BOOK_SIDES = ["bids", "asks"] as const;
export type BookSide = (typeof BOOK_SIDES)[number];

export interface LiquidityTerms {
  readonly model: LiquidityModel;
  /** Of each level, in the quote asset. */
  readonly depth: number;
  /** From the best bid to the best ask, as a fraction of the price. */
  readonly spread: number;
  /** Where a one-sided book has its orders; null for both. */
  readonly side: BookSide | null;
}

interface Figures {
  readonly levels: number;
  readonly depth: number;
  readonly spread: number;
}

const TIGHT: Figures = { levels: 10, depth: 20_000, spread: 0.0004 };

const FIGURES: Readonly<Record<LiquidityModel, Figures>> = {
  tight: TIGHT,
  thin: { levels: 3, depth: 500, spread: 0.005 },
  "one-sided": TIGHT,
  "vanishes-on-take": TIGHT,
  "last-look-never": TIGHT,
};

/** Levels are as far apart as best bid and best ask. */
export function termsOf(
  model: LiquidityModel,
  depth: number | null,
  spread: number | null,
  side: BookSide | null,
): LiquidityTerms {
  const figures = FIGURES[model];
  return {
    model,
    depth: depth ?? figures.depth,
    spread: spread ?? figures.spread,
    side: model === "one-sided" ? (side ?? "bids") : null,
  };
}

/** The model's book in proportion to a price. */
export function modelShape(terms: LiquidityTerms, rules: MarketRules, ticks: number): Shape {
  const { depth, model, side, spread } = terms;
  const perLot = Number(valueMinor(rules, ticks, 1)) / 10 ** rules.quoteScale;
  const wanted = Math.round(depth / perLot);
  const lots = Math.min(rules.maxLots, Math.max(smallestLots(rules, ticks), wanted));
  const levels = (sign: number) =>
    Array.from({ length: FIGURES[model].levels }, (_, level) => {
      return { ratio: 1 + sign * spread * (0.5 + level), lots };
    });
  return {
    bids: side === "asks" ? [] : levels(-1),
    asks: side === "bids" ? [] : levels(1),
  };
}

/** What `price` makes where the house has no orders. */
export function tightShape(rules: MarketRules, ticks: number): Shape {
  return modelShape(termsOf("tight", null, null, null), rules, ticks);
}
