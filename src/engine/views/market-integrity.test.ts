/**
 * Proves that what an operator watches is what happened: each count grows by what a small
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
  const fixture = new RiskFixture();
  fixture.insure(usdt("12.5"));
  const before = marketIntegrityView(fixture.state, fixture.nowMs);
  assert.deepEqual(before.funds, [{ asset: "USDT", balance: "12.5" }]);
  const [market] = before.markets;
  assert.deepEqual(market, {
    ...{ symbol: "BTCUSDT", indexSource: "none", indexAgeMs: null, isStale: true },
    ...{ drawsUsed: null, insurancePaid: "0" },
    ...{ liquidations: 0, deleveragings: 0, refusedFills: 0, refusedOrders: 0 },
  });
  fixture.price("60000");
  fixture.nowMs += 60_001;
  const [later] = marketIntegrityView(fixture.state, fixture.nowMs).markets;
  assert.deepEqual(
    [later?.indexSource, later?.indexAgeMs, later?.isStale],
    ["operator", 60_001, true],
  );
});

test("a liquidation that the fund and the other side paid for", () => {
  const fixture = new RiskFixture({ insuranceDrawLimit: "0.01" });
  fixture.insure(usdt("100000"));
  const [holder, other, maker] = [1, 2, 3].map((uid) => fixture.user(uid, "100000"));
  assert.ok(holder !== undefined && other !== undefined && maker !== undefined);
  fixture.price("60000");
  fixture.pair([holder, other], "ISOLATED", 60000, 1, 100);
  fixture.order(maker, "BUY", "LONG", "0.5", "58400");
  fixture.price("58400");
  const { funds, markets } = marketIntegrityView(fixture.state, fixture.nowMs);
  // 523.36 for a half, and the limit is 1000.
  assert.deepEqual(funds, [{ asset: "USDT", balance: "99476.64" }]);
  const [market] = markets;
  assert.equal(market?.insurancePaid, "523.36");
  assert.equal(market?.drawsUsed, 0.523);
  assert.deepEqual([market?.liquidations, market?.deleveragings], [1, 1]);
  const [next] = marketIntegrityView(fixture.state, fixture.nowMs + HOUR_MS).markets;
  assert.equal(next?.drawsUsed, 0, "of another hour");
});

test("what is refused, before it is taken and when it would fill", () => {
  const fixture = new RiskFixture();
  const [user, maker] = [fixture.user(1, "7000"), fixture.user(2, "1000000")];
  fixture.price("60000");
  fixture.owner(user).marginType = "ISOLATED";
  fixture.owner(user).isolatedLeverage[LONG] = 100;
  fixture.order(maker, "SELL", "SHORT", "10", "60300");
  const place = (price: string, quantity: string) => {
    const placed = applyContractCommand(fixture, {
      ...{ type: "place-contract-order", uid: 1, symbol: "BTCUSDT", clientOrderId: "dear" },
      ...{ side: "BUY", positionSide: "LONG", orderType: "LIMIT", timeInForce: "GTC" },
      ...{ price, quantity, tpTriggerPrice: null, slTriggerPrice: null },
      ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
    });
    return placed.ok ? "accepted" : `${placed.reason} ${placed.field}`;
  };
  assert.equal(place("60300", "10"), "insufficient-margin price", "due as soon as it is filled");
  // Refused as well, and of no count here.
  for (let count = 0; count < 2; count++) {
    assert.equal(place("60300", "12"), "insufficient-margin quantity");
    assert.equal(place("60300.01", "10"), "off-tick price");
  }
  // At 56900 the close would lose 3100 of 3000 of margin and 60 of cash.
  const holder = fixture.user(3, "3060");
  fixture.pair([holder, maker], "ISOLATED", 60000, 1, 20);
  fixture.price("59000");
  fixture.order(holder, "SELL", "LONG", "1", "56900");
  fixture.order(maker, "BUY", "LONG", "1", "56900");
  const [market] = marketIntegrityView(fixture.state, fixture.nowMs).markets;
  assert.deepEqual([market?.refusedOrders, market?.refusedFills], [1, 1]);
});
