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
function floorWithUnfitMaker(bids: readonly string[]) {
  const floor = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
  const poor = floor.addUser(1, "700");
  poor.crossLeverage = 100;
  const rich = floor.addUser(2, "10000000");
  const taker = floor.addUser(3, "10000000");
  floor.setMark("60000");
  const unfit = orderIdOf(floor.place(poor, "BUY LONG", "1", "60000"));
  const others = bids.map((price) => orderIdOf(floor.place(rich, "BUY LONG", "1", price)));
  floor.setMark("59000");
  return { floor, unfit, others, taker };
}

test("makers that it does not fit are passed over, and end when it is filled", () => {
  const { floor, unfit, others, taker } = floorWithUnfitMaker(["59900", "59800"]);
  const order = orderIdOf(floor.place(taker, "SELL SHORT", "2", "59800", FOK));
  assert.equal(floor.endOf(order), "filled");
  assert.equal(floor.endOf(unfit), "margin-not-enough");
  assert.deepEqual(
    others.map((id) => floor.endOf(id)),
    ["filled", "filled"],
  );
  floor.check();
});

test("when they were needed, it ends, and no maker does", () => {
  const { floor, unfit, others, taker } = floorWithUnfitMaker(["59900"]);
  const events = floor.events.length;
  const wallet = floor.wallet(taker);
  const order = orderIdOf(floor.place(taker, "SELL SHORT", "2", "59800", FOK));
  assert.equal(floor.endOf(order), "not-fillable-at-once");
  assert.equal(floor.endOf(unfit), "resting");
  assert.deepEqual(
    others.map((id) => floor.endOf(id)),
    ["resting"],
  );
  const told = floor.events.slice(events).map(({ type }) => type);
  assert.deepEqual(told, ["contract-order-ended"]);
  assert.equal(floor.wallet(taker), wallet);
  floor.check();
});

test("a taker that could bear only a part of it bears nothing", () => {
  const floor = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
  const user = floor.addUser(1, "7000", "ISOLATED");
  const rich = floor.addUser(2, "10000000");
  floor.setMark("60000");
  orderIdOf(floor.place(rich, "SELL SHORT", "2", "60000"));
  orderIdOf(floor.place(user, "BUY LONG", "2"));
  // The first half costs 40 of fee and 0 beyond its margin, the second one 1,000 more.
  orderIdOf(floor.place(rich, "BUY SHORT", "1", "57000"));
  const last = orderIdOf(floor.place(rich, "BUY SHORT", "1", "56000"));
  for (const [timeInForce, end, heldLots] of [
    ["FOK", "not-fillable-at-once", 2_000],
    ["IOC", "margin-not-enough", 1_000],
  ] as const) {
    const order = orderIdOf(floor.place(user, "SELL LONG", "2", "56000", { timeInForce }));
    assert.equal(floor.endOf(order), end);
    assert.equal(user.sideLots[LONG], heldLots);
  }
  assert.equal(floor.endOf(last), "resting");
  floor.check();
});

test("what an order that is passed over had frozen is there for its account's next one", () => {
  const floor = new TradingFixture({ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" });
  // 3,048 go into the position, and the rest is frozen: 64,500 / 20 and 0.08 % of it.
  const user = floor.addUser(1, "6324.6", "ISOLATED");
  const rich = floor.addUser(2, "10000000");
  floor.setMark("60000");
  orderIdOf(floor.place(rich, "BUY LONG", "1", "60000"));
  orderIdOf(floor.place(user, "SELL SHORT", "1"));
  floor.setMark("64500");
  const unfit = orderIdOf(floor.place(user, "BUY LONG", "1", "64500"));
  const closing = orderIdOf(floor.place(user, "BUY SHORT", "1", "64000"));
  assert.equal(floor.available(user), 0n);
  floor.setMark("60000");
  const order = orderIdOf(floor.place(rich, "SELL LONG", "1", "64000", FOK));
  assert.equal(floor.endOf(order), "filled");
  assert.equal(floor.endOf(unfit), "margin-not-enough");
  assert.equal(floor.endOf(closing), "filled");
  assert.deepEqual(user.sideLots, [0, 0]);
  floor.check();
});
