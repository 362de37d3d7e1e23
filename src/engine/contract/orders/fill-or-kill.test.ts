/**
 * Proves that fill or kill is all or nothing, also where accounts decide: it is filled past makers
 * that a fill does not fit, who end, and where it cannot be, neither they nor anybody else notices.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import { LONG } from "../state/contract-market.ts";

const FOK = { timeInForce: "FOK" } as const;

function orderIdOf(result: ReturnType<TradingFixture["place"]>): number {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.orderId;
}

/** An order that rests at 60,000 and must not fill at 59,000, and honest bids of 1 below it. */
function fixtureWithUnfitMaker(bids: readonly string[]) {
  const fixture = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
  const poor = fixture.addUser(1, "700");
  poor.crossLeverage = 100;
  const rich = fixture.addUser(2, "10000000");
  const taker = fixture.addUser(3, "10000000");
  fixture.setMark("60000");
  const unfit = orderIdOf(fixture.place(poor, "BUY LONG", "1", "60000"));
  const others = bids.map((price) => orderIdOf(fixture.place(rich, "BUY LONG", "1", price)));
  fixture.setMark("59000");
  return { fixture, unfit, others, taker };
}

test("makers that it does not fit are passed over, and end when it is filled", () => {
  const { fixture, unfit, others, taker } = fixtureWithUnfitMaker(["59900", "59800"]);
  const order = orderIdOf(fixture.place(taker, "SELL SHORT", "2", "59800", FOK));
  assert.equal(fixture.endOf(order), "filled");
  assert.equal(fixture.endOf(unfit), "margin-not-enough");
  assert.deepEqual(
    others.map((id) => fixture.endOf(id)),
    ["filled", "filled"],
  );
  fixture.check();
});

test("when they were needed, it ends, and no maker does", () => {
  const { fixture, unfit, others, taker } = fixtureWithUnfitMaker(["59900"]);
  const events = fixture.events.length;
  const wallet = fixture.wallet(taker);
  const order = orderIdOf(fixture.place(taker, "SELL SHORT", "2", "59800", FOK));
  assert.equal(fixture.endOf(order), "not-fillable-at-once");
  assert.equal(fixture.endOf(unfit), "resting");
  assert.deepEqual(
    others.map((id) => fixture.endOf(id)),
    ["resting"],
  );
  const emitted = fixture.events.slice(events).map(({ type }) => type);
  assert.deepEqual(emitted, ["contract-order-ended"]);
  assert.equal(fixture.wallet(taker), wallet);
  fixture.check();
});

test("a taker that could bear only a part of it bears nothing", () => {
  const fixture = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
  const user = fixture.addUser(1, "7000", "ISOLATED");
  const rich = fixture.addUser(2, "10000000");
  fixture.setMark("60000");
  orderIdOf(fixture.place(rich, "SELL SHORT", "2", "60000"));
  orderIdOf(fixture.place(user, "BUY LONG", "2"));
  // The first half costs 40 of fee and 0 beyond its margin, the second one 1,000 more.
  orderIdOf(fixture.place(rich, "BUY SHORT", "1", "57000"));
  const last = orderIdOf(fixture.place(rich, "BUY SHORT", "1", "56000"));
  for (const [timeInForce, end, heldLots] of [
    ["FOK", "not-fillable-at-once", 2_000],
    ["IOC", "margin-not-enough", 1_000],
  ] as const) {
    const order = orderIdOf(fixture.place(user, "SELL LONG", "2", "56000", { timeInForce }));
    assert.equal(fixture.endOf(order), end);
    assert.equal(user.sideLots[LONG], heldLots);
  }
  assert.equal(fixture.endOf(last), "resting");
  fixture.check();
});

test("what an order that is passed over had frozen is there for its account's next one", () => {
  const fixture = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
  // 3,048 go into the position, and the rest is frozen: 64,500 / 20 and 0.08 % of it.
  const user = fixture.addUser(1, "6324.6", "ISOLATED");
  const rich = fixture.addUser(2, "10000000");
  fixture.setMark("60000");
  orderIdOf(fixture.place(rich, "BUY LONG", "1", "60000"));
  orderIdOf(fixture.place(user, "SELL SHORT", "1"));
  fixture.setMark("64500");
  const unfit = orderIdOf(fixture.place(user, "BUY LONG", "1", "64500"));
  const closing = orderIdOf(fixture.place(user, "BUY SHORT", "1", "64000"));
  assert.equal(fixture.available(user), 0n);
  fixture.setMark("60000");
  const order = orderIdOf(fixture.place(rich, "SELL LONG", "1", "64000", FOK));
  assert.equal(fixture.endOf(order), "filled");
  assert.equal(fixture.endOf(unfit), "margin-not-enough");
  assert.equal(fixture.endOf(closing), "filled");
  assert.deepEqual(user.sideLots, [0, 0]);
  fixture.check();
});
