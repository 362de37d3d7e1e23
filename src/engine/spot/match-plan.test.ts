/**
 * Proves that a plan has the orders that a taker reaches, no other, and why it ends there: random
 * small books, against plans made from a sorted list of the same orders, one lot at a time.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { OrderBook } from "../matching/order-book.ts";
import { OrderPool } from "../matching/order-pool.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
import { type MatchPlan, planMatches, planNamedMatches, type Taker } from "./match-plan.ts";

const random = seededRandom("engine/spot/match-plan");
const ROUNDS = scaled(2_000);
const TAKER_UID = 1;
const SIDES: readonly SideIndex[] = [BUY, SELL];
const PREVENTIONS = ["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"] as const;

interface Resting {
  readonly slot: number;
  readonly uid: number;
  readonly priceTicks: number;
  readonly openLots: number;
}

/** Few prices, few lots, and orders of the taker among them, so that every limit is met. */
class SmallBook {
  readonly orders = new OrderPool();
  readonly book = new OrderBook(this.orders);
  readonly side: SideIndex;
  readonly resting: Resting[] = [];

  constructor(side: SideIndex) {
    this.side = side;
    for (let orderId = 1; orderId <= random.integer(0, 6); orderId++) {
      const [uid, priceTicks] = [random.integer(1, 3), random.integer(5, 8)];
      const [quantityLots, filledLots] = [random.integer(2, 5), random.integer(0, 1)];
      const terms = { market: 0, side, timeInForce: 0, priceTicks, quantityLots, filledLots };
      const rest = { makerFeeRateE8: 0, clientEntry: NONE };
      const slot = this.orders.allocate(orderId, uid, { ...terms, ...rest });
      this.book.insert(slot);
      this.resting.push({ slot, uid, priceTicks, openLots: quantityLots - filledLots });
    }
    const sign = side === SELL ? 1 : -1;
    // Stable: at one price the first stays first.
    this.resting.sort((one, other) => sign * (one.priceTicks - other.priceTicks));
  }

  /** Those that a limit of the other side accepts, best first. */
  upTo(limitTicks: number): Resting[] {
    const isBought = this.side === SELL;
    return this.resting.filter(({ priceTicks }) => {
      return isBought ? priceTicks <= limitTicks : priceTicks >= limitTicks;
    });
  }
}

class NaivePlan {
  readonly makers: [slot: number, lots: number][] = [];
  filled = 0;
  cost = 0;

  /** Lots one after the other, while they are wanted. */
  take({ slot, priceTicks, openLots }: Resting, isWanted: () => boolean): number {
    let lots = 0;
    while (lots < openLots && isWanted()) {
      lots++;
      this.filled++;
      this.cost += priceTicks;
    }
    this.makers.push([slot, lots]);
    return lots;
  }
}

function naiveEnd(plan: NaivePlan, book: SmallBook, taker: Taker): string {
  const { costTickLotsMax, limitTicks, lotsMax, selfTradePrevention } = taker;
  const spendable = costTickLotsMax === null ? Infinity : Number(costTickLotsMax);
  for (const resting of book.upTo(limitTicks)) {
    const isWanted = () => plan.filled < lotsMax && plan.cost + resting.priceTicks <= spendable;
    if (plan.filled === lotsMax) return "complete";
    if (!isWanted()) return "amount-spent";
    if (resting.uid === TAKER_UID && selfTradePrevention !== "NONE") {
      if (selfTradePrevention !== "EXPIRE_TAKER") plan.makers.push([resting.slot, 0]);
      if (selfTradePrevention !== "EXPIRE_MAKER") return "self-trade";
      continue;
    }
    const lots = plan.take(resting, isWanted);
    if (lots < resting.openLots && plan.filled < lotsMax) return "amount-spent";
  }
  if (plan.filled === lotsMax) return "complete";
  return plan.cost === spendable ? "amount-spent" : "no-match";
}

function assertSame(made: MatchPlan, naive: NaivePlan): void {
  const makers = made.makerSlots.slice(0, made.makerCount).map((slot, i) => [slot, made.lots[i]]);
  assert.deepEqual(makers, naive.makers);
  assert.deepEqual([made.filledLots, made.costTickLots], [naive.filled, BigInt(naive.cost)]);
}

test("a plan reaches what a list of the orders says", () => {
  const ends = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const side = random.pick(SIDES);
    const book = new SmallBook(side === BUY ? SELL : BUY);
    const taker: Taker = {
      uid: TAKER_UID,
      side,
      limitTicks: random.integer(4, 9),
      lotsMax: random.integer(1, 12),
      costTickLotsMax: random.chance(0.5) ? null : BigInt(random.integer(1, 60)),
      selfTradePrevention: random.pick(PREVENTIONS),
    };
    const naive = new NaivePlan();
    const end = naiveEnd(naive, book, taker);
    const made = planMatches(book, book, taker);
    assertSame(made, naive);
    assert.equal(made.end, end);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  console.log(
    `# ${ROUNDS} plans: ${[...ends].map(([end, count]) => `${end} ${count}`).join(", ")}`,
  );
  assert.equal(ends.size, 4);
});

test("a plan that names an order reaches it, users before it, and nobody else", () => {
  let reached = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const side = random.pick(SIDES);
    const book = new SmallBook(side === BUY ? SELL : BUY);
    const named = random.chance(0.2) ? NONE : (random.pick([...book.resting, null])?.slot ?? NONE);
    const [limitTicks, lotsMax] = [random.integer(4, 9), random.integer(1, 12)];
    const isReached = (uid: number): boolean => uid === 2;
    const naive = new NaivePlan();
    for (const resting of book.upTo(limitTicks)) {
      if (naive.filled === lotsMax) break;
      if (resting.slot !== named && !isReached(resting.uid)) continue;
      naive.take(resting, () => naive.filled < lotsMax);
    }
    const taker = { side, limitTicks, lotsMax, named, isReached };
    const made = planNamedMatches(book, book, taker);
    assertSame(made, naive);
    assert.equal(made.end, naive.filled === lotsMax ? "complete" : "no-match");
    reached += naive.makers.length;
  }
  console.log(`# ${ROUNDS} plans with a name reach ${reached} orders`);
  assert.ok(reached > ROUNDS / 2);
});
