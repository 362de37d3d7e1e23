/**
 * Proves what the signed v3 trading endpoints command, ask and answer, value for value, and their
 * refusals, with an exchange in memory.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerOf,
  CALLER_SIGNATURE,
  callEndpoint,
  type EndpointInput,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import {
  callerOf,
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { BOOK_VERSION, ENGINE, HISTORY, OPEN_ORDER } from "../../../test/support/spot-fixture.ts";
import { CLIENT_ORDER_ID_PATTERN, reject } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import type { Endpoint } from "../endpoint.ts";
import { myTrades, openOrders, order } from "./order-reads.ts";
import { cancelOpenOrders, cancelOrder, cancelOrders, placeOrder } from "./orders.ts";

const spot = () => new ExchangeDouble(ENGINE, HISTORY);

const ask = (endpoint: Endpoint, input: EndpointInput, exchange = spot()) =>
  answerOf(endpoint, input, exchange);
const refusal = (endpoint: Endpoint, input: EndpointInput, exchange = spot()) =>
  refusalOf(endpoint, input, exchange);

const LIMIT_ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "POST_ONLY",
  quantity: "0.5",
  price: "98000",
  newClientOrderId: "mine-78",
};

const OPEN_ANSWER = {
  symbol: "BTCUSDT",
  orderId: 77,
  clientOrderId: "mine-77",
  price: "98000",
  origQty: "0.5",
  executedQty: "0.2",
  cummulativeQuoteQty: "19600",
  status: "NEW",
  timeInForce: "GTC",
  type: "LIMIT",
  side: "BUY",
  time: DOUBLE_TIME_MS - 500,
  updateTime: DOUBLE_TIME_MS - 400,
  isWorking: true,
};

const ENDED_ANSWER = {
  symbol: "BTCUSDT",
  orderId: 70,
  clientOrderId: "mine-70",
  price: "0",
  origQty: "0.1",
  executedQty: "0.1",
  cummulativeQuoteQty: "9900",
  status: "FILLED",
  timeInForce: "IOC",
  type: "MARKET",
  side: "SELL",
  time: DOUBLE_TIME_MS - 900,
  updateTime: DOUBLE_TIME_MS - 900,
  isWorking: false,
};

test("placing a limit order", async () => {
  const exchange = spot();
  assert.deepEqual(await ask(placeOrder, { body: LIMIT_ORDER }, exchange), {
    symbol: "BTCUSDT",
    orderId: 78,
    clientOrderId: "mine-78",
    transactTime: DOUBLE_TIME_MS,
    lastUpdateId: BOOK_VERSION,
  });
  assert.deepEqual(exchange.commands, [
    {
      type: "place-spot-order",
      uid: UID,
      symbol: "BTCUSDT",
      side: "BUY",
      orderType: "LIMIT",
      timeInForce: "POST_ONLY",
      price: "98000",
      quantity: "0.5",
      quantityUnit: "base",
      clientOrderId: "mine-78",
    },
  ]);
});

test("a limit order is GTC unless it says otherwise", async () => {
  for (const timeInForce of [undefined, null]) {
    const exchange = spot();
    const { timeInForce: _, ...rest } = LIMIT_ORDER;
    const body = timeInForce === undefined ? rest : { ...rest, timeInForce };
    await ask(placeOrder, { body }, exchange);
    assert.partialDeepStrictEqual(exchange.commands, [{ timeInForce: "GTC" }]);
  }
});

test("a market buy counts base asset; its price and time in force have no effect", async () => {
  for (const extra of [{}, { price: "1", timeInForce: "FOK" }, { price: null }]) {
    const exchange = spot();
    const body = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "0.1", ...extra };
    await ask(placeOrder, { body }, exchange);
    assert.partialDeepStrictEqual(exchange.commands, [
      { price: "", timeInForce: "IOC", quantity: "0.1", quantityUnit: "base" },
    ]);
  }
});

test("an absent, null or empty client order id is that of the request", async () => {
  const exchange = spot();
  const { newClientOrderId: _, ...rest } = LIMIT_ORDER;
  for (const body of [
    rest,
    { ...rest, newClientOrderId: null },
    { ...rest, newClientOrderId: "" },
  ]) {
    await ask(placeOrder, { body }, exchange);
  }
  const drawn = exchange.commands.map((command) =>
    command.type === "place-spot-order" ? command.clientOrderId : "",
  );
  const id = requestIdOf({ caller: callerOf(UID), signature: CALLER_SIGNATURE });
  assert.deepEqual(drawn, [id, id, id]);
  assert.match(id, new RegExp(CLIENT_ORDER_ID_PATTERN));
});

test("a limit order needs a price", async () => {
  const { price: _, ...rest } = LIMIT_ORDER;
  for (const body of [rest, { ...rest, price: null }]) {
    const exchange = spot();
    const refused = await refusal(placeOrder, { body }, exchange);
    assert.deepEqual(refused, ["missing-parameter", "price"]);
    assert.equal(exchange.commands.length, 0);
  }
});

test("the engine's refusal names the wire's field", async () => {
  const duplicate = new ExchangeDouble({
    "place-spot-order": () => reject("duplicate-client-order-id", "clientOrderId"),
  });
  const refused = await refusal(placeOrder, { body: LIMIT_ORDER }, duplicate);
  assert.deepEqual(refused, ["duplicate-client-order-id", "newClientOrderId"]);
  const missing = new ExchangeDouble({
    "cancel-spot-order": () => reject("order-not-found", "clientOrderId"),
  });
  const query = { origClientOrderId: "none" };
  const refusedCancel = await refusal(cancelOrder, { query }, missing);
  assert.deepEqual(refusedCancel, ["order-not-found", "origClientOrderId"]);
});

test("numbers, exponents and foreign words are refused with the field's own code", async () => {
  const exchange = spot();
  for (const [wrong, reason] of [
    [{ quantity: 0.5 }, "invalid-parameter"],
    [{ quantity: "1e3" }, "invalid-parameter"],
    [{ quantity: "-1" }, "invalid-parameter"],
    [{ quantity: " 1" }, "invalid-parameter"],
    [{ quantity: "" }, "missing-parameter"],
    [{ quantity: null }, "missing-parameter"],
    [{ price: 98000 }, "invalid-parameter"],
    [{ price: "" }, "missing-parameter"],
    [{ side: "buy" }, "invalid-side"],
    [{ type: "STOP" }, "invalid-order-type"],
    [{ timeInForce: "GTD" }, "invalid-time-in-force"],
    [{ newClientOrderId: "a b" }, "invalid-client-order-id"],
    [{ newClientOrderId: "x".repeat(41) }, "invalid-client-order-id"],
    [{ newClientOrderId: 7 }, "invalid-client-order-id"],
    [{ symbol: ["BTCUSDT"] }, "unknown-symbol"],
  ] as const) {
    const refused = await refusal(placeOrder, { body: { ...LIMIT_ORDER, ...wrong } }, exchange);
    assert.deepEqual(refused, [reason, Object.keys(wrong)[0]]);
  }
  assert.deepEqual(exchange.commands, []);
});

test("one order, open or ended, by either id", async () => {
  for (const query of [{ orderId: "77" }, { origClientOrderId: "mine-77" }]) {
    const exchange = spot();
    assert.deepEqual(await ask(order, { query }, exchange), OPEN_ANSWER);
    assert.deepEqual(exchange.asked, []);
  }
  for (const query of [
    { orderId: "70" },
    { origClientOrderId: "mine-70" },
    { orderId: "70", origClientOrderId: "" },
    { orderId: "70", origClientOrderId: "mine-77" },
  ]) {
    const exchange = spot();
    assert.deepEqual(await ask(order, { query }, exchange), ENDED_ANSWER);
    assert.equal(exchange.asked[0]?.sequence, DOUBLE_SEQUENCE);
  }
});

test("an order that is not there, and an order that is not named", async () => {
  for (const endpoint of [order, cancelOrder]) {
    for (const orderId of ["71", "0", "736557215397183592", "9999999999999999999"]) {
      const [reason] = await refusal(endpoint, { query: { orderId } });
      assert.equal(reason, "order-not-found");
    }
    for (const query of [{}, { origClientOrderId: "" }]) {
      assert.deepEqual(await refusal(endpoint, { query }), ["missing-order-id", "orderId"]);
    }
  }
});

test("cancelling one order by either id", async () => {
  for (const [query, key] of [
    [{ orderId: "77" }, { orderId: 77, clientOrderId: null }],
    [{ origClientOrderId: "mine-77" }, { orderId: null, clientOrderId: "mine-77" }],
  ] as const) {
    const exchange = spot();
    assert.deepEqual(await ask(cancelOrder, { query }, exchange), {
      orderId: 77,
      origClientOrderId: "mine-77",
      status: "CANCELED",
      lastUpdateId: BOOK_VERSION,
    });
    const command = { type: "cancel-spot-order", uid: UID, symbol: null, ...key };
    assert.deepEqual(exchange.commands, [command]);
  }
});

test("cancelling several: each by itself, in the order of the request", async () => {
  const ids = { orderId: 77, origClientOrderId: "mine-77" };
  const cancelled = { ...ids, status: "CANCELED", lastUpdateId: BOOK_VERSION };
  const missing = { status: "FAILED", errorMsg: "FAILED_ORDER_NOT_FOUND" };
  const byId = { orderIds: [5, "77", "736557215397183592"] };
  assert.deepEqual(await ask(cancelOrders, { body: byId }), {
    orderList: [
      { orderId: 5, ...missing },
      cancelled,
      { orderId: "736557215397183592", ...missing },
    ],
  });
  const byClientId = { origClientOrderIds: ["mine-77", "none"], orderIds: null };
  assert.deepEqual(await ask(cancelOrders, { body: byClientId }), {
    orderList: [cancelled, { origClientOrderId: "none", ...missing }],
  });
});

test("cancelling several needs ids of one kind, ten at most", async () => {
  for (const body of [{}, { orderIds: [] }, { orderIds: null, origClientOrderIds: [] }]) {
    const refused = await refusal(cancelOrders, { body });
    assert.deepEqual(refused, ["missing-order-id", "orderIds"]);
  }
  const both = { orderIds: ["1"], origClientOrderIds: ["a"] };
  const refused = await refusal(cancelOrders, { body: both });
  assert.deepEqual(refused, ["invalid-combination", "origClientOrderIds"]);
  const orderIds = Array.from({ length: 11 }, (_, i) => i + 1);
  const tooMany = await refusal(cancelOrders, { body: { orderIds } });
  assert.deepEqual(tooMany, ["parameter-out-of-range", "orderIds"]);
  await ask(cancelOrders, { body: { orderIds: orderIds.slice(1) } });
});

test("an exchange that is shut answers so for the whole list", async () => {
  const shut = new ExchangeDouble({ "cancel-spot-order": () => ({ unavailable: "stopping" }) });
  const outcome = await callEndpoint(cancelOrders, { body: { orderIds: [1, 2] } }, shut);
  assert.deepEqual(outcome, { ok: false, unavailable: "stopping" });
});

test("open orders, newest first", async () => {
  assert.deepEqual(await ask(openOrders, {}), [OPEN_ANSWER]);
  const three = new ExchangeDouble({
    "spot-open-orders": () => ({
      ok: true,
      value: [78, 80, 79].map((orderId) => ({ ...OPEN_ORDER, orderId })),
    }),
  });
  const rows = (await ask(openOrders, { query: { symbol: "BTCUSDT" } }, three)) as {
    readonly orderId: number;
  }[];
  assert.deepEqual(
    rows.map(({ orderId }) => orderId),
    [80, 79, 78],
  );
  const unknown = await refusal(openOrders, { query: { symbol: "btcusdt" } });
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
});

test("cancelling every open order of a market", async () => {
  const exchange = spot();
  const query = { symbol: "BTCUSDT" };
  assert.deepEqual(await ask(cancelOpenOrders, { query }, exchange), [
    {
      orderId: 77,
      origClientOrderId: "mine-77",
      status: "CANCELED",
      lastUpdateId: BOOK_VERSION,
    },
  ]);
  const command = { type: "cancel-all-spot-orders", uid: UID, symbol: "BTCUSDT" };
  assert.deepEqual(exchange.commands, [command]);
});

test("fills", async () => {
  const exchange = spot();
  const query = { symbol: "BTCUSDT", orderId: "70", startTime: "1", endTime: "2", limit: "3" };
  assert.deepEqual(await ask(myTrades, { query }, exchange), [
    {
      symbol: "BTCUSDT",
      id: 12,
      orderId: 70,
      price: "99000",
      qty: "0.1",
      quoteQty: "9900",
      commission: "11.88",
      commissionAsset: "USDT",
      time: DOUBLE_TIME_MS - 900,
      isBuyer: false,
      maker: false,
    },
  ]);
  const time = { fromMs: 1, toMs: 2 };
  const question = { uid: UID, symbol: "BTCUSDT", orderId: 70, time, offset: 0, limit: 3 };
  assert.deepEqual(exchange.asked, [{ name: "spot-fills", question, sequence: DOUBLE_SEQUENCE }]);
  const from = new ExchangeDouble(ENGINE, { ...HISTORY, "spot-fills-from": () => [] });
  assert.deepEqual(await ask(myTrades, { query: { ...query, fromId: "12" } }, from), []);
  const asked = { uid: UID, symbol: "BTCUSDT", orderId: 70, time, limit: 3, fromId: 12 };
  const name = "spot-fills-from";
  assert.deepEqual(from.asked, [{ name, question: asked, sequence: DOUBLE_SEQUENCE }]);
  const foreign = { symbol: "BTCUSDT", orderId: "736557215397183592" };
  assert.deepEqual(await ask(myTrades, { query: foreign }), []);
  const unknown = await refusal(myTrades, { query: { symbol: "BTC/USDT" } });
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
  const range = { symbol: "BTCUSDT", startTime: "2", endTime: "1" };
  const backwards = await refusal(myTrades, { query: range });
  assert.deepEqual(backwards, ["start-after-end", "startTime"]);
});
