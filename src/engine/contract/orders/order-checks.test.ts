/**
 * Proves what an opening order must leave room for, each bound to the last unit: what it freezes,
 * at which price it is reckoned, the tier of all that it would make, and that nothing is opened
 * which would be liquidated at once.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import type { MarginType } from "../../../domain/index.ts";
import { freezeOf } from "../formulas/order-margin.ts";
import { LONG, SHORT } from "../state/contract-market.ts";

type Placed = ReturnType<TradingFixture["place"]>;

function reasonOf(result: Placed): string {
  return result.ok ? "accepted" : result.reason;
}

/** A market at 60,000 with one user and a counterpart who has plenty. */
function fixtureWith(funds: string, marginType: MarginType, leverage: number) {
  const wide = { buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" };
  const fixture = new TradingFixture(wide);
  const user = fixture.addUser(1, funds, marginType);
  user.crossLeverage = leverage;
  user.isolatedLeverage[LONG] = leverage;
  user.isolatedLeverage[SHORT] = leverage;
  const maker = fixture.addUser(2, "100000000");
  fixture.setMark("60000");
  return { fixture, user, maker };
}

test("the freeze is rounded up once, as a whole", () => {
  const { rules } = new TradingFixture().market;
  // 60.0001 / 7 + 60.0001 × 0.0008 = 8.61944293…
  assert.equal(freezeOf(rules, 600_001, 1, 7, 80_000), 861_944_294n);
  assert.equal(freezeOf(rules, 600_001, 3, 7, 80_000), 2_585_832_882n);
  assert.equal(freezeOf(rules, 600_001, 0, 7, 80_000), 0n);
});

test("a market buy is reckoned at the worst ask that it would touch", () => {
  for (const [funds, reason] of [
    ["6197.6", "accepted"],
    ["6197.59999999", "insufficient-margin"],
  ] as const) {
    const { fixture, user, maker } = fixtureWith(funds, "ISOLATED", 20);
    assert.ok(fixture.place(maker, "SELL SHORT", "1", "60000").ok);
    assert.ok(fixture.place(maker, "SELL SHORT", "5", "61000").ok);
    assert.equal(reasonOf(fixture.place(user, "BUY LONG", "2")), reason);
    fixture.check();
  }
});

test("a market buy never pays more than it was reckoned at", () => {
  const { fixture, user, maker } = fixtureWith("10000", "ISOLATED", 20);
  const poor = fixture.addUser(3, "3100", "ISOLATED");
  assert.ok(fixture.place(maker, "SELL SHORT", "1", "60000").ok);
  assert.ok(fixture.place(poor, "BUY LONG", "1").ok);
  // Nobody can take the best ask: it would leave a debt. The next one was not reckoned with.
  assert.ok(fixture.place(poor, "SELL LONG", "1", "56000").ok);
  assert.ok(fixture.place(maker, "SELL SHORT", "1", "61000").ok);
  const placed = fixture.place(user, "BUY LONG", "1");
  assert.ok(placed.ok);
  assert.equal(fixture.endOf(placed.value.orderId), "nothing-to-match");
  assert.equal(fixture.available(user), fixture.amount("10000"));
  assert.equal(poor.openOrders, 0);
  fixture.check();
});

test("a sell is reckoned at the best bid when that is better than its own price", () => {
  for (const [funds, reason] of [
    ["3098.8", "accepted"],
    ["3098.79999999", "insufficient-margin"],
  ] as const) {
    const { fixture, user, maker } = fixtureWith(funds, "ISOLATED", 20);
    assert.ok(fixture.place(maker, "BUY LONG", "0.1", "61000").ok);
    assert.equal(reasonOf(fixture.place(user, "SELL SHORT", "1", "59500")), reason);
    fixture.check();
  }
  const { fixture, user } = fixtureWith("3048", "ISOLATED", 20);
  // With nothing to touch, the mark.
  assert.equal(reasonOf(fixture.place(user, "SELL SHORT", "1")), "accepted");
  assert.equal(reasonOf(fixture.place(user, "SELL SHORT", "1.001")), "insufficient-margin");
});

test("the tier counts what rests, and for cross the other side too", () => {
  for (const [marginType, reason] of [
    ["ISOLATED", "accepted"],
    ["CROSSED", "leverage-above-maximum"],
  ] as const) {
    const { fixture, user, maker } = fixtureWith("1000000", marginType, 100);
    assert.ok(fixture.place(maker, "BUY LONG", "10", "60000").ok);
    assert.ok(fixture.place(user, "SELL SHORT", "10", "60000").ok);
    // 600,000 short and 420,000 long, with 1,000,000 for leverage 100.
    assert.equal(reasonOf(fixture.place(user, "BUY LONG", "7", "59000")), reason);
  }
});

test("an isolated order that would be due when it is filled is refused", () => {
  // 602.545 of margin less 254.5 of loss is more than 0.58 % of 60,000, which is 348.
  for (const [intent, price, reason] of [
    ["BUY LONG", "60254.5", "accepted"],
    ["BUY LONG", "60254.6", "insufficient-margin"],
    ["SELL SHORT", "59750.5", "accepted"],
    ["SELL SHORT", "59700", "insufficient-margin"],
  ] as const) {
    // Each in a fixture of its own: one position would be merged with what the other order opened.
    const { fixture, user } = fixtureWith("100000", "ISOLATED", 100);
    assert.equal(
      reasonOf(fixture.place(user, intent, "1", price)),
      reason,
      `${intent} at ${price}`,
    );
  }
});

test("a cross order that would make its account due is refused", () => {
  // 48.4 of fee and 500 of loss have to leave more than 348.
  for (const [funds, reason] of [
    ["896.4", "insufficient-margin"],
    ["896.40000001", "accepted"],
  ] as const) {
    const { fixture, user } = fixtureWith(funds, "CROSSED", 100);
    assert.equal(reasonOf(fixture.place(user, "BUY LONG", "1", "60500")), reason);
  }
});

test("what would be due at once is judged in the tier of all that is open", () => {
  for (const [lots, reason] of [
    ["1", "accepted"],
    ["16.5", "insufficient-margin"],
  ] as const) {
    const { fixture, user, maker } = fixtureWith("1000000", "ISOLATED", 50);
    // A position of its own: merged into the large one it would be carried by that one's margin.
    user.separatedType = "SEPARATED";
    assert.ok(fixture.place(maker, "SELL SHORT", lots, "60000").ok);
    assert.ok(fixture.place(user, "BUY LONG", lots).ok);
    // 2.024 % of margin less 1.2 % of loss: more than 0.58 %, less than 1.08 %.
    assert.equal(reasonOf(fixture.place(user, "BUY LONG", "0.5", "60720")), reason);
  }
});
