/** Proves margin ratios and liquidation estimates on numbers that were worked out by hand. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  crossStateOf,
  type Held,
  liquidationAfter,
  marginStateOf,
  type Opening,
} from "./margin.ts";

const MARKET = {
  symbol: "BTCUSDT",
  takerFeeRate: "0.001",
  riskTiers: [
    { maxNotional: "50000", maintenanceMarginRate: "0.004", maxLeverage: 100 },
    { maxNotional: "1000000", maintenanceMarginRate: "0.009", maxLeverage: 50 },
  ],
};
const LONG: Held = {
  symbol: "BTCUSDT",
  side: "LONG",
  size: "1",
  openValue: "40000",
  marginType: "CROSSED",
  isolatedMargin: "0",
  unrealizePnl: "0",
};
const OPENING: Opening = {
  symbol: "BTCUSDT",
  side: "LONG",
  marginType: "CROSSED",
  quantity: "1",
  price: "40000",
  margin: "2000",
};
const none = { wallet: "2040", positions: [], markets: [MARKET] };

test("the cross ratio is maintenance over equity, both sides of a market in one tier", () => {
  const one = { wallet: "1000", positions: [LONG], markets: [MARKET] };
  assert.deepEqual(crossStateOf(one), { equity: "1000", maintenance: "200", ratio: "0.2" });
  const short: Held = { ...LONG, side: "SHORT", unrealizePnl: "500" };
  const both = { ...one, positions: [LONG, short] };
  // The short is worth 39500: 79500 × (0.009 + 0.001) of 1500.
  assert.deepEqual(crossStateOf(both), { equity: "1500", maintenance: "795", ratio: "0.53" });
  assert.equal(crossStateOf({ ...one, positions: [] }).ratio, "0");
  assert.equal(crossStateOf({ ...one, wallet: "0" }).ratio, "1");
});

test("an isolated position has a ratio of its own, and takes its margin from the account", () => {
  const isolated: Held = { ...LONG, marginType: "ISOLATED", isolatedMargin: "600" };
  const facts = { wallet: "1000", positions: [isolated], markets: [MARKET] };
  assert.equal(marginStateOf({ ...isolated, unrealizePnl: "-100" }, facts).ratio, "0.399");
  assert.equal(crossStateOf(facts).equity, "400");
});

test("a long is liquidated below its entry, a short above, isolated and cross", () => {
  // Isolated long: (40000 − 2000) / (1 − 0.005), short: (40000 + 2000) / (1 + 0.005).
  const isolated = { ...OPENING, marginType: "ISOLATED" } as const;
  assert.equal(liquidationAfter(isolated, none)?.slice(0, 8), "38190.95");
  const short = { ...isolated, side: "SHORT" } as const;
  assert.equal(liquidationAfter(short, none)?.slice(0, 8), "41791.04");
  // Cross with 2040, of which the fee takes 40: the same prices.
  assert.equal(liquidationAfter(OPENING, none)?.slice(0, 8), "38190.95");
  assert.equal(
    liquidationAfter({ ...short, marginType: "CROSSED" }, none)?.slice(0, 8),
    "41791.04",
  );
});

test("what is held counts: more of it moves the price, a hedge takes it away", () => {
  const held = { ...none, positions: [LONG] };
  // 2 × p − 80000 + 2000 = 2 × p × 0.01
  assert.equal(liquidationAfter(OPENING, held)?.slice(0, 8), "39393.93");
  const hedged = liquidationAfter({ ...OPENING, side: "SHORT" }, held);
  // Only the maintenance of both sides is left to grow: 2000 = 2 × p × 0.01.
  assert.equal(hedged, "100000");
  const rich = { ...none, wallet: "50000" };
  assert.equal(liquidationAfter(OPENING, rich), null, "the wallet covers a price of 0");
});
