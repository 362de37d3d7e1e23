/**
 * Proves which matches happen: none that would leave who closes with a debt, whether it is maker,
 * taker or both at once.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import { LONG } from "../state/contract-market.ts";
import { cancelAllContractOrders } from "./cancel-order.ts";

function orderIdOf(result: ReturnType<TradingFixture["place"]>): number {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.orderId;
}

function cancelAll(fixture: TradingFixture, uid: number): void {
  const all = { type: "cancel-all-contract-orders", uid, symbol: null } as const;
  assert.ok(cancelAllContractOrders(fixture.context, all).ok);
}

test("both sides of a match may be of one account", () => {
  for (const marginType of ["ISOLATED", "CROSSED"] as const) {
    const fixture = new TradingFixture();
    const { amount } = fixture;
    const user = fixture.addUser(1, "10000", marginType);
    fixture.setMark("60000");
    orderIdOf(fixture.place(user, "SELL SHORT", "1", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "1", "60000"));
    assert.deepEqual(user.sideLots, [1_000, 1_000]);
    assert.equal(fixture.wallet(user), amount("9940"), "12 and 48 of fees");
    assert.equal(fixture.orderMargin(user), 0n);
    fixture.check();
    // Opens more of the long with one order, and closes half of all with the other.
    orderIdOf(fixture.place(user, "BUY LONG", "1", "59000"));
    orderIdOf(fixture.place(user, "SELL LONG", "1"));
    const long = fixture.position(user, LONG);
    assert.equal(long.openValueMinor, amount("59500"));
    assert.equal(long.cumCloseValueMinor, amount("59000"));
    fixture.check();
    // Closes both at once.
    orderIdOf(fixture.place(user, "SELL LONG", "1", "60000"));
    orderIdOf(fixture.place(user, "BUY SHORT", "1"));
    assert.deepEqual(user.sideLots, [0, 0]);
    const fees = fixture.eventsOf("contract-trade").flatMap(({ maker, taker }) => [maker, taker]);
    const feesMinor = fees.reduce((sum, { feeMinor }) => sum + feeMinor, 0n);
    assert.equal(fixture.wallet(user), amount("10000") - feesMinor, "nothing won, nothing lost");
    assert.equal(fixture.available(user), fixture.wallet(user));
    fixture.check();
  }
});

test("a close that would leave a debt does not happen, for maker and taker alike", () => {
  for (const marginType of ["ISOLATED", "CROSSED"] as const) {
    for (const role of ["maker", "taker"] as const) {
      const fixture = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
      const poor = fixture.addUser(1, "3100", marginType);
      const rich = fixture.addUser(2, "10000000");
      fixture.setMark("60000");
      orderIdOf(fixture.place(rich, "SELL SHORT", "1", "60000"));
      orderIdOf(fixture.place(poor, "BUY LONG", "1"));
      // 3,052 are left: a close at 56,000 would cost 4,000.
      let closing: number;
      let other: number;
      if (role === "maker") {
        closing = orderIdOf(fixture.place(poor, "SELL LONG", "1", "56000"));
        other = orderIdOf(fixture.place(rich, "BUY SHORT", "1", "56000"));
      } else {
        other = orderIdOf(fixture.place(rich, "BUY SHORT", "1", "56000"));
        closing = orderIdOf(fixture.place(poor, "SELL LONG", "1", "56000"));
      }
      assert.equal(fixture.endOf(closing), "margin-not-enough", `${marginType} ${role}`);
      assert.equal(fixture.endOf(other), "resting");
      assert.equal(poor.sideLots[LONG], 1_000);
      fixture.check();
    }
  }
});

test("cash that open orders hold does not pay for closing the last cross position", () => {
  const fixture = new TradingFixture({ sellLimitPriceRatio: "0.3" });
  const user = fixture.addUser(1, "8000");
  const rich = fixture.addUser(2, "10000000");
  fixture.setMark("60000");
  orderIdOf(fixture.place(rich, "SELL SHORT", "1", "60000"));
  orderIdOf(fixture.place(user, "BUY LONG", "1"));
  orderIdOf(fixture.place(user, "SELL SHORT", "1.5", "62000"));
  fixture.setMark("56000");
  orderIdOf(fixture.place(rich, "BUY SHORT", "1", "55000"));
  // The loss of 5,000 is less than the equity, but only 3,227.6 are not frozen.
  assert.equal(fixture.available(user), fixture.amount("3227.6"));
  const closing = orderIdOf(fixture.place(user, "SELL LONG", "1", "55000"));
  assert.equal(fixture.endOf(closing), "margin-not-enough");
  cancelAll(fixture, 1);
  orderIdOf(fixture.place(user, "SELL LONG", "1", "55000"));
  assert.deepEqual(user.sideLots, [0, 0]);
  assert.ok(fixture.available(user) > 0n);
  fixture.check();
});

test("two closes of one account pay for each other", () => {
  const wide = { buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" };
  const fixture = new TradingFixture(wide);
  const user = fixture.addUser(1, "6100", "ISOLATED");
  fixture.setMark("60000");
  orderIdOf(fixture.place(user, "SELL SHORT", "1", "60000"));
  orderIdOf(fixture.place(user, "BUY LONG", "1", "60000"));
  // The long loses 5,000 more than its margin; the short wins it.
  const closing = orderIdOf(fixture.place(user, "SELL LONG", "1", "52000"));
  orderIdOf(fixture.place(user, "BUY SHORT", "1"));
  assert.equal(fixture.endOf(closing), "filled");
  assert.deepEqual(user.sideLots, [0, 0]);
  assert.ok(fixture.available(user) > 0n);
  fixture.check();
});

test("an order that closes what the account's own order opens pays out of what it is then", () => {
  // Fees above the margin of a position: averaging in takes more gain than it brings margin.
  const fixture = new TradingFixture({ makerFeeRate: "0.05", takerFeeRate: "0.05" });
  const user = fixture.addUser(1, "7020", "ISOLATED");
  user.isolatedLeverage[LONG] = 100;
  const rich = fixture.addUser(2, "10000000");
  fixture.setMark("57000");
  fixture.market.rules = { ...fixture.market.rules, sellLimitPriceRatioE8: 30_000_000 };
  fixture.setMark("60000");
  orderIdOf(fixture.place(user, "BUY LONG", "1", "55000"));
  orderIdOf(fixture.place(rich, "SELL SHORT", "1", "55000"));
  const opening = orderIdOf(fixture.place(user, "BUY LONG", "1", "57000"));
  assert.equal(fixture.available(user), fixture.amount("300"));
  const closing = orderIdOf(fixture.place(user, "SELL LONG", "1", "57000"));
  assert.equal(fixture.endOf(closing), "margin-not-enough");
  assert.equal(fixture.endOf(opening), "resting");
  fixture.check();
});
