/**
 * Goal: whatever happens to prices and rows, the index hands out the reached row with the lowest
 * id, and none that is not reached now. Method: random rows of every type in two markets, next to a
 * plain list that is searched in full and works with fractions; trailing stops see every last
 * price, also ones that nobody looks at. Then the boundaries, one by one.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { EXAMPLE_RULES, TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import { Random, scaled, seededRandom } from "../../../../test/support/random.ts";
import { ALGO_ORDER_TYPES, SIDES, WORKING_TYPES } from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";
import { symbolAccountOf } from "../contract-state.ts";
import { setContractMarket } from "../markets.ts";
import {
  type ConditionalOrder,
  type ContractMarket,
  LONG,
  type SymbolAccount,
} from "../state/contract-market.ts";
import { TriggerIndex, triggerLevelTicks } from "./trigger-index.ts";

const seed = seededRandom("index of conditional orders").seed;

const fixture = new TradingFixture();
const { user } = fixture.addUser(1, "0").account;
const MARKETS = [fixture.market, otherMarket()] as const;
const OWNERS = MARKETS.map((market) => symbolAccountOf(fixture.state, user, market));

function otherMarket(): ContractMarket {
  const listed = setContractMarket(fixture.context, { ...EXAMPLE_RULES, symbol: "OTHERUSDT" });
  assert.ok(listed.ok);
  return fixture.state.contract.markets[1] as ContractMarket;
}

function row(
  owner: SymbolAccount,
  algoId: number,
  terms: Partial<ConditionalOrder>,
): ConditionalOrder {
  return {
    algoId,
    owner,
    clientAlgoId: `c-${algoId}`,
    clientEntry: NONE,
    orderType: "STOP_MARKET",
    side: "SELL",
    positionSide: LONG,
    quantityLots: 1,
    closePosition: false,
    reduceOnly: true,
    status: "UNTRIGGERED",
    parentOrderId: 0,
    actualOrderId: 0,
    triggerTicks: 0,
    priceTicks: 0,
    workingType: "CONTRACT_PRICE",
    takeProfit: null,
    stopLoss: null,
    callbackRateE8: 0,
    activationTicks: 0,
    extremeTicks: 0,
    createdMs: 0,
    updatedMs: 0,
    triggeredMs: 0,
    heapItem: NONE,
    ...terms,
  };
}

/** What a row does, said without the index: its best price is kept apart from the row's. */
class Watched {
  readonly order: ConditionalOrder;
  extreme = 0;

  constructor(order: ConditionalOrder) {
    this.order = order;
    this.see();
  }

  see(): void {
    const { side, orderType, activationTicks, owner } = this.order;
    const { lastTicks } = owner.market;
    if (orderType !== "TRAILING_STOP_MARKET" || lastTicks === 0) return;
    const hasBegun =
      activationTicks === 0 ||
      (side === "SELL" ? lastTicks >= activationTicks : lastTicks <= activationTicks);
    if (this.extreme === 0) this.extreme = hasBegun ? lastTicks : 0;
    else if (side === "SELL") this.extreme = Math.max(this.extreme, lastTicks);
    else this.extreme = Math.min(this.extreme, lastTicks);
  }

  isReached(): boolean {
    const { side, orderType, workingType, owner, triggerTicks, callbackRateE8 } = this.order;
    const { lastTicks, mark } = owner.market;
    if (owner.market.state !== "trading") return false;
    if (orderType === "TRAILING_STOP_MARKET") {
      if (this.extreme === 0) return false;
      // Prices are small here: what is at most the exact level is at most the rounded one.
      const exact = BigInt(this.extreme) * BigInt(1e8);
      const turn = BigInt(this.extreme) * BigInt(callbackRateE8);
      const last = BigInt(lastTicks) * BigInt(1e8);
      return side === "SELL" ? last <= exact - turn : last >= exact + turn;
    }
    const ticks = workingType === "MARK_PRICE" ? mark.ticks : lastTicks;
    if (ticks === 0) return false;
    const isStop = orderType.startsWith("STOP");
    if (side === "BUY") return isStop ? ticks >= triggerTicks : ticks <= triggerTicks;
    return isStop ? ticks <= triggerTicks : ticks >= triggerTicks;
  }
}

function randomRow(random: Random, algoId: number): ConditionalOrder {
  const owner = random.pick(OWNERS);
  const orderType = random.pick(ALGO_ORDER_TYPES);
  const isTrailing = orderType === "TRAILING_STOP_MARKET";
  return row(owner, algoId, {
    orderType,
    side: random.pick(SIDES),
    workingType: isTrailing ? "CONTRACT_PRICE" : random.pick(WORKING_TYPES),
    triggerTicks: isTrailing ? 0 : random.integer(900, 1100),
    callbackRateE8: isTrailing ? random.integer(100_000, 10_000_000) : 0,
    activationTicks: isTrailing && random.chance(0.5) ? random.integer(900, 1100) : 0,
  });
}

function movePrice(random: Random, market: ContractMarket, index: TriggerIndex): void {
  if (random.chance(0.5)) {
    market.mark.ticks = random.integer(900, 1100);
    index.markChanged(market);
  } else {
    market.lastTicks = random.integer(900, 1100);
    index.lastPriceChanged(market);
  }
}

test("hands out what a full search finds", () => {
  const random = new Random(seed);
  const index = new TriggerIndex();
  const watched = new Map<number, Watched>();
  let handedOut = 0;
  for (let step = 1; step <= scaled(6000); step++) {
    const action = random.next();
    if (action < 0.35) {
      const order = randomRow(random, step);
      index.add(order);
      index.watch(order);
      watched.set(step, new Watched(order));
    } else if (action < 0.75) {
      const market = random.pick(MARKETS);
      movePrice(random, market, index);
      for (const one of watched.values()) if (one.order.owner.market === market) one.see();
    } else if (action < 0.8) {
      random.pick(MARKETS).state = random.pick(["trading", "trading", "halted"]);
    } else if (action < 0.9 && watched.size > 0) {
      const { order } = random.pick([...watched.values()]);
      index.remove(order);
      watched.delete(order.algoId);
    } else {
      // A few looks, not as many as it takes: the rest is looked at after other prices.
      for (let look = random.integer(1, 4); look > 0; look--) {
        const reached = [...watched.values()].filter((one) => one.isReached());
        const lowest = Math.min(...reached.map(({ order }) => order.algoId));
        assert.equal(index.takeReached()?.algoId ?? Number.POSITIVE_INFINITY, lowest);
        const taken = watched.get(lowest)?.order;
        if (taken === undefined) break;
        handedOut++;
        taken.status = "PENDING";
        index.validate();
        index.remove(taken);
        watched.delete(lowest);
      }
    }
    if (step % 50 === 0) index.validate();
    for (const { order, extreme } of watched.values()) assert.equal(order.extremeTicks, extreme);
  }
  for (const market of MARKETS) market.state = "trading";
  assert.ok(handedOut > 0);
});

/** Adds a row to an index of its own, and tells at which of the prices it is reached. */
function reachedAt(terms: Partial<ConditionalOrder>, prices: readonly number[]): number[] {
  const [market] = MARKETS;
  market.lastTicks = 0;
  market.mark.ticks = 0;
  const index = new TriggerIndex();
  const order = row(OWNERS[0] as SymbolAccount, 1, terms);
  index.add(order);
  index.watch(order);
  return prices.filter((ticks) => {
    if (terms.workingType === "MARK_PRICE") market.mark.ticks = ticks;
    else market.lastTicks = ticks;
    index.lastPriceChanged(market);
    index.markChanged(market);
    return index.peekReached() !== null;
  });
}

test("a touch is enough, on the side that the type waits for", () => {
  const prices = [102, 101, 100, 99, 98];
  for (const workingType of WORKING_TYPES) {
    const at = (
      orderType: ConditionalOrder["orderType"],
      side: ConditionalOrder["side"],
    ): number[] => reachedAt({ orderType, side, triggerTicks: 100, workingType }, prices);
    for (const stop of ["STOP", "STOP_MARKET"] as const) {
      assert.deepEqual(at(stop, "BUY"), [102, 101, 100]);
      assert.deepEqual(at(stop, "SELL"), [100, 99, 98]);
    }
    for (const takeProfit of ["TAKE_PROFIT", "TAKE_PROFIT_MARKET"] as const) {
      assert.deepEqual(at(takeProfit, "BUY"), [100, 99, 98]);
      assert.deepEqual(at(takeProfit, "SELL"), [102, 101, 100]);
    }
  }
});

test("a row looks at its own price alone, and at none before there is one", () => {
  const [market] = MARKETS;
  market.lastTicks = 0;
  market.mark.ticks = 0;
  const index = new TriggerIndex();
  const order = row(OWNERS[0] as SymbolAccount, 1, { triggerTicks: 100 });
  index.add(order);
  index.watch(order);
  assert.equal(index.takeReached(), null);
  market.mark.ticks = 90;
  index.markChanged(market);
  assert.equal(index.takeReached(), null);
  market.lastTicks = 100;
  index.lastPriceChanged(market);
  assert.equal(index.takeReached(), order);
  assert.equal(index.takeReached(), null);
});

test("the level of a trailing stop is rounded away from the market", () => {
  const trailing = { orderType: "TRAILING_STOP_MARKET", callbackRateE8: 1_000_000 } as const;
  // One percent of 1050 is 10.5 ticks.
  const sell = { ...trailing, side: "SELL" } as const;
  assert.deepEqual(reachedAt(sell, [1000, 1050, 1040, 1039]), [1039]);
  const buy = { ...trailing, side: "BUY" } as const;
  assert.deepEqual(reachedAt(buy, [1100, 1050, 1060, 1061]), [1061]);
  const extremeTicks = 1050;
  const owner = OWNERS[0] as SymbolAccount;
  assert.equal(triggerLevelTicks(row(owner, 1, { ...sell, extremeTicks })), 1039);
  assert.equal(triggerLevelTicks(row(owner, 1, { ...buy, extremeTicks })), 1061);
  assert.equal(triggerLevelTicks(row(owner, 1, sell)), 0);
});

test("the level is exact however high the price", () => {
  const random = new Random(seed + 1);
  const owner = OWNERS[0] as SymbolAccount;
  for (let i = 0; i < scaled(2000); i++) {
    const extremeTicks = Math.floor(2 ** (random.next() * 45)) + random.integer(1, 9);
    const callbackRateE8 = random.integer(100_000, 10_000_000);
    const terms = { orderType: "TRAILING_STOP_MARKET", extremeTicks, callbackRateE8 } as const;
    const level = (side: "BUY" | "SELL") => triggerLevelTicks(row(owner, 1, { ...terms, side }));
    const one = 100_000_000n;
    const [low, high] = [BigInt(level("SELL")), BigInt(level("BUY"))];
    const exactLow = BigInt(extremeTicks) * (one - BigInt(callbackRateE8));
    const exactHigh = BigInt(extremeTicks) * (one + BigInt(callbackRateE8));
    assert.ok(low * one <= exactLow && exactLow < (low + 1n) * one);
    assert.ok(high * one >= exactHigh && exactHigh > (high - 1n) * one);
  }
});

test("a trailing stop follows from its activation on", () => {
  const trailing = {
    orderType: "TRAILING_STOP_MARKET",
    side: "SELL",
    callbackRateE8: 10_000_000,
    activationTicks: 1000,
  } as const;
  assert.deepEqual(reachedAt(trailing, [999, 800, 1000, 901, 900]), [900]);
  assert.deepEqual(reachedAt(trailing, [999, 800, 700]), []);
});

test("a reached row that is not any more waits again, and the next one is handed out", () => {
  const [market] = MARKETS;
  market.lastTicks = 100;
  market.mark.ticks = 0;
  const index = new TriggerIndex();
  const owner = OWNERS[0] as SymbolAccount;
  const [first, second] = [
    row(owner, 1, { triggerTicks: 90 }),
    row(owner, 2, { triggerTicks: 95 }),
  ];
  for (const order of [first, second]) {
    index.add(order);
    index.watch(order);
  }
  market.lastTicks = 90;
  index.lastPriceChanged(market);
  assert.equal(index.peekReached(), first);
  market.lastTicks = 95;
  index.lastPriceChanged(market);
  assert.equal(index.takeReached(), second);
  assert.equal(index.takeReached(), null);
  market.lastTicks = 90;
  index.lastPriceChanged(market);
  assert.equal(index.takeReached(), first);
});
