/**
 * Proves that what a venue's operator watches is what happened: each count grows by what a small
 * market does, fund and draws are those of the ledger, and an index that is old says so.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../test/support/engine/risk-fixture.ts";
import { applyContractCommand } from "../contract/apply-contract-command.ts";
import { LONG } from "../contract/state/contract-market.ts";
import { marketIntegrityView } from "./market-integrity.ts";

const HOUR_MS = 3_600_000;

test("a market that nothing happened in", () => {
  const venue = new RiskFixture();
  venue.insure(usdt("12.5"));
  const before = marketIntegrityView(venue.state, venue.nowMs);
  assert.deepEqual(before.funds, [{ asset: "USDT", balance: "12.5" }]);
  const [market] = before.markets;
  assert.deepEqual(market, {
    ...{ symbol: "BTCUSDT", indexSource: "none", indexAgeMs: null, isStale: true },
    ...{ drawsUsed: null, insurancePaid: "0" },
    ...{ liquidations: 0, deleveragings: 0, refusedFills: 0, refusedOrders: 0 },
  });
  venue.price("60000");
  venue.nowMs += 60_001;
  const [later] = marketIntegrityView(venue.state, venue.nowMs).markets;
  assert.deepEqual(
    [later?.indexSource, later?.indexAgeMs, later?.isStale],
    ["operator", 60_001, true],
  );
});

test("a liquidation that the fund and the other side paid for", () => {
  const venue = new RiskFixture({ insuranceDrawLimit: "0.01" });
  venue.insure(usdt("100000"));
  const [holder, other, maker] = [1, 2, 3].map((uid) => venue.user(uid, "100000"));
  assert.ok(holder !== undefined && other !== undefined && maker !== undefined);
  venue.price("60000");
  venue.pair([holder, other], "ISOLATED", 60000, 1, 100);
  venue.order(maker, "BUY", "LONG", "0.5", "58400");
  venue.price("58400");
  const { funds, markets } = marketIntegrityView(venue.state, venue.nowMs);
  // 523.36 for a half, and the limit is 1000.
  assert.deepEqual(funds, [{ asset: "USDT", balance: "99476.64" }]);
  const [market] = markets;
  assert.equal(market?.insurancePaid, "523.36");
  assert.equal(market?.drawsUsed, 0.523);
  assert.deepEqual([market?.liquidations, market?.deleveragings], [1, 1]);
  const [next] = marketIntegrityView(venue.state, venue.nowMs + HOUR_MS).markets;
  assert.equal(next?.drawsUsed, 0, "of another hour");
});

test("what is refused, before it is taken and when it would fill", () => {
  const venue = new RiskFixture();
  const [user, maker] = [venue.user(1, "7000"), venue.user(2, "1000000")];
  venue.price("60000");
  venue.owner(user).marginType = "ISOLATED";
  venue.owner(user).isolatedLeverage[LONG] = 100;
  venue.order(maker, "SELL", "SHORT", "10", "60300");
  const placed = applyContractCommand(venue, {
    ...{ type: "place-contract-order", uid: 1, symbol: "BTCUSDT", clientOrderId: "dear" },
    ...{ side: "BUY", positionSide: "LONG", orderType: "LIMIT", timeInForce: "GTC" },
    ...{ price: "60300", quantity: "10", tpTriggerPrice: null, slTriggerPrice: null },
    ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
  });
  assert.ok(!placed.ok && placed.reason === "insufficient-margin", "due as soon as it is filled");
  // At 56900 the close would lose 3100 of 3000 of margin and 60 of cash.
  const holder = venue.user(3, "3060");
  venue.pair([holder, maker], "ISOLATED", 60000, 1, 20);
  venue.price("59000");
  venue.order(holder, "SELL", "LONG", "1", "56900");
  venue.order(maker, "BUY", "LONG", "1", "56900");
  const [market] = marketIntegrityView(venue.state, venue.nowMs).markets;
  assert.deepEqual([market?.refusedOrders, market?.refusedFills], [1, 1]);
});
