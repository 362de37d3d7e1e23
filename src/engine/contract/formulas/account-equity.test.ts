/**
 * Goal: wallet, equity, maintenance, what is available and the prices of liquidation are those of
 * the rules. Method: accounts small enough to be computed by hand, cross and isolated positions
 * and orders side by side; each figure stands next to its calculation.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../../test/support/engine/risk-fixture.ts";
import {
  availableBalanceMinor,
  availableBeforeFloorMinor,
  crossEquityMinor,
  crossMaintenanceE8,
  isCrossDue,
  liquidationTicks,
  walletMinor,
} from "./account-equity.ts";
import { ONE_E8 } from "./valuation.ts";

/** User 1: cross LONG 1 at 60000 in BTC, isolated SHORT 2 at 2000 in ETH, an order in ETH. */
function mixed() {
  const fixture = new RiskFixture();
  const eth = fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
  const [one, two] = [fixture.user(1, "10000"), fixture.user(2, "900000")];
  fixture.price("60000");
  fixture.price("2000", eth);
  const [long] = fixture.pair([one, two], "CROSSED", 60_000, 1, 20);
  const [, short] = fixture.pair([two, one], "ISOLATED", 2000, 2, 10, eth);
  fixture.order(one, "BUY", "LONG", "0.1", "59000");
  const { account } = fixture.owner(one);
  return { fixture, eth, one, account, long, short };
}

test("a cross and an isolated position in one account", () => {
  const { fixture, eth, account, long, short } = mixed();
  const { ledger } = fixture;
  fixture.price("61000");
  fixture.price("1900", eth);
  assert.equal(walletMinor(ledger, account), usdt("10000"));
  // The isolated margin of 400 is no part of it, the order margin is.
  assert.equal(crossEquityMinor(ledger, account), usdt("10600"));
  assert.equal(crossMaintenanceE8(account), usdt("353.8") * ONE_E8);
  // 10000 - 400 - (295 + 4.72) - 3050: profit is not available.
  assert.equal(availableBalanceMinor(ledger, account), usdt("6250.28"));
  // 61000 - (10600 - 353.8) / (1 - 0.0058)
  assert.equal(liquidationTicks(ledger, long), 506_940n);
  // (4000 + 400) / (2 * 1.0058)
  assert.equal(liquidationTicks(ledger, short), 21_873n);
});

test("a cross loss is missing, and what is available stops at nothing", () => {
  const { fixture, account } = mixed();
  const { ledger } = fixture;
  fixture.price("55000");
  // 9300.28 - 5000 - 2750
  assert.equal(availableBalanceMinor(ledger, account), usdt("1550.28"));
  fixture.price("53000");
  assert.equal(availableBeforeFloorMinor(ledger, account), usdt("-349.72"));
  assert.equal(availableBalanceMinor(ledger, account), 0n);
  assert.equal(isCrossDue(ledger, account), false);
});

test("a hedged symbol: both sides count for tier and maintenance, the net for the price", () => {
  const fixture = new RiskFixture();
  const [one, two] = [fixture.user(1, "50000"), fixture.user(2, "900000")];
  fixture.price("60000");
  const [long] = fixture.pair([one, two], "CROSSED", 60_000, 10, 20);
  const [, short] = fixture.pair([two, one], "CROSSED", 60_000, 7, 20);
  const { account } = fixture.owner(one);
  const { ledger } = fixture;
  // 17 * 60000 = 1020000 is in the second tier: 0.01 + 0.0008.
  assert.equal(crossMaintenanceE8(account), usdt("11016") * ONE_E8);
  // 60000 - (50000 - 11016) / (3 - 17 * 0.0108), one price for both.
  assert.equal(liquidationTicks(ledger, long), 461_582n);
  assert.equal(liquidationTicks(ledger, short), 461_582n);
  fixture.price("58800");
  // 17 * 58800 = 999600 is in the first one.
  assert.equal(crossMaintenanceE8(account), usdt("5797.68") * ONE_E8);
});

test("no price liquidates what is hedged whole, or what needs a price below zero", () => {
  const fixture = new RiskFixture();
  const [one, two] = [fixture.user(1, "100000"), fixture.user(2, "900000")];
  fixture.price("60000");
  const [long] = fixture.pair([one, two], "CROSSED", 60_000, 1, 20);
  assert.equal(liquidationTicks(fixture.ledger, long), 0n);
  fixture.pair([two, one], "CROSSED", 60_000, 1, 20);
  assert.equal(liquidationTicks(fixture.ledger, long), 0n);
});
