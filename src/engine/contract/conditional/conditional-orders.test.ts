/**
 * Goal: conditional orders are taken, changed and cancelled as the rules say, and every refusal is
 * the one that they name and leaves no trace. Method: tables of commands at one market.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSE_SHORT,
  ConditionalOrderFixture,
  OPEN_LONG,
  type Placement,
  refusalOf,
} from "../../../../test/support/engine/conditional-order-fixture.ts";
import { EXAMPLE_RULES } from "../../../../test/support/engine/trading-fixture.ts";
import { setContractMarket } from "../markets.ts";

test("what cannot be placed is refused, and leaves no trace", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  const { maxOpenOrders } = fixture.market.rules;
  assert.equal(maxOpenOrders, 200);
  const before = fixture.state.nextOrderId;
  const profit = { orderType: "TAKE_PROFIT_MARKET", triggerPrice: "61000" } as const;
  const trailing = { orderType: "TRAILING_STOP_MARKET" } as const;
  const entry = { ...OPEN_LONG, triggerPrice: "61000" } as const;
  const refusals: readonly [string, Partial<Placement>][] = [
    ["unknown-user null", { uid: 5 }],
    ["unknown-symbol symbol", { symbol: "DOGEUSDT" }],
    ["malformed triggerPrice", { triggerPrice: "" }],
    ["malformed triggerPrice", { triggerPrice: "-1" }],
    ["out-of-range triggerPrice", { triggerPrice: "0" }],
    ["off-tick triggerPrice", { triggerPrice: "59000.05" }],
    ["malformed price", { ...profit, orderType: "TAKE_PROFIT" }],
    ["out-of-range price", { ...profit, orderType: "TAKE_PROFIT", price: "0.0" }],
    ["malformed quantity", { ...profit, quantity: "1e3" }],
    ["off-step quantity", { ...profit, quantity: "1.0001" }],
    ["quantity-below-minimum quantity", { ...profit, quantity: "0" }],
    ["quantity-above-maximum quantity", { ...profit, quantity: "100.001" }],
    ["quantity-above-maximum quantity", { ...entry, quantity: "50.001" }],
    ["out-of-range closePosition", { ...entry, quantity: "", closePosition: true }],
    ["malformed callbackRate", trailing],
    ["out-of-range callbackRate", { ...trailing, callbackRate: "0.099999" }],
    ["out-of-range callbackRate", { ...trailing, callbackRate: "10.000001" }],
    ["excess-precision callbackRate", { ...trailing, callbackRate: "1.0000001" }],
    ["out-of-range workingType", { ...trailing, callbackRate: "1", workingType: "MARK_PRICE" }],
    ["would-trigger activationPrice", { ...trailing, callbackRate: "1", activationPrice: "60000" }],
    ["close-exceeds-position positionSide", { ...CLOSE_SHORT, triggerPrice: "61000" }],
    ["close-exceeds-position quantity", { ...profit, isTpSl: true, quantity: "1.001" }],
    ["only-opening-orders presetStopLossPrice", { ...profit, presetStopLossPrice: "58000" }],
    ["trigger-on-wrong-side presetTakeProfitPrice", { ...entry, presetTakeProfitPrice: "61000" }],
    ["trigger-on-wrong-side presetStopLossPrice", { ...entry, presetStopLossPrice: "61000" }],
    ["off-tick presetStopLossPrice", { ...entry, presetStopLossPrice: "60000.01" }],
    ["would-trigger triggerPrice", { triggerPrice: "60000" }],
    ["would-trigger triggerPrice", { ...profit, triggerPrice: "60000" }],
    ["would-trigger triggerPrice", { ...entry, triggerPrice: "60000", workingType: "MARK_PRICE" }],
  ];
  for (const [expected, terms] of refusals) {
    assert.equal(refusalOf(fixture.conditional(terms)), expected, JSON.stringify(terms));
  }
  fixture.trader.state = "frozen";
  assert.equal(refusalOf(fixture.conditional(profit)), "user-frozen null");
  fixture.trader.state = "active";
  fixture.market.state = "cancel-only";
  assert.equal(refusalOf(fixture.conditional(profit)), "market-not-trading symbol");
  fixture.market.state = "trading";
  assert.equal(fixture.state.nextOrderId, before);
  assert.deepEqual(fixture.eventsOf("algo-order-changed"), []);
  assert.equal(fixture.state.contract.clientConditionalOrders.size, 0);
});

test("a quantity above the position is taken, and so is a limit one tick from the price", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  assert.ok(fixture.conditional({ triggerPrice: "59999.9", quantity: "7" }).ok);
  assert.ok(fixture.conditional({ isTpSl: true, triggerPrice: "59999.9", quantity: "1" }).ok);
  assert.ok(fixture.conditional({ orderType: "TRAILING_STOP_MARKET", callbackRate: "0.1" }).ok);
  assert.ok(fixture.conditional({ orderType: "TRAILING_STOP_MARKET", callbackRate: "10.0" }).ok);
});

test("there is a limit of conditional orders per symbol, which fired ones do not count for", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.market.rules = { ...fixture.market.rules, maxOpenOrders: 2 };
  fixture.hold("LONG", "1");
  const first = fixture.algoId({ orderType: "STOP", triggerPrice: "59500", price: "59600" });
  fixture.algoId({ triggerPrice: "59000" });
  assert.equal(
    refusalOf(fixture.conditional({ triggerPrice: "58000" })),
    "too-many-open-orders symbol",
  );
  fixture.trade("59500");
  assert.deepEqual(fixture.statuses(first), ["UNTRIGGERED", "TRIGGERED"]);
  assert.ok(fixture.conditional({ triggerPrice: "58000" }).ok);
});

test("a repeated client id gets its first answer; ids of orders are another matter", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  const terms = { triggerPrice: "59000", clientAlgoId: "order-1" };
  const algoId = fixture.algoId(terms);
  fixture.events.length = 0;
  assert.equal(fixture.algoId({ ...terms, triggerPrice: "59000.0" }), algoId);
  assert.equal(
    refusalOf(fixture.conditional({ ...terms, triggerPrice: "59001" })),
    "duplicate-client-order-id clientAlgoId",
  );
  assert.ok(fixture.cancelConditional(fixture.trader, algoId).ok);
  assert.equal(fixture.algoId(terms), algoId, "also after its end");
  fixture.context.nowMs += 86_400_001;
  assert.notEqual(fixture.algoId(terms), algoId);
});

test("a change is checked like a new order, and keeps the place of the row", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "1");
  const algoId = fixture.algoId({ triggerPrice: "59000" });
  assert.equal(refusalOf(fixture.modify(algoId, "60000")), "would-trigger triggerPrice");
  assert.equal(refusalOf(fixture.modify(algoId, "59000.01")), "off-tick triggerPrice");
  const offTick = { executePrice: "58000.01" };
  assert.equal(refusalOf(fixture.modify(algoId, "59000", offTick)), "off-tick executePrice");
  assert.equal(refusalOf(fixture.modify(algoId + 1, "59000")), "algo-order-not-found algoId");
  const foreign = { uid: fixture.maker.uid };
  assert.equal(refusalOf(fixture.modify(algoId, "59000", foreign)), "algo-order-not-found algoId");
  assert.ok(fixture.modify(algoId, "59500", { executePrice: "59400" }).ok);
  const limit = fixture.rows(algoId).at(-1);
  assert.equal(limit?.orderType, "STOP");
  assert.equal(limit?.priceTicks, 594_000);
  assert.equal(limit?.triggerTicks, 595_000);
  assert.ok(fixture.modify(algoId, "59200", { executePrice: "0", workingType: "MARK_PRICE" }).ok);
  assert.equal(fixture.rows(algoId).at(-1)?.orderType, "STOP_MARKET");
  fixture.trade("59200");
  assert.equal(fixture.rows(algoId).at(-1)?.status, "UNTRIGGERED");
  fixture.quote("BUY", "59100", "1");
  fixture.mark("59200");
  assert.equal(fixture.rows(algoId).at(-1)?.status, "FILLED");
  const entry = fixture.algoId({ ...OPEN_LONG, triggerPrice: "61000" });
  assert.equal(refusalOf(fixture.modify(entry, "62000")), "algo-order-not-found algoId");
});

test("only the owner cancels, and only what waits; all of a symbol go lowest first", () => {
  const fixture = new ConditionalOrderFixture();
  const other = { ...EXAMPLE_RULES, symbol: "OTHERUSDT" };
  assert.ok(setContractMarket(fixture.context, other).ok);
  fixture.hold("LONG", "1");
  const first = fixture.algoId({ triggerPrice: "59000" });
  const second = fixture.algoId({ ...OPEN_LONG, symbol: "OTHERUSDT", triggerPrice: "3000" });
  const third = fixture.algoId({ ...OPEN_LONG, triggerPrice: "61000" });
  const foreign = refusalOf(fixture.cancelConditional(fixture.maker, first));
  assert.equal(foreign, "algo-order-not-found algoId");
  assert.equal(foreign, refusalOf(fixture.cancelConditional(fixture.maker, 999_999)));
  assert.deepEqual(fixture.cancelAll("BTCUSDT"), [first, third]);
  assert.equal(refusalOf(fixture.cancelConditional(fixture.trader, first)), foreign);
  const fourth = fixture.algoId({ triggerPrice: "59000" });
  assert.deepEqual(fixture.cancelAll(null), [second, fourth]);
  assert.deepEqual(fixture.cancelAll(null), []);
});
