/**
 * The average price of trading a notional against one side of a book, spot or contract. Premium,
 * mark and index use it because moving it takes money; moving the best price takes none.
 */
import { exactProduct } from "../../../domain/index.ts";
import type { OrderBook } from "../../matching/order-book.ts";
import type { OrderPool } from "../../matching/order-pool.ts";
import { BUY, NONE, SELL, type SideIndex } from "../../matching/slot.ts";

/** A price in ticks as a fraction. */
export interface ImpactPrice {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export interface ImpactBook {
  readonly book: OrderBook;
  readonly orders: OrderPool;
  /** Quote minor units of one lot at one tick. */
  readonly minorPerTickLot: bigint;
  /** In quote minor units. */
  readonly notionalMinor: bigint;
}

/** The widest spread at which a book counts as a price: a fiftieth of its middle. */
const SPREAD_DIVISOR = 50n;

/**
 * Average price of trading the notional against a side; null without the depth. Best first, whole
 * orders add their lots; of the last one only as much as is left of the notional.
 */
export function impactPrice(of: ImpactBook, side: SideIndex): ImpactPrice | null {
  const { book, orders, minorPerTickLot, notionalMinor } = of;
  let lots = 0n;
  let leftMinor = notionalMinor;
  for (let slot = book.bestOrder(side); slot !== NONE; slot = book.nextOrder(slot)) {
    const ticks = orders.priceTicks(slot);
    const openLots = orders.openLots(slot);
    const valueMinor = exactProduct(ticks, openLots) * minorPerTickLot;
    if (leftMinor <= valueMinor) {
      const price = BigInt(ticks);
      const denominator = lots * price * minorPerTickLot + leftMinor;
      return { numerator: notionalMinor * price, denominator };
    }
    lots += BigInt(openLots);
    leftMinor -= valueMinor;
  }
  return null;
}

/**
 * Impact bid + impact ask; null without the depth on both sides, and with a spread between the two
 * of more than a fiftieth of their middle. An order far from the market costs nothing to leave
 * there: behind a side that is thinner than the notional it would move the average by any amount.
 */
export function impactSum(of: ImpactBook): ImpactPrice | null {
  const bid = impactPrice(of, BUY);
  if (bid === null) return null;
  const ask = impactPrice(of, SELL);
  if (ask === null) return null;
  const bidPart = bid.numerator * ask.denominator;
  const askPart = ask.numerator * bid.denominator;
  const numerator = bidPart + askPart;
  // The spread is at most half of the sum, the middle, over the divisor.
  if ((askPart - bidPart) * 2n * SPREAD_DIVISOR > numerator) return null;
  return { numerator, denominator: bid.denominator * ask.denominator };
}
