/**
 * Puts orders of nobody straight into a book, spot or contract, for tests of what looks at books
 * and not at orders.
 */
import type { OrderBook } from "../../../src/engine/matching/order-book.ts";
import type { OrderPool } from "../../../src/engine/matching/order-pool.ts";
import { BUY, NONE, SELL, type SideIndex } from "../../../src/engine/matching/slot.ts";

/** Price in ticks and quantity in lots, best first. */
export type Quote = readonly [ticks: number, lots: number];

/** Order ids are of no interest to a book, but no two are the same. */
let nextOrderId = 1;

/** Replaces everything in the book. */
export function quote(
  book: OrderBook,
  pool: OrderPool,
  bids: readonly Quote[],
  asks: readonly Quote[],
): void {
  replaceSide(book, pool, BUY, bids);
  replaceSide(book, pool, SELL, asks);
}

function replaceSide(
  book: OrderBook,
  pool: OrderPool,
  side: SideIndex,
  quotes: readonly Quote[],
): void {
  for (let slot = book.bestOrder(side); slot !== NONE; slot = book.bestOrder(side)) {
    book.remove(slot);
    pool.release(slot);
  }
  for (const [priceTicks, quantityLots] of quotes) {
    const terms = { market: 0, side, timeInForce: 0, priceTicks, quantityLots, filledLots: 0 };
    const slot = pool.allocate(nextOrderId++, 1, {
      ...terms,
      makerFeeRateE8: 0,
      clientEntry: NONE,
    });
    book.insert(slot);
  }
}
