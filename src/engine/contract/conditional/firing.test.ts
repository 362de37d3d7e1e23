/**
 * Goal: conditional orders fire when their price is reached, and end as their child does: every way
 * from UNTRIGGERED on. Method: a maker's quotes decide what the child meets; what was told of the
 * row is compared, and every command ends with the full check.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSE_LONG,
  CLOSE_SHORT,
  ConditionalOrderFixture,
  OPEN_LONG,
  refusalOf,
} from "../../../../test/support/engine/conditional-order-fixture.ts";

const ONE_USDT = 10n ** 8n;

test("a market child that fills at once ends the row with its average price", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  venue.quote("BUY", "59000", "0.4");
  venue.quote("BUY", "58900", "2");
  const algoId = venue.algoId({ triggerPrice: "59500" });
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED"]);
  venue.trade("59500");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED", "FILLED"]);
  const [placed, filled] = venue.rows(algoId);
  assert.equal(placed?.triggeredMs, 0);
  assert.equal(filled?.triggeredMs, filled?.updatedMs);
  // 0.4 at 59000 and 0.6 at 58900.
  assert.equal(filled?.actualPriceE8, 58940n * ONE_USDT);
  assert.equal(filled?.reduceOnly, true);
  assert.equal(filled?.timeInForce, "IOC");
  const child = venue.events.find(
    (event) => event.type === "contract-order-ended" && event.algoId === algoId,
  );
  assert.ok(child?.type === "contract-order-ended");
  assert.equal(filled?.actualOrderId, child.orderId);
  assert.equal(child.clientOrderId, `algo-${algoId}`);
  assert.equal(venue.state.contract.algoIndex.byId.size, 0);
});

test("a child that rests is TRIGGERED until it ends", () => {
  for (const end of ["fill", "cancel", "part"] as const) {
    const venue = new ConditionalOrderFixture();
    venue.hold("LONG", "1");
    const algoId = venue.algoId({ orderType: "STOP", triggerPrice: "59500", price: "59600" });
    venue.trade("59500");
    assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED", "TRIGGERED"]);
    const triggered = venue.rows(algoId)[1];
    assert.equal(triggered?.actualPriceE8, 0n);
    assert.equal(triggered?.timeInForce, "GTC");
    assert.equal(refusalOf(venue.cancelAlgo(venue.trader, algoId)), "algo-order-not-found algoId");
    assert.equal(refusalOf(venue.modify(algoId, "59000")), "algo-order-not-found algoId");
    const orderId = triggered?.actualOrderId ?? 0;
    if (end === "fill") venue.quote("BUY", "59600", "1");
    if (end === "part") venue.quote("BUY", "59600", "0.3");
    if (end !== "fill") venue.cancel(venue.trader, orderId);
    const last = venue.rows(algoId).at(-1);
    assert.equal(last?.status, end === "fill" ? "FILLED" : "CANCELED");
    assert.equal(last?.actualOrderId, orderId);
    assert.equal(last?.actualPriceE8, end === "cancel" ? 0n : 59600n * ONE_USDT);
  }
});

test("a child without a counterpart, or with half of one, ends the row as CANCELED", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  const nothing = venue.algoId({ triggerPrice: "59500" });
  venue.trade("59500");
  assert.deepEqual(venue.statuses(nothing), ["UNTRIGGERED", "CANCELED"]);
  assert.equal(venue.rows(nothing)[1]?.actualPriceE8, 0n);
  assert.notEqual(venue.rows(nothing)[1]?.actualOrderId, 0);
  venue.quote("BUY", "59400", "0.25");
  const half = venue.algoId({ triggerPrice: "59450" });
  venue.trade("59450");
  assert.equal(venue.rows(half)[1]?.status, "CANCELED");
  assert.equal(venue.rows(half)[1]?.actualPriceE8, 59400n * ONE_USDT);
  assert.equal(venue.rows(half)[1]?.quantityLots, 1000);
});

test("a closing child takes what is closable; with nothing to close there is none", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  // A resting close reserves all but 0.1.
  assert.ok(venue.order(venue.trader, { ...CLOSE_LONG, price: "62000", quantity: "0.9" }).ok);
  venue.quote("BUY", "59000", "5");
  const many = venue.algoId({ triggerPrice: "59500", quantity: "3" });
  const whole = venue.algoId({ triggerPrice: "59400", quantity: "", closePosition: true });
  venue.trade("59500");
  const filled = venue.rows(many)[1];
  assert.equal(filled?.status, "FILLED");
  assert.equal(filled?.quantityLots, 3000);
  const trade = venue.events.findLast((event) => event.type === "contract-trade");
  assert.ok(trade?.type === "contract-trade" && trade.quantityLots === 100);
  venue.trade("59400");
  const empty = venue.rows(whole)[1];
  assert.equal(empty?.status, "CANCELED");
  assert.equal(empty?.actualOrderId, 0);
  assert.equal(empty?.triggeredMs, empty?.updatedMs);
  assert.equal(empty?.quantityLots, 0);
});

test("a whole position is closed however large it is by then", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("SHORT", "1");
  const algoId = venue.algoId({
    ...CLOSE_SHORT,
    orderType: "TAKE_PROFIT_MARKET",
    triggerPrice: "59000",
    quantity: "",
    closePosition: true,
  });
  venue.hold("SHORT", "0.5");
  venue.quote("SELL", "59100", "9");
  venue.trade("59000");
  assert.equal(venue.rows(algoId).at(-1)?.status, "FILLED");
  assert.equal(venue.state.contract.positions.size, 2, "the maker's own two are left");
});

test("a refused child cancels the row", () => {
  const venue = new ConditionalOrderFixture();
  const opening = { ...OPEN_LONG, triggerPrice: "60500" };
  const poor = venue.algoId({ ...opening, quantity: "49" });
  const frozen = venue.algoId({ ...opening, triggerPrice: "60600" });
  venue.trade("60500");
  assert.deepEqual(venue.statuses(poor), ["UNTRIGGERED", "CANCELED"]);
  assert.equal(venue.rows(poor)[1]?.actualOrderId, 0);
  assert.notEqual(venue.rows(poor)[1]?.triggeredMs, 0);
  venue.trader.state = "frozen";
  venue.trade("60600");
  assert.deepEqual(venue.statuses(frozen), ["UNTRIGGERED", "CANCELED"]);
});

test("the lowest id fires first, and the next one is looked at again after its child", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  venue.hold("SHORT", "1");
  const up = venue.algoId({ ...CLOSE_SHORT, triggerPrice: "60500", quantity: "1" });
  const same = venue.algoId({
    ...CLOSE_LONG,
    orderType: "TAKE_PROFIT_MARKET",
    triggerPrice: "60500",
  });
  // The child of the first trades at 60400: the second is not reached any more.
  venue.quote("SELL", "60400", "1");
  venue.mark("61000");
  venue.order(venue.maker, { ...OPEN_LONG, price: "60500", quantity: "1.001" });
  venue.cancelAll(null);
  assert.deepEqual(venue.statuses(up), ["UNTRIGGERED", "CANCELED"]);
  assert.deepEqual(venue.statuses(same), ["UNTRIGGERED", "CANCELED"]);
});

test("a mark condition looks at the mark alone", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  venue.quote("BUY", "59500", "1");
  const algoId = venue.algoId({ triggerPrice: "59000", workingType: "MARK_PRICE" });
  venue.trade("59600");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED"]);
  venue.mark("59000.1");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED"]);
  venue.mark("59000");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED", "FILLED"]);
});

test("a market that does not trade fires nothing until it does", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  venue.quote("BUY", "59500", "1");
  const algoId = venue.algoId({ triggerPrice: "59000", workingType: "MARK_PRICE" });
  venue.market.state = "cancel-only";
  venue.mark("58000");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED"]);
  venue.market.state = "trading";
  venue.mark("58000.1");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED", "FILLED"]);
});

test("a trailing stop fires when the price has turned by its rate", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  venue.quote("BUY", "59000", "1");
  const trailing = { orderType: "TRAILING_STOP_MARKET", callbackRate: "1" } as const;
  const algoId = venue.algoId(trailing);
  const later = venue.algoId({ ...trailing, activationPrice: "61500", callbackRate: "0.1" });
  assert.equal(venue.rows(algoId)[0]?.triggerTicks, 594_000);
  assert.equal(venue.rows(later)[0]?.triggerTicks, 0);
  venue.trade("61000");
  venue.trade("60390.1");
  assert.deepEqual(venue.statuses(algoId), ["UNTRIGGERED"]);
  venue.trade("60390");
  const fired = venue.rows(algoId)[1];
  assert.equal(fired?.status, "FILLED");
  assert.equal(fired?.triggerTicks, 603_900);
  // The side is empty, and with it goes the one that was never active.
  assert.deepEqual(venue.statuses(later), ["UNTRIGGERED", "CANCELED"]);
});
