/**
 * The resting orders that an order would trade with, computed before anything changes: later checks
 * (fill-or-kill, affordability) read the plan, and its execution cannot fail.
 */
import { exactProduct, type SelfTradePrevention } from "../../domain/index.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
import type { SpotMarket, State } from "../state.ts";

/** Why the walk through the book ended. */
export type PlanEnd =
  | "complete"
  /** No more orders at an acceptable price. */
  | "no-match"
  /** The rest of the quote amount buys no lot at the next price. */
  | "amount-spent"
  /** The next order is the taker's own. */
  | "self-trade";

export interface MatchPlan {
  /** Number of resting orders reached. */
  makerCount: number;
  /**
   * The first `makerCount` slots are those resting orders, in the order in which they are reached.
   */
  readonly makerSlots: number[];
  /** Lots to trade with each; 0 means that the maker expires by self-trade prevention. */
  readonly lots: number[];
  filledLots: number;
  /** Quote value of the fills in units of tick × lot. */
  costTickLots: bigint;
  end: PlanEnd;
}

export interface Taker {
  readonly uid: number;
  readonly side: SideIndex;
  /** The worst acceptable price. */
  readonly limitTicks: number;
  /** The most lots to fill. */
  readonly lotsMax: number;
  /** The most to spend, in tick × lot units; null when the quantity is in base. */
  readonly costTickLotsMax: bigint | null;
  readonly selfTradePrevention: SelfTradePrevention;
}

type Orders = Pick<State, "orders">;
type Book = Pick<SpotMarket, "book">;

/** Reused for every order: a plan is executed before the next one is made. */
const plan: MatchPlan = {
  makerCount: 0,
  makerSlots: [],
  lots: [],
  filledLots: 0,
  costTickLots: 0n,
  end: "complete",
};

/**
 * Walks the opposite side from its best price. Reads only. The plan is valid until the next call.
 */
export function planMatches({ orders }: Orders, market: Book, taker: Taker): MatchPlan {
  plan.makerCount = 0;
  plan.filledLots = 0;
  plan.costTickLots = 0n;
  plan.end = "complete";
  const { side, limitTicks, lotsMax, costTickLotsMax } = taker;
  let slot = market.book.bestOrder(side === BUY ? SELL : BUY);
  while (plan.filledLots < lotsMax) {
    // The rest of the amount buys no lot at any price.
    if (plan.costTickLots === costTickLotsMax) return ended("amount-spent");
    if (slot === NONE) return ended("no-match");
    const priceTicks = orders.priceTicks(slot);
    if (side === BUY ? priceTicks > limitTicks : priceTicks < limitTicks) {
      return ended("no-match");
    }
    let lotsWanted = lotsMax - plan.filledLots;
    if (costTickLotsMax !== null) {
      const affordable = (costTickLotsMax - plan.costTickLots) / BigInt(priceTicks);
      // An order that can no longer trade reaches no resting order, so this comes before self-trade
      // prevention.
      if (affordable === 0n) return ended("amount-spent");
      if (affordable < BigInt(lotsWanted)) lotsWanted = Number(affordable);
    }
    if (taker.selfTradePrevention !== "NONE" && orders.uid(slot) === taker.uid) {
      if (taker.selfTradePrevention !== "EXPIRE_TAKER") meet(slot, 0);
      if (taker.selfTradePrevention !== "EXPIRE_MAKER") return ended("self-trade");
    } else {
      const restingLots = orders.openLots(slot);
      const lots = Math.min(restingLots, lotsWanted);
      meet(slot, lots);
      plan.filledLots += lots;
      plan.costTickLots += exactProduct(priceTicks, lots);
      if (lots < restingLots && plan.filledLots < lotsMax) return ended("amount-spent");
    }
    slot = market.book.nextOrder(slot);
  }
  return plan;
}

/** An execution that names the resting order, and reaches others only in its place. */
export interface NamedTaker extends Pick<Taker, "side" | "limitTicks" | "lotsMax"> {
  /** Slot of the named order; -1 when it is gone. */
  readonly named: number;
  /** Whether an order of this user is reached, too. */
  readonly isReached: (uid: number) => boolean;
}

/** Like `planMatches`, and passes over all other orders. */
export function planNamedMatches(
  { orders }: Orders,
  market: Book,
  { side, limitTicks, lotsMax, named, isReached }: NamedTaker,
): MatchPlan {
  plan.makerCount = 0;
  plan.filledLots = 0;
  plan.costTickLots = 0n;
  let slot = market.book.bestOrder(side === BUY ? SELL : BUY);
  while (slot !== NONE && plan.filledLots < lotsMax) {
    const priceTicks = orders.priceTicks(slot);
    if (side === BUY ? priceTicks > limitTicks : priceTicks < limitTicks) break;
    if (slot === named || isReached(orders.uid(slot))) {
      const lots = Math.min(orders.openLots(slot), lotsMax - plan.filledLots);
      meet(slot, lots);
      plan.filledLots += lots;
      plan.costTickLots += exactProduct(priceTicks, lots);
    }
    slot = market.book.nextOrder(slot);
  }
  return ended(plan.filledLots === lotsMax ? "complete" : "no-match");
}

function meet(makerSlot: number, lots: number): void {
  plan.makerSlots[plan.makerCount] = makerSlot;
  plan.lots[plan.makerCount] = lots;
  plan.makerCount++;
}

function ended(end: PlanEnd): MatchPlan {
  plan.end = end;
  return plan;
}
