/** Proves the estimates of the order form on numbers that were worked out by hand. */
import assert from "node:assert/strict";
import test from "node:test";
import type { MarketRules } from "../market-rules.ts";
import {
  estimatedFee,
  feeAssetOf,
  initialMargin,
  isBeyondFunds,
  maxNotionalAt,
  NO_FUNDS,
  quantityForPercent,
} from "./order-cost.ts";
import { type Draft, EMPTY_DRAFT } from "./order-draft.ts";

const RULES: MarketRules = {
  product: "spot",
  symbol: "BTCUSDT",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  priceDecimals: 1,
  quantityDecimals: 3,
  tickSize: "0.1",
  stepSize: "0.001",
  minQuantity: "0.001",
  maxQuantity: "100",
  minNotional: "5",
  makerFeeRate: "0.0002",
  takerFeeRate: "0.0008",
  maxLeverage: 100,
  riskTiers: [],
  maxPosition: "100",
  maxMarketOpen: "100",
  isTrading: true,
};
const CONTRACT: MarketRules = { ...RULES, product: "contract" };
const RATES = { maker: "0.0002", taker: "0.0008" };
const DRAFT: Draft = { ...EMPTY_DRAFT, quantity: "0.5" };

test("fees are in what is received, on contracts in the margin asset", () => {
  assert.equal(feeAssetOf(DRAFT, RULES), "BTC");
  assert.equal(estimatedFee(DRAFT, "40000", RULES, RATES), "0.0004");
  assert.equal(feeAssetOf({ ...DRAFT, side: "SELL" }, RULES), "USDT");
  assert.equal(estimatedFee({ ...DRAFT, side: "SELL" }, "40000", RULES, RATES), "16");
  assert.equal(estimatedFee({ ...DRAFT, timeInForce: "POST_ONLY" }, "40000", CONTRACT, RATES), "4");
});

test("margin is the value over the leverage, and nothing for a close", () => {
  assert.equal(initialMargin(DRAFT, "40000", "20"), "1000");
  assert.equal(initialMargin({ ...DRAFT, closes: true }, "40000", "20"), "0");
});

test("a share of the funds is cut to the step and never costs more than there is", () => {
  const facts = { rules: RULES, rates: RATES, leverage: "1", book: null };
  const funds = { ...NO_FUNDS, base: "0.2345", quote: "1000", longSize: "0.3" };
  assert.equal(quantityForPercent(DRAFT, 100, "30000", funds, facts), "0.033");
  assert.equal(quantityForPercent({ ...DRAFT, side: "SELL" }, 50, "30000", funds, facts), "0.117");
  const contract = { rules: CONTRACT, rates: RATES, leverage: "20", book: null };
  // 1000 / (30000 / 20 + 30000 × 0.0008) = 0.6561…
  assert.equal(quantityForPercent(DRAFT, 100, "30000", funds, contract), "0.656");
  const closing = { ...DRAFT, side: "SELL", closes: true } as const;
  assert.equal(quantityForPercent(closing, 100, "30000", funds, contract), "0.3");
  assert.equal(quantityForPercent(DRAFT, 100, "0", funds, facts), "0");
});

test("more than the funds is seen before it is sent", () => {
  const facts = { rules: RULES, rates: RATES, leverage: "1", book: null };
  const funds = { ...NO_FUNDS, base: "0.5", quote: "20000", shortSize: "0.4" };
  const beyond = (change: Partial<Draft>, price: string, on = facts): boolean =>
    isBeyondFunds({ ...DRAFT, ...change }, price, funds, on);
  assert.equal(beyond({}, "40000"), false);
  assert.equal(beyond({}, "40000.1"), true);
  assert.equal(beyond({ side: "SELL" }, "90000"), false);
  assert.equal(beyond({ side: "SELL", quantity: "0.501" }, "1"), true);
  // 0.5 × 700000 / 20 is 17500, its fee 280.
  const contract = { rules: CONTRACT, rates: RATES, leverage: "20", book: null };
  assert.equal(beyond({}, "700000", contract), false);
  assert.equal(beyond({}, "790000", contract), true);
  assert.equal(beyond({ closes: true }, "1", contract), true);
  assert.equal(beyond({ closes: true, quantity: "0.4" }, "1", contract), false);
});

test("the most is bounded by leverage, market, order and book", () => {
  const riskTiers = [
    { maxNotional: "60000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "300000", maintenanceMarginRate: "0.01", maxLeverage: 20 },
  ];
  const rules = { ...CONTRACT, riskTiers, maxPosition: "8", maxMarketOpen: "1" };
  const funds = { ...NO_FUNDS, quote: "1000000", longSize: "0.5" };
  const most = (leverage: string, change: Partial<Draft> = {}): string =>
    quantityForPercent({ ...DRAFT, ...change }, 100, "30000", funds, {
      rules,
      rates: RATES,
      leverage,
      book: null,
    });
  assert.equal(maxNotionalAt("50", rules), "60000");
  assert.equal(most("50"), "1.5", "60000 / 30000 less the 0.5 that is held");
  assert.equal(most("20"), "7.5", "the position's maximum, which is below 300000 / 30000");
  assert.equal(most("20", { kind: "MARKET" }), "1", "an opening market order");
  const spot = { rules: RULES, rates: RATES, leverage: "1", book: null };
  const market = { ...DRAFT, kind: "MARKET" } as const;
  const asks = [
    ["30000", "1"],
    ["31000", "2"],
    ["40000", "9"],
  ] as const;
  const deep = (quote: string): string =>
    quantityForPercent(
      market,
      100,
      "30000",
      { ...NO_FUNDS, quote },
      { ...spot, book: { bids: [], asks } },
    );
  // All of it is paid for at the worst price that it touches.
  assert.deepEqual(["15000", "30500", "62000", "100000", "900000"].map(deep), [
    "0.5",
    "1",
    "2",
    "3",
    "12",
  ]);
  // 1000000 / (30000 × 1.002)
  assert.equal(quantityForPercent(market, 100, "30000", funds, spot), "33.266");
});
