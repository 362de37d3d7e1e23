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
  const venue = new ConditionalOrderFixture();
  const placed = venue.order(venue.trader, {
    price: "59000",
    quantity: "2",
    tpTriggerPrice: "61000",
    slTriggerPrice: "58000",
    slWorkingType: "MARK_PRICE",
  });
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  const [tp, sl] = [orderId + 1, orderId + 2];
  const [row] = venue.rows(tp);
  assert.equal(row?.orderType, "TAKE_PROFIT_MARKET");
  assert.equal(row?.clientAlgoId, `${orderId}-tp`);
  assert.equal(row?.quantityLots, 2000);
  assert.equal(row?.reduceOnly, true);
  assert.equal(row?.parentOrderId, orderId);
  assert.equal(venue.rows(sl)[0]?.orderType, "STOP_MARKET");
  assert.equal(venue.rows(sl)[0]?.workingType, "MARK_PRICE");
  assert.deepEqual(venue.statuses(tp), ["NEW"]);
  // Its price is reached long before: nothing fires that is not active.
  venue.trade("61500");
  venue.trade("59500");
  assert.deepEqual(venue.statuses(tp), ["NEW"]);
  venue.quote("SELL", "59000", "0.5");
  venue.quote("SELL", "59000", "0.7");
  assert.deepEqual(venue.statuses(sl), ["NEW", "UNTRIGGERED", "UNTRIGGERED"]);
  assert.deepEqual(
    venue.rows(tp).map(({ quantityLots }) => quantityLots),
    [2000, 500, 1200],
  );
  venue.cancel(venue.trader, orderId);
  assert.equal(venue.rows(tp).at(-1)?.status, "UNTRIGGERED");
  venue.quote("BUY", "61000", "1.3");
  venue.trade("61000");
  assert.equal(venue.rows(tp).at(-1)?.status, "FILLED");
  assert.equal(venue.rows(sl).at(-1)?.status, "CANCELED", "the side is empty");
});

test("attached rows end with an order that was never filled", () => {
  const venue = new ConditionalOrderFixture();
  const terms = { price: "59000", tpTriggerPrice: "61000", slTriggerPrice: "58000" };
  const placed = venue.order(venue.trader, terms);
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  venue.cancel(venue.trader, orderId);
  assert.deepEqual(venue.statuses(orderId + 1), ["NEW", "CANCELED"]);
  assert.deepEqual(venue.statuses(orderId + 2), ["NEW", "CANCELED"]);
  const fok = venue.order(venue.trader, { ...terms, timeInForce: "FOK" });
  assert.ok(fok.ok);
  assert.deepEqual(venue.statuses(fok.value.orderId + 1), ["NEW", "CANCELED"]);
});

test("an attached row that is reached when it becomes active fires at once", () => {
  const venue = new ConditionalOrderFixture();
  venue.quote("SELL", "60000", "1");
  venue.quote("BUY", "59000", "1");
  venue.mark("57000");
  const placed = venue.order(venue.trader, {
    price: "59800",
    quantity: "1",
    slTriggerPrice: "57500",
    slWorkingType: "MARK_PRICE",
  });
  assert.ok(placed.ok);
  const sl = placed.value.orderId + 1;
  assert.deepEqual(venue.statuses(sl), ["NEW"]);
  venue.order(venue.maker, { ...OPEN_SHORT, price: "59800", quantity: "1" });
  assert.deepEqual(venue.statuses(sl), ["NEW", "UNTRIGGERED", "FILLED"]);
});

test("when a side is gone its active closing rows go, lowest first, and no others", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  venue.hold("SHORT", "1");
  const stop = venue.algoId({ triggerPrice: "59000" });
  const opening = venue.algoId({ ...OPEN_LONG, triggerPrice: "61000" });
  const other = venue.algoId({ ...CLOSE_SHORT, triggerPrice: "61000" });
  const profit = venue.algoId({ orderType: "TAKE_PROFIT_MARKET", triggerPrice: "62000" });
  const parent = venue.order(venue.trader, { price: "58000", slTriggerPrice: "57000" });
  assert.ok(parent.ok);
  venue.events.length = 0;
  venue.quote("BUY", "60000", "1");
  assert.ok(venue.order(venue.trader, { ...CLOSE_LONG, price: "60000", quantity: "0.6" }).ok);
  assert.deepEqual(venue.eventsOf("algo-order-changed"), []);
  assert.ok(venue.order(venue.trader, { ...CLOSE_LONG, price: "60000", quantity: "0.4" }).ok);
  const cancelled = venue.eventsOf("algo-order-changed").map(({ algoId }) => algoId);
  assert.deepEqual(cancelled, [stop, profit]);
  assert.deepEqual(
    [...venue.state.contract.algoIndex.byId.keys()],
    [opening, other, parent.value.orderId + 1],
  );
});

test("rows of an order that still rests do not come back once the side was empty", () => {
  const venue = new ConditionalOrderFixture();
  const parent = venue.order(venue.trader, {
    price: "59000",
    quantity: "2",
    slTriggerPrice: "58000",
  });
  assert.ok(parent.ok);
  const sl = parent.value.orderId + 1;
  venue.quote("SELL", "59000", "0.5");
  venue.quote("BUY", "59000.1", "0.5");
  assert.ok(venue.order(venue.trader, { ...CLOSE_LONG, price: "59000.1", quantity: "0.5" }).ok);
  assert.deepEqual(venue.statuses(sl), ["NEW", "UNTRIGGERED", "CANCELED"]);
  venue.quote("SELL", "59000", "0.5");
  assert.deepEqual(venue.statuses(sl), ["NEW", "UNTRIGGERED", "CANCELED"]);
});

test("presets of an entry are attached to the order that it places", () => {
  const venue = new ConditionalOrderFixture();
  venue.quote("SELL", "60600", "5");
  const algoId = venue.algoId({
    ...OPEN_LONG,
    orderType: "STOP_MARKET",
    triggerPrice: "60500",
    presetTakeProfitPrice: "63000",
    presetStopLossPrice: "59000",
    slWorkingType: "MARK_PRICE",
  });
  assert.equal(venue.rows(algoId)[0]?.tpTriggerTicks, 630_000);
  assert.equal(venue.rows(algoId)[0]?.slWorkingType, "MARK_PRICE");
  venue.trade("60500");
  const child = venue.rows(algoId).at(-1)?.actualOrderId ?? 0;
  assert.equal(venue.rows(algoId).at(-1)?.status, "FILLED");
  assert.deepEqual(venue.statuses(child + 1), ["NEW", "UNTRIGGERED"]);
  assert.deepEqual(venue.statuses(child + 2), ["NEW", "UNTRIGGERED"]);
  assert.equal(venue.rows(child + 2)[0]?.clientAlgoId, `${child}-sl`);
  assert.equal(venue.rows(child + 2)[0]?.workingType, "MARK_PRICE");
});

test("an attached row that is not active is checked against its order", () => {
  const venue = new ConditionalOrderFixture();
  const terms = { price: "59000", tpTriggerPrice: "61000", slTriggerPrice: "58000" };
  const placed = venue.order(venue.trader, terms);
  assert.ok(placed.ok);
  const [tp, sl] = [placed.value.orderId + 1, placed.value.orderId + 2];
  // Above the order and below the market: it is not looked at before the order fills.
  assert.ok(venue.modify(tp, "59500").ok);
  assert.deepEqual(venue.statuses(tp), ["NEW", "NEW"]);
  assert.equal(refusalOf(venue.modify(tp, "59000")), "trigger-on-wrong-side triggerPrice");
  assert.equal(refusalOf(venue.modify(sl, "59000")), "trigger-on-wrong-side triggerPrice");
  assert.ok(venue.modify(sl, "58999.9").ok);
});

test("attached rows count among the conditional orders that a user may have", () => {
  const venue = new ConditionalOrderFixture();
  venue.market.rules = { ...venue.market.rules, maxOpenOrders: 3 };
  const both = { price: "59000", tpTriggerPrice: "61000", slTriggerPrice: "58000" };
  assert.ok(venue.order(venue.trader, both).ok);
  assert.equal(refusalOf(venue.order(venue.trader, both)), "too-many-open-orders symbol");
  assert.ok(venue.order(venue.trader, { price: "59000", tpTriggerPrice: "61000" }).ok);
  assert.equal(
    refusalOf(venue.order(venue.trader, { price: "59000", slTriggerPrice: "58000" })),
    "too-many-open-orders symbol",
  );
  assert.ok(venue.order(venue.trader, { price: "59000" }).ok, "no row comes with it");
});
