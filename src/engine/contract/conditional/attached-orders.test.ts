/**
 * Goal: take profit and stop loss of an order wait for its fills, follow them and end with what
 * they would close. Method: orders with attached rows that fill, end and are closed in parts.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSE_LONG,
  CLOSE_SHORT,
  ConditionalOrderFixture,
  OPEN_LONG,
  OPEN_SHORT,
  refusalOf,
} from "../../../../test/support/engine/conditional-order-fixture.ts";

test("attached rows wait for the first fill and grow with the order", () => {
  const fixture = new ConditionalOrderFixture();
  const placed = fixture.order(fixture.trader, {
    price: "59000",
    quantity: "2",
    tpTriggerPrice: "61000",
    slTriggerPrice: "58000",
    slWorkingType: "MARK_PRICE",
  });
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  const [tp, sl] = [orderId + 1, orderId + 2];
  const [row] = fixture.rows(tp);
  assert.equal(row?.orderType, "TAKE_PROFIT_MARKET");
  assert.equal(row?.clientAlgoId, `${orderId}-tp`);
  assert.equal(row?.quantityLots, 2000);
  assert.equal(row?.reduceOnly, true);
  assert.equal(row?.parentOrderId, orderId);
  assert.equal(fixture.rows(sl)[0]?.orderType, "STOP_MARKET");
  assert.equal(fixture.rows(sl)[0]?.workingType, "MARK_PRICE");
  assert.deepEqual(fixture.statuses(tp), ["NEW"]);
  // Its price is reached long before: nothing fires that is not active.
  fixture.trade("61500");
  fixture.trade("59500");
  assert.deepEqual(fixture.statuses(tp), ["NEW"]);
  fixture.quote("SELL", "59000", "0.5");
  fixture.quote("SELL", "59000", "0.7");
  assert.deepEqual(fixture.statuses(sl), ["NEW", "UNTRIGGERED", "UNTRIGGERED"]);
  assert.deepEqual(
    fixture.rows(tp).map(({ quantityLots }) => quantityLots),
    [2000, 500, 1200],
  );
  fixture.cancel(fixture.trader, orderId);
  assert.equal(fixture.rows(tp).at(-1)?.status, "UNTRIGGERED");
  fixture.quote("BUY", "61000", "1.3");
  fixture.trade("61000");
  assert.equal(fixture.rows(tp).at(-1)?.status, "FILLED");
  assert.equal(fixture.rows(sl).at(-1)?.status, "CANCELED", "the side is empty");
});

test("attached rows end with an order that was never filled", () => {
  const fixture = new ConditionalOrderFixture();
  const terms = { price: "59000", tpTriggerPrice: "61000", slTriggerPrice: "58000" };
  const placed = fixture.order(fixture.trader, terms);
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  fixture.cancel(fixture.trader, orderId);
  assert.deepEqual(fixture.statuses(orderId + 1), ["NEW", "CANCELED"]);
  assert.deepEqual(fixture.statuses(orderId + 2), ["NEW", "CANCELED"]);
  const fok = fixture.order(fixture.trader, { ...terms, timeInForce: "FOK" });
  assert.ok(fok.ok);
  assert.deepEqual(fixture.statuses(fok.value.orderId + 1), ["NEW", "CANCELED"]);
});

test("an attached row that is reached when it becomes active fires at once", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.quote("SELL", "60000", "1");
  fixture.quote("BUY", "59000", "1");
  fixture.mark("57000");
  const placed = fixture.order(fixture.trader, {
    price: "59800",
    quantity: "1",
    slTriggerPrice: "57500",
    slWorkingType: "MARK_PRICE",
  });
  assert.ok(placed.ok);
  const sl = placed.value.orderId + 1;
  assert.deepEqual(fixture.statuses(sl), ["NEW"]);
  fixture.order(fixture.maker, { ...OPEN_SHORT, price: "59800", quantity: "1" });
  assert.deepEqual(fixture.statuses(sl), ["NEW", "UNTRIGGERED", "FILLED"]);
});

test("when a side is gone its active closing rows go, lowest first, and no others", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  fixture.hold("SHORT", "1");
  const stop = fixture.algoId({ triggerPrice: "59000" });
  const opening = fixture.algoId({ ...OPEN_LONG, triggerPrice: "61000" });
  const other = fixture.algoId({ ...CLOSE_SHORT, triggerPrice: "61000" });
  const profit = fixture.algoId({ orderType: "TAKE_PROFIT_MARKET", triggerPrice: "62000" });
  const parent = fixture.order(fixture.trader, { price: "58000", slTriggerPrice: "57000" });
  assert.ok(parent.ok);
  fixture.events.length = 0;
  fixture.quote("BUY", "60000", "1");
  assert.ok(fixture.order(fixture.trader, { ...CLOSE_LONG, price: "60000", quantity: "0.6" }).ok);
  assert.deepEqual(fixture.eventsOf("algo-order-changed"), []);
  assert.ok(fixture.order(fixture.trader, { ...CLOSE_LONG, price: "60000", quantity: "0.4" }).ok);
  const cancelled = fixture.eventsOf("algo-order-changed").map(({ algoId }) => algoId);
  assert.deepEqual(cancelled, [stop, profit]);
  assert.deepEqual(
    [...fixture.state.contract.triggerIndex.byId.keys()],
    [opening, other, parent.value.orderId + 1],
  );
});

test("rows of an order that still rests do not come back once the side was empty", () => {
  const fixture = new ConditionalOrderFixture();
  const parent = fixture.order(fixture.trader, {
    price: "59000",
    quantity: "2",
    slTriggerPrice: "58000",
  });
  assert.ok(parent.ok);
  const sl = parent.value.orderId + 1;
  fixture.quote("SELL", "59000", "0.5");
  fixture.quote("BUY", "59000.1", "0.5");
  assert.ok(fixture.order(fixture.trader, { ...CLOSE_LONG, price: "59000.1", quantity: "0.5" }).ok);
  assert.deepEqual(fixture.statuses(sl), ["NEW", "UNTRIGGERED", "CANCELED"]);
  fixture.quote("SELL", "59000", "0.5");
  assert.deepEqual(fixture.statuses(sl), ["NEW", "UNTRIGGERED", "CANCELED"]);
});

test("presets of an entry are attached to the order that it places", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.quote("SELL", "60600", "5");
  const algoId = fixture.algoId({
    ...OPEN_LONG,
    orderType: "STOP_MARKET",
    triggerPrice: "60500",
    presetTakeProfitPrice: "63000",
    presetStopLossPrice: "59000",
    slWorkingType: "MARK_PRICE",
  });
  assert.equal(fixture.rows(algoId)[0]?.tpTriggerTicks, 630_000);
  assert.equal(fixture.rows(algoId)[0]?.slWorkingType, "MARK_PRICE");
  fixture.trade("60500");
  const child = fixture.rows(algoId).at(-1)?.actualOrderId ?? 0;
  assert.equal(fixture.rows(algoId).at(-1)?.status, "FILLED");
  assert.deepEqual(fixture.statuses(child + 1), ["NEW", "UNTRIGGERED"]);
  assert.deepEqual(fixture.statuses(child + 2), ["NEW", "UNTRIGGERED"]);
  assert.equal(fixture.rows(child + 2)[0]?.clientAlgoId, `${child}-sl`);
  assert.equal(fixture.rows(child + 2)[0]?.workingType, "MARK_PRICE");
});

test("of an entry with one preset one row is attached", () => {
  for (const [entry, triggerPrice] of [
    [OPEN_LONG, "60500"],
    [OPEN_SHORT, "59500"],
  ] as const) {
    for (const field of ["presetTakeProfitPrice", "presetStopLossPrice"] as const) {
      const isAbove = (entry === OPEN_LONG) === (field === "presetTakeProfitPrice");
      const price = isAbove ? "63000" : "57000";
      const fixture = new ConditionalOrderFixture();
      fixture.quote("SELL", "60600", "5");
      fixture.quote("BUY", "59400", "5");
      const algoId = fixture.algoId({ ...entry, triggerPrice, [field]: price });
      fixture.trade(triggerPrice);
      assert.equal(fixture.rows(algoId).at(-1)?.status, "FILLED");
      const attached = [...fixture.state.contract.triggerIndex.byId.values()];
      assert.deepEqual(
        attached.map(({ triggerTicks }) => triggerTicks),
        [Number(price) * 10],
      );
    }
  }
});

test("an attached row that is not active is checked against its order", () => {
  const fixture = new ConditionalOrderFixture();
  const terms = { price: "59000", tpTriggerPrice: "61000", slTriggerPrice: "58000" };
  const placed = fixture.order(fixture.trader, terms);
  assert.ok(placed.ok);
  const [tp, sl] = [placed.value.orderId + 1, placed.value.orderId + 2];
  // Above the order and below the market: it is not looked at before the order fills.
  assert.ok(fixture.modify(tp, "59500").ok);
  assert.deepEqual(fixture.statuses(tp), ["NEW", "NEW"]);
  assert.equal(refusalOf(fixture.modify(tp, "59000")), "trigger-on-wrong-side triggerPrice");
  assert.equal(refusalOf(fixture.modify(sl, "59000")), "trigger-on-wrong-side triggerPrice");
  assert.ok(fixture.modify(sl, "58999.9").ok);
});

test("attached rows count among the conditional orders that a user may have", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.market.rules = { ...fixture.market.rules, maxOpenOrders: 3 };
  const both = { price: "59000", tpTriggerPrice: "61000", slTriggerPrice: "58000" };
  assert.ok(fixture.order(fixture.trader, both).ok);
  assert.equal(refusalOf(fixture.order(fixture.trader, both)), "too-many-open-orders symbol");
  assert.ok(fixture.order(fixture.trader, { price: "59000", tpTriggerPrice: "61000" }).ok);
  assert.equal(
    refusalOf(fixture.order(fixture.trader, { price: "59000", slTriggerPrice: "58000" })),
    "too-many-open-orders symbol",
  );
  assert.ok(fixture.order(fixture.trader, { price: "59000" }).ok, "no row comes with it");
});
