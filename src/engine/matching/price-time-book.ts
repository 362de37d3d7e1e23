/** What a book of one market can do: the interface of both the fast book and its test oracle. */

import type { SideIndex } from "./slot.ts";

/** An exact sum of lots: a number up to 2^53 - 1, a bigint above. */
export type LotsTotal = number | bigint;

/** One price of a side with the open lots of all its orders. */
export type DepthLevel = readonly [priceTicks: number, lots: LotsTotal];

/**
 * The open orders of one market in price-time priority: better prices first, and at one price the
 * oldest order first. A slot is an order's place in the `OrderPool`. The book counts open lots,
 * `quantityLots - filledLots`.
 */
export interface PriceTimeBook {
  /** Open orders on both sides. */
  readonly orderCount: number;
  /** Grows by one with every insert, remove, reduce and shrink. */
  readonly version: number;
  /** Puts an order last at its price. Side, price and open lots are read from the pool. */
  insert(slot: number): void;
  /**
   * Takes an order out, open or filled. The slot stays allocated: releasing it is the caller's
   * part.
   */
  remove(slot: number): void;
  /**
   * A fill: adds `lots` to the order's `filledLots` and takes them off its level. The order keeps
   * its place; one that is filled whole must be removed before the next order is looked for.
   */
  reduce(slot: number, lots: number): void;
  /**
   * Reduces the quantity of an order and of its level by `lots`, less than its open lots. The order
   * keeps its place.
   */
  shrink(slot: number, lots: number): void;
  /** The best price of a side, or `NONE` when the side is empty. */
  bestPriceTicks(side: SideIndex): number;
  /** The oldest order at the best price, or `NONE`. */
  bestOrder(side: SideIndex): number;
  /** The next order in priority on the same side, or `NONE`. */
  nextOrder(slot: number): number;
  /** The open lots at one price, 0 without orders. */
  levelLots(side: SideIndex, priceTicks: number): LotsTotal;
  /** How many different prices a side has. */
  levelCount(side: SideIndex): number;
  /** At most `limit` levels of a side, best first. */
  depth(side: SideIndex, limit: number): DepthLevel[];
  /**
   * Whether the best buy is at or above the best sell. A book at rest never is: its caller matches
   * first.
   */
  isCrossed(): boolean;
  /**
   * Checks every link, order and total, in time linear in the orders; throws on the first fault.
   */
  validate(): void;
}
