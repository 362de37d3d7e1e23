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
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  fixture.quote("BUY", "59000", "0.4");
  fixture.quote("BUY", "58900", "2");
  const algoId = fixture.algoId({ triggerPrice: "59500" });
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED"]);
  fixture.trade("59500");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED", "FILLED"]);
  const [placed, filled] = fixture.rows(algoId);
  assert.equal(placed?.triggeredMs, 0);
  assert.equal(filled?.triggeredMs, filled?.updatedMs);
  // 0.4 at 59000 and 0.6 at 58900.
  assert.equal(filled?.actualPriceE8, 58940n * ONE_USDT);
  assert.equal(filled?.reduceOnly, true);
  assert.equal(filled?.timeInForce, "IOC");
  const child = fixture.events.find(
    (event) => event.type === "contract-order-ended" && event.algoId === algoId,
  );
  assert.ok(child?.type === "contract-order-ended");
  assert.equal(filled?.actualOrderId, child.orderId);
  assert.equal(child.clientOrderId, `algo-${algoId}`);
  assert.equal(fixture.state.contract.triggerIndex.byId.size, 0);
});

test("a child that rests is TRIGGERED until it ends", () => {
  for (const end of ["fill", "cancel", "part"] as const) {
    const fixture = new ConditionalOrderFixture();
    fixture.hold("LONG", "1");
    const algoId = fixture.algoId({ orderType: "STOP", triggerPrice: "59500", price: "59600" });
    fixture.trade("59500");
    assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED", "TRIGGERED"]);
    const triggered = fixture.rows(algoId)[1];
    assert.equal(triggered?.actualPriceE8, 0n);
    assert.equal(triggered?.timeInForce, "GTC");
    assert.equal(
      refusalOf(fixture.cancelConditional(fixture.trader, algoId)),
      "algo-order-not-found algoId",
    );
    assert.equal(refusalOf(fixture.modify(algoId, "59000")), "algo-order-not-found algoId");
    const orderId = triggered?.actualOrderId ?? 0;
    if (end === "fill") fixture.quote("BUY", "59600", "1");
    if (end === "part") fixture.quote("BUY", "59600", "0.3");
    if (end !== "fill") fixture.cancel(fixture.trader, orderId);
    const last = fixture.rows(algoId).at(-1);
    assert.equal(last?.status, end === "fill" ? "FILLED" : "CANCELED");
    assert.equal(last?.actualOrderId, orderId);
    assert.equal(last?.actualPriceE8, end === "cancel" ? 0n : 59600n * ONE_USDT);
  }
});

test("a child without a counterpart, or with half of one, ends the row as CANCELED", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  const nothing = fixture.algoId({ triggerPrice: "59500" });
  fixture.trade("59500");
  assert.deepEqual(fixture.statuses(nothing), ["UNTRIGGERED", "CANCELED"]);
  assert.equal(fixture.rows(nothing)[1]?.actualPriceE8, 0n);
  assert.notEqual(fixture.rows(nothing)[1]?.actualOrderId, 0);
  fixture.quote("BUY", "59400", "0.25");
  const half = fixture.algoId({ triggerPrice: "59450" });
  fixture.trade("59450");
  assert.equal(fixture.rows(half)[1]?.status, "CANCELED");
  assert.equal(fixture.rows(half)[1]?.actualPriceE8, 59400n * ONE_USDT);
  assert.equal(fixture.rows(half)[1]?.quantityLots, 1000);
});

test("a closing child takes what is closable; with nothing to close there is none", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  // A resting close reserves all but 0.1.
  assert.ok(fixture.order(fixture.trader, { ...CLOSE_LONG, price: "62000", quantity: "0.9" }).ok);
  fixture.quote("BUY", "59000", "5");
  const many = fixture.algoId({ triggerPrice: "59500", quantity: "3" });
  const whole = fixture.algoId({ triggerPrice: "59400", quantity: "", closePosition: true });
  fixture.trade("59500");
  const filled = fixture.rows(many)[1];
  assert.equal(filled?.status, "FILLED");
  assert.equal(filled?.quantityLots, 3000);
  const trade = fixture.events.findLast((event) => event.type === "contract-trade");
  assert.ok(trade?.type === "contract-trade" && trade.quantityLots === 100);
  fixture.trade("59400");
  const empty = fixture.rows(whole)[1];
  assert.equal(empty?.status, "CANCELED");
  assert.equal(empty?.actualOrderId, 0);
  assert.equal(empty?.triggeredMs, empty?.updatedMs);
  assert.equal(empty?.quantityLots, 0);
});

test("a whole position is closed however large it is by then", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("SHORT", "1");
  const algoId = fixture.algoId({
    ...CLOSE_SHORT,
    orderType: "TAKE_PROFIT_MARKET",
    triggerPrice: "59000",
    quantity: "",
    closePosition: true,
  });
  fixture.hold("SHORT", "0.5");
  fixture.quote("SELL", "59100", "9");
  fixture.trade("59000");
  assert.equal(fixture.rows(algoId).at(-1)?.status, "FILLED");
  assert.equal(fixture.state.contract.positions.size, 2, "the maker's own two are left");
});

test("a refused child cancels the row", () => {
  const fixture = new ConditionalOrderFixture();
  const opening = { ...OPEN_LONG, triggerPrice: "60500" };
  const poor = fixture.algoId({ ...opening, quantity: "49" });
  const frozen = fixture.algoId({ ...opening, triggerPrice: "60600" });
  fixture.trade("60500");
  assert.deepEqual(fixture.statuses(poor), ["UNTRIGGERED", "CANCELED"]);
  assert.equal(fixture.rows(poor)[1]?.actualOrderId, 0);
  assert.notEqual(fixture.rows(poor)[1]?.triggeredMs, 0);
  fixture.trader.state = "frozen";
  fixture.trade("60600");
  assert.deepEqual(fixture.statuses(frozen), ["UNTRIGGERED", "CANCELED"]);
});

test("the lowest id fires first, and the next one is looked at again after its child", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  fixture.hold("SHORT", "1");
  const up = fixture.algoId({ ...CLOSE_SHORT, triggerPrice: "60500", quantity: "1" });
  const same = fixture.algoId({
    ...CLOSE_LONG,
    orderType: "TAKE_PROFIT_MARKET",
    triggerPrice: "60500",
  });
  // The child of the first trades at 60400: the second is not reached any more.
  fixture.quote("SELL", "60400", "1");
  fixture.mark("61000");
  fixture.order(fixture.maker, { ...OPEN_LONG, price: "60500", quantity: "1.001" });
  fixture.cancelAll(null);
  assert.deepEqual(fixture.statuses(up), ["UNTRIGGERED", "CANCELED"]);
  assert.deepEqual(fixture.statuses(same), ["UNTRIGGERED", "CANCELED"]);
});

test("a mark condition looks at the mark alone", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  fixture.quote("BUY", "59500", "1");
  const algoId = fixture.algoId({ triggerPrice: "59000", workingType: "MARK_PRICE" });
  fixture.trade("59600");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED"]);
  fixture.mark("59000.1");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED"]);
  fixture.mark("59000");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED", "FILLED"]);
});

test("a market that does not trade fires nothing until it does", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  fixture.quote("BUY", "59500", "1");
  const algoId = fixture.algoId({ triggerPrice: "59000", workingType: "MARK_PRICE" });
  fixture.market.state = "cancel-only";
  fixture.mark("58000");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED"]);
  fixture.market.state = "trading";
  fixture.mark("58000.1");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED", "FILLED"]);
});

test("a trailing stop fires when the price has turned by its rate", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  fixture.quote("BUY", "59000", "1");
  const trailing = { orderType: "TRAILING_STOP_MARKET", callbackRate: "1" } as const;
  const algoId = fixture.algoId(trailing);
  const later = fixture.algoId({ ...trailing, activationPrice: "61500", callbackRate: "0.1" });
  assert.equal(fixture.rows(algoId)[0]?.triggerTicks, 594_000);
  assert.equal(fixture.rows(later)[0]?.triggerTicks, 0);
  fixture.trade("61000");
  fixture.trade("60390.1");
  assert.deepEqual(fixture.statuses(algoId), ["UNTRIGGERED"]);
  fixture.trade("60390");
  const fired = fixture.rows(algoId)[1];
  assert.equal(fired?.status, "FILLED");
  assert.equal(fired?.triggerTicks, 603_900);
  // The side is empty, and with it goes the one that was never active.
  assert.deepEqual(fixture.statuses(later), ["UNTRIGGERED", "CANCELED"]);
});
