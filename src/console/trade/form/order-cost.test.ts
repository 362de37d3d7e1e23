/** Proves the estimates of the order form on numbers that were worked out by hand. */
import assert from "node:assert/strict";
import test from "node:test";
import type { MarketRules } from "../market-rules.ts";
import {
  estimatedFee,
  estimatedLiquidation,
  feeAssetOf,
  initialMargin,
  isBeyondFunds,
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
  isTrading: true,
};
const CONTRACT: MarketRules = { ...RULES, product: "contract" };
const RATES = { maker: "0.0002", taker: "0.0008" };
const DRAFT: Draft = { ...EMPTY_DRAFT, quantity: "0.5" };
const TIERS = [
  { maxNotional: "50000", maintenanceMarginRate: "0.005" },
  { maxNotional: "1000000", maintenanceMarginRate: "0.01" },
];

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
  const facts = { rules: RULES, rates: RATES, leverage: "1" };
  const funds = { ...NO_FUNDS, base: "0.2345", quote: "1000", longSize: "0.3" };
  assert.equal(quantityForPercent(DRAFT, 100, "30000", funds, facts), "0.033");
  assert.equal(quantityForPercent({ ...DRAFT, side: "SELL" }, 50, "30000", funds, facts), "0.117");
  const contract = { rules: CONTRACT, rates: RATES, leverage: "20" };
  // 1000 / (30000 / 20 + 30000 × 0.0008) = 0.6561…
  assert.equal(quantityForPercent(DRAFT, 100, "30000", funds, contract), "0.656");
  const closing = { ...DRAFT, side: "SELL", closes: true } as const;
  assert.equal(quantityForPercent(closing, 100, "30000", funds, contract), "0.3");
  assert.equal(quantityForPercent(DRAFT, 100, "0", funds, facts), "0");
});

test("more than the funds is seen before it is sent", () => {
  const facts = { rules: RULES, rates: RATES, leverage: "1" };
  const funds = { ...NO_FUNDS, base: "0.5", quote: "20000", shortSize: "0.4" };
  const beyond = (change: Partial<Draft>, price: string, on = facts): boolean =>
    isBeyondFunds({ ...DRAFT, ...change }, price, funds, on);
  assert.equal(beyond({}, "40000"), false);
  assert.equal(beyond({}, "40000.1"), true);
  assert.equal(beyond({ side: "SELL" }, "90000"), false);
  assert.equal(beyond({ side: "SELL", quantity: "0.501" }, "1"), true);
  // 0.5 × 700000 / 20 is 17500, its fee 280.
  const contract = { rules: CONTRACT, rates: RATES, leverage: "20" };
  assert.equal(beyond({}, "700000", contract), false);
  assert.equal(beyond({}, "790000", contract), true);
  assert.equal(beyond({ closes: true }, "1", contract), true);
  assert.equal(beyond({ closes: true, quantity: "0.4" }, "1", contract), false);
});

test("liquidation prices follow the formula of isolated positions, by the tier", () => {
  // long: (20000 − 1000) / (0.5 × 0.995) = 38190.9…
  const backing = "1000";
  assert.equal(
    estimatedLiquidation(DRAFT, "40000", CONTRACT, { backing, tiers: TIERS }),
    "38190.9",
  );
  // short, above the first tier: (80000 + 4000) / (2 × 1.01) = 41584.1…
  const short = { ...DRAFT, side: "SELL", quantity: "2" } as const;
  const facts = { backing: "4000", tiers: TIERS };
  assert.equal(estimatedLiquidation(short, "40000", CONTRACT, facts), "41584.1");
  const covered = { backing: "30000", tiers: TIERS };
  assert.equal(estimatedLiquidation(DRAFT, "40000", CONTRACT, covered), null);
  assert.equal(estimatedLiquidation({ ...DRAFT, closes: true }, "1", CONTRACT, covered), null);
});
