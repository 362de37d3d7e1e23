/** What an order for some money would pay on average on a side of a book. */
import { ONE, type Ratio } from "./rounding.ts";

export interface NaiveQuote {
  readonly price: bigint;
  readonly quantity: bigint;
  readonly filled: bigint;
}

/** The average price for a notional on a side of a book; null without the depth. */
export function impactPrice(side: readonly NaiveQuote[], notional: bigint): Ratio | null {
  // Quantities here are quote × 10^18 / price: kept as one fraction of base, n/d.
  let left = notional;
  let whole = 0n;
  for (const order of side) {
    const quantity = order.quantity - order.filled;
    const value = (order.price * quantity) / ONE;
    if (left <= value) {
      // base = whole + left × ONE / price; average = notional × ONE / base.
      return { n: notional * ONE * order.price, d: whole * order.price + left * ONE };
    }
    whole += quantity;
    left -= value;
  }
  return null;
}
