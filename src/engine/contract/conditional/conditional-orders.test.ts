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
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  const { maxOpenOrders } = venue.market.rules;
  assert.equal(maxOpenOrders, 200);
  const before = venue.state.nextOrderId;
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
    assert.equal(refusalOf(venue.algo(terms)), expected, JSON.stringify(terms));
  }
  venue.trader.state = "frozen";
  assert.equal(refusalOf(venue.algo(profit)), "user-frozen null");
  venue.trader.state = "active";
  venue.market.state = "cancel-only";
  assert.equal(refusalOf(venue.algo(profit)), "market-not-trading symbol");
  venue.market.state = "trading";
  assert.equal(venue.state.nextOrderId, before);
  assert.deepEqual(venue.eventsOf("algo-order-changed"), []);
  assert.equal(venue.state.contract.clientAlgoOrders.size, 0);
});

test("a quantity above the position is taken, and so is a limit one tick from the price", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  assert.ok(venue.algo({ triggerPrice: "59999.9", quantity: "7" }).ok);
  assert.ok(venue.algo({ isTpSl: true, triggerPrice: "59999.9", quantity: "1" }).ok);
  assert.ok(venue.algo({ orderType: "TRAILING_STOP_MARKET", callbackRate: "0.1" }).ok);
  assert.ok(venue.algo({ orderType: "TRAILING_STOP_MARKET", callbackRate: "10.0" }).ok);
});

test("there is a limit of conditional orders per symbol, which fired ones do not count for", () => {
  const venue = new ConditionalOrderFixture();
  venue.market.rules = { ...venue.market.rules, maxOpenOrders: 2 };
  venue.hold("LONG", "1");
  const first = venue.algoId({ orderType: "STOP", triggerPrice: "59500", price: "59600" });
  venue.algoId({ triggerPrice: "59000" });
  assert.equal(refusalOf(venue.algo({ triggerPrice: "58000" })), "too-many-open-orders symbol");
  venue.trade("59500");
  assert.deepEqual(venue.statuses(first), ["UNTRIGGERED", "TRIGGERED"]);
  assert.ok(venue.algo({ triggerPrice: "58000" }).ok);
});

test("a repeated client id gets its first answer; ids of orders are another matter", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  const terms = { triggerPrice: "59000", clientAlgoId: "order-1" };
  const algoId = venue.algoId(terms);
  venue.events.length = 0;
  assert.equal(venue.algoId({ ...terms, triggerPrice: "59000.0" }), algoId);
  assert.equal(
    refusalOf(venue.algo({ ...terms, triggerPrice: "59001" })),
    "duplicate-client-order-id clientAlgoId",
  );
  assert.ok(venue.cancelAlgo(venue.trader, algoId).ok);
  assert.equal(venue.algoId(terms), algoId, "also after its end");
  venue.context.nowMs += 86_400_001;
  assert.notEqual(venue.algoId(terms), algoId);
});

test("a change is checked like a new order, and keeps the place of the row", () => {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "1");
  const algoId = venue.algoId({ triggerPrice: "59000" });
  assert.equal(refusalOf(venue.modify(algoId, "60000")), "would-trigger triggerPrice");
  assert.equal(refusalOf(venue.modify(algoId, "59000.01")), "off-tick triggerPrice");
  const offTick = { executePrice: "58000.01" };
  assert.equal(refusalOf(venue.modify(algoId, "59000", offTick)), "off-tick executePrice");
  assert.equal(refusalOf(venue.modify(algoId + 1, "59000")), "algo-order-not-found algoId");
  const foreign = { uid: venue.maker.uid };
  assert.equal(refusalOf(venue.modify(algoId, "59000", foreign)), "algo-order-not-found algoId");
  assert.ok(venue.modify(algoId, "59500", { executePrice: "59400" }).ok);
  const limit = venue.rows(algoId).at(-1);
  assert.equal(limit?.orderType, "STOP");
  assert.equal(limit?.priceTicks, 594_000);
  assert.equal(limit?.triggerTicks, 595_000);
  assert.ok(venue.modify(algoId, "59200", { executePrice: "0", workingType: "MARK_PRICE" }).ok);
  assert.equal(venue.rows(algoId).at(-1)?.orderType, "STOP_MARKET");
  venue.trade("59200");
  assert.equal(venue.rows(algoId).at(-1)?.status, "UNTRIGGERED");
  venue.quote("BUY", "59100", "1");
  venue.mark("59200");
  assert.equal(venue.rows(algoId).at(-1)?.status, "FILLED");
  const entry = venue.algoId({ ...OPEN_LONG, triggerPrice: "61000" });
  assert.equal(refusalOf(venue.modify(entry, "62000")), "algo-order-not-found algoId");
});

test("only the owner cancels, and only what waits; all of a symbol go lowest first", () => {
  const venue = new ConditionalOrderFixture();
  const other = { ...EXAMPLE_RULES, symbol: "OTHERUSDT" };
  assert.ok(setContractMarket(venue.context, other).ok);
  venue.hold("LONG", "1");
  const first = venue.algoId({ triggerPrice: "59000" });
  const second = venue.algoId({ ...OPEN_LONG, symbol: "OTHERUSDT", triggerPrice: "3000" });
  const third = venue.algoId({ ...OPEN_LONG, triggerPrice: "61000" });
  const foreign = refusalOf(venue.cancelAlgo(venue.maker, first));
  assert.equal(foreign, "algo-order-not-found algoId");
  assert.equal(foreign, refusalOf(venue.cancelAlgo(venue.maker, 999_999)));
  assert.deepEqual(venue.cancelAll("BTCUSDT"), [first, third]);
  assert.equal(refusalOf(venue.cancelAlgo(venue.trader, first)), foreign);
  const fourth = venue.algoId({ triggerPrice: "59000" });
  assert.deepEqual(venue.cancelAll(null), [second, fourth]);
  assert.deepEqual(venue.cancelAll(null), []);
});
