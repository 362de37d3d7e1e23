/** What spot and contract markets have in common for callers: levels of the book, fractions. */
import {
  divideRoundingDown,
  formatDecimal,
  formatSteps,
  type Grid,
  RATE_SCALE,
} from "../../domain/index.ts";
import type { OrderBook } from "../matching/order-book.ts";
import { NONE, type SideIndex } from "../matching/slot.ts";

/** Any market with a book of ticks and lots. */
export interface BookedMarket {
  readonly book: OrderBook;
  readonly rules: { readonly tick: Grid; readonly step: Grid };
}

/** Price and total quantity of the best levels of a side. */
export function depthRows(
  market: BookedMarket,
  side: SideIndex,
  levels: number,
): [string, string][] {
  const { tick, step } = market.rules;
  return market.book
    .depth(side, levels)
    .map(([priceTicks, lots]) => [
      formatSteps(priceTicks, tick),
      formatDecimal(BigInt(lots) * BigInt(step.step), step.scale),
    ]);
}

/** The best level of a side; "0" and "0" when it is empty. */
export function bestLevel(market: BookedMarket, side: SideIndex): readonly [string, string] {
  if (market.book.bestOrder(side) === NONE) return ["0", "0"];
  return depthRows(market, side, 1)[0] ?? ["0", "0"];
}

/** change ÷ open as a decimal fraction, cut off after eight decimals. */
export function formatFraction(change: number, open: number): string {
  if (open === 0 || change === 0) return "0";
  const scaled = BigInt(Math.abs(change)) * 10n ** BigInt(RATE_SCALE);
  const fraction = divideRoundingDown(scaled, BigInt(open));
  return formatDecimal(change < 0 ? -fraction : fraction, RATE_SCALE);
}
