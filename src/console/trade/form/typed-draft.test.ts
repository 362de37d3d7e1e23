/** Proves that sizes and exits in other units become the order they stand for, and back again. */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../../test/support/random.ts";
import type { MarketRules } from "../market-rules.ts";
import { costOf, type OrderFacts } from "./order-cost.ts";
import { EMPTY_TYPED, exitTextOf, quantityOf, resolveDraft, sizeOf } from "./typed-draft.ts";

const RULES: MarketRules = {
  product: "contract",
  symbol: "BTCUSDT",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  priceDecimals: 1,
  quantityDecimals: 4,
  tickSize: "0.1",
  stepSize: "0.0001",
  minQuantity: "0.0001",
  maxQuantity: "100",
  minNotional: "0",
  makerFeeRate: "0.0002",
  takerFeeRate: "0.0008",
  maxLeverage: 100,
  riskTiers: [],
  maxPosition: "100",
  maxMarketOpen: "100",
  isTrading: true,
};
const FACTS: OrderFacts = {
  rules: RULES,
  rates: { maker: "0.0002", taker: "0.0008" },
  leverage: "20",
  book: null,
};

test("a value and a cost are cut to the step, never beyond what was typed", () => {
  assert.equal(quantityOf("1000", "QUOTE", "40000", FACTS), "0.025");
  assert.equal(quantityOf("999.99", "QUOTE", "40000", FACTS), "0.0249");
  // 40000 / 20 + 40000 × 0.0008 is 2032 for one.
  assert.equal(quantityOf("203.2", "COST", "40000", FACTS), "0.1");
  assert.equal(quantityOf("203.19", "COST", "40000", FACTS), "0.0999");
  assert.equal(quantityOf("10", "QUOTE", "0", FACTS), "", "no price, no quantity");
  assert.equal(quantityOf("x", "COST", "40000", FACTS), "");
});

test("every quantity survives the way to another unit and back", () => {
  const random = seededRandom("typed sizes");
  for (let i = 0; i < 500; i++) {
    const price = (random.integer(1, 2_000_000) / 10).toFixed(1).replace(/\.0$/, "");
    const quantity = sizeOf(String(random.integer(1, 900_000) / 10_000), "BASE", price, FACTS);
    for (const unit of ["QUOTE", "COST"] as const) {
      const size = sizeOf(quantity, unit, price, FACTS);
      assert.equal(quantityOf(size, unit, price, FACTS), quantity, `${unit} at ${price}`);
    }
  }
});

test("the cost that is typed is the cost that is shown", () => {
  const typed = { ...EMPTY_TYPED, quantity: "203.2", sizeUnit: "COST" } as const;
  assert.equal(costOf(resolveDraft(typed, "40000", FACTS), "40000", FACTS), "203.2");
});

test("exits by percent and by return on margin are prices on the side that they belong to", () => {
  const long = { ...EMPTY_TYPED, takeProfit: "5", stopLoss: "2.5" };
  const exits = (change: object): [string, string] => {
    const { takeProfit, stopLoss } = resolveDraft({ ...long, ...change }, "40000", FACTS);
    return [takeProfit, stopLoss];
  };
  assert.deepEqual(exits({ exitUnit: "PERCENT" }), ["42000", "39000"]);
  assert.deepEqual(exits({ exitUnit: "PERCENT", side: "SELL" }), ["38000", "41000"]);
  // 5 % of the margin is 0.25 % of the price at 20×.
  assert.deepEqual(exits({ exitUnit: "ROI" }), ["40100", "39950"]);
  assert.deepEqual(exits({}), ["5", "2.5"]);
  assert.deepEqual(exits({ exitUnit: "PERCENT", stopLoss: "150" }), ["42000", "0"]);
  assert.equal(exitTextOf("42000", "PERCENT", "40000", FACTS), "5");
  assert.equal(exitTextOf("39950", "ROI", "40000", FACTS), "2.5");
  assert.equal(exitTextOf("", "ROI", "40000", FACTS), "");
});
