/**
 * Proves what the signed v2 trading endpoints command, ask and answer, value for value, and their
 * refusals, with an exchange in memory. Placing and cancelling one order is with the
 * specification's endpoints.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerOf,
  callEndpoint,
  type EndpointInput,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  type EngineScript,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { ENDED_ORDER, ENGINE, FILL, HISTORY } from "../../../test/support/spot-fixture.ts";
import { accept, reject } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { fills, openOrders, order, orderHistory } from "./order-reads-v2.ts";
import { cancelOrders, cancelSymbolOrders, placeOrders } from "./orders-v2.ts";

type Body = Readonly<Record<string, unknown>>;

const SYMBOL = "BTCUSDT_SPBL";
const spot = (change: EngineScript = {}) => new ExchangeDouble({ ...ENGINE, ...change }, HISTORY);
const ask = (endpoint: Endpoint, body: Body, exchange = spot()) =>
  answerOf(endpoint, { body }, exchange);
const refusal = (endpoint: Endpoint, body: Body, exchange = spot()) =>
  refusalOf(endpoint, { body } satisfies EndpointInput, exchange);

const NEW = {
  side: "BUY",
  orderType: "limit",
  force: "postOnly",
  price: "98000",
  quantity: "0.5",
  clientOrderId: "b-1",
};
const COMMAND = {
  type: "place-spot-order",
  uid: UID,
  symbol: "BTCUSDT",
  side: "BUY",
  orderType: "LIMIT",
  timeInForce: "POST_ONLY",
  price: "98000",
  quantity: "0.5",
  quantityUnit: "base",
  clientOrderId: "b-1",
};

test("a batch: every order by itself, in the order of the request", async () => {
  const exchange = spot({
    "place-spot-order": (command) =>
      command.clientOrderId === "poor"
        ? reject("insufficient-balance", "quantity")
        : accept({ ...command, orderId: 78, createdMs: 1, bookVersion: 41 }),
  });
  const orderList = [
    NEW,
    { ...NEW, side: "up", clientOrderId: "bad-side" },
    { ...NEW, clientOrderId: "poor" },
    { ...NEW, price: "", clientOrderId: "no-price" },
    { ...NEW, clientOrderId: "x".repeat(60) },
    { ...NEW, clientOrderId: 7 },
    { ...NEW, orderType: "market", price: "0", clientOrderId: "b-2" },
  ];
  const done = { err_code: null, err_msg: null };
  const failed = (clientOrderId: string, err_code: string, err_msg: string) => ({
    orderId: null,
    clientOrderId,
    err_code,
    err_msg,
  });
  const idMessage =
    "Client order id must be 1 to 40 characters of A-Z a-z 0-9 . _ : / # -: clientOrderId " +
    "(Caller-chosen order id, 1 to 40 characters)";
  assert.deepEqual(await ask(placeOrders, { symbol: SYMBOL, orderList }, exchange), {
    resultList: [
      { orderId: 78, clientOrderId: "b-1", ...done },
      failed("bad-side", "40020", "Invalid side: side (buy or sell, in any case)"),
      failed("poor", "43012", "Balance amount not enough: quantity"),
      failed("no-price", "40019", "Parameter is required: price (a limit order needs it)"),
      failed("x".repeat(40), "40017", idMessage),
      failed("", "40017", idMessage),
      { orderId: 78, clientOrderId: "b-2", ...done },
    ],
  });
  const market = { orderType: "MARKET", timeInForce: "IOC", price: "", quantityUnit: "quote" };
  assert.deepEqual(exchange.commands, [
    COMMAND,
    { ...COMMAND, clientOrderId: "poor" },
    { ...COMMAND, ...market, clientOrderId: "b-2" },
  ]);
});

test("a batch: what refuses the whole request", async () => {
  const refused = (body: Body) => refusal(placeOrders, body);
  const orders = (length: number) => Array.from({ length }, () => NEW);
  const outOfRange = ["parameter-out-of-range", "orderList"];
  assert.deepEqual(await refused({ orderList: orders(1) }), ["missing-parameter", "symbol"]);
  assert.deepEqual(await refused({ symbol: SYMBOL }), ["missing-parameter", "orderList"]);
  for (const orderList of [[], orders(51), [7], ["{}"], {}, "[]", 1]) {
    assert.deepEqual(await refused({ symbol: SYMBOL, orderList }), outOfRange);
  }
  const strange = { symbol: "BTC/USDT", orderList: orders(1) };
  assert.deepEqual(await refused(strange), ["unknown-symbol", "symbol"]);
  const unknown = spot({ "place-spot-order": () => reject("unknown-symbol", "symbol") });
  const body = { symbol: "NOPE", orderList: [NEW, { ...NEW, side: "up" }] };
  assert.deepEqual(await refusal(placeOrders, body, unknown), ["unknown-symbol", "symbol"]);
  const fifty = (await ask(placeOrders, { symbol: SYMBOL, orderList: orders(50) })) as {
    resultList: unknown[];
  };
  assert.equal(fifty.resultList.length, 50);
  const shut = spot({ "place-spot-order": () => ({ unavailable: "overloaded" }) });
  const two = { body: { symbol: SYMBOL, orderList: orders(2) } };
  const unavailable = { ok: false, unavailable: "overloaded" };
  assert.deepEqual(await callEndpoint(placeOrders, two, shut), unavailable);
});

test("a batch while the engine stops taking orders: each order gets its own refusal", async () => {
  let calls = 0;
  const exchange = spot({
    "place-spot-order": (command) =>
      calls++ === 0
        ? accept({ ...command, orderId: 78, createdMs: 1, bookVersion: 41 })
        : { unavailable: "overloaded" },
  });
  const answer = await ask(placeOrders, { symbol: SYMBOL, orderList: [NEW, NEW] }, exchange);
  const { resultList } = answer as { resultList: { orderId: number | null; err_code: unknown }[] };
  const codes = resultList.map(({ orderId, err_code }) => [orderId, err_code]);
  assert.deepEqual(codes, [
    [78, null],
    [null, "40015"],
  ]);
});

test("cancelling several", async () => {
  const exchange = spot();
  const orderIds = ["77", 78, "736557215397183592"];
  assert.deepEqual(await ask(cancelOrders, { symbol: SYMBOL, orderIds }, exchange), {
    successList: ["77"],
    failureList: [
      { orderId: "78", errMsg: "FAILED_ORDER_NOT_FOUND" },
      { orderId: "736557215397183592", errMsg: "FAILED_ORDER_NOT_FOUND" },
    ],
  });
  const by = { type: "cancel-spot-order", uid: UID, symbol: "BTCUSDT", clientOrderId: null };
  assert.deepEqual(
    exchange.commands,
    [77, 78, 0].map((orderId) => ({ ...by, orderId })),
  );
  const clientOids = ["mine-77", "other"];
  assert.deepEqual(await ask(cancelOrders, { symbol: SYMBOL, clientOids, orderIds: [] }), {
    successList: ["77"],
    failureList: [{ orderId: "", clientOid: "other", errMsg: "FAILED_ORDER_NOT_FOUND" }],
  });
  const halted = spot({ "cancel-spot-order": () => reject("market-halted", "symbol") });
  assert.deepEqual(await ask(cancelOrders, { symbol: SYMBOL, orderIds: [77] }, halted), {
    successList: [],
    failureList: [{ orderId: "77", errMsg: "FAILED_MARKET_HALTED" }],
  });
});

test("cancelling several: at most fifty, of one kind of id", async () => {
  const ids = (length: number) => Array.from({ length }, (_, i) => i + 1);
  const names = (length: number) => ids(length).map((i) => `c-${i}`);
  const cases: readonly (readonly [body: Body, reason: string, field: string])[] = [
    [{ orderIds: [1] }, "missing-parameter", "symbol"],
    [{ symbol: SYMBOL }, "missing-order-id", "orderIds"],
    [{ symbol: SYMBOL, orderIds: [], clientOids: null }, "missing-order-id", "orderIds"],
    [{ symbol: SYMBOL, orderIds: ids(51) }, "too-many-cancels", "orderIds"],
    [{ symbol: SYMBOL, clientOids: names(51) }, "too-many-cancels", "clientOids"],
    [{ symbol: SYMBOL, orderIds: [1], clientOids: ["a"] }, "invalid-combination", "clientOids"],
    [{ symbol: SYMBOL, orderIds: "1" }, "invalid-parameter", "orderIds"],
    [{ symbol: SYMBOL, orderIds: [-1] }, "invalid-parameter", "orderIds"],
    [{ symbol: SYMBOL, orderIds: ["1x"] }, "invalid-parameter", "orderIds"],
    [{ symbol: SYMBOL, clientOids: ["a b"] }, "invalid-parameter", "clientOids"],
    [{ symbol: "BTC/USDT", orderIds: [1] }, "unknown-symbol", "symbol"],
  ];
  for (const [body, reason, field] of cases) {
    assert.deepEqual(await refusal(cancelOrders, body), [reason, field], JSON.stringify(body));
  }
  const exchange = spot({ "cancel-spot-order": () => reject("unknown-symbol", "symbol") });
  const unknown = await refusal(cancelOrders, { symbol: "NOPE", orderIds: [1] }, exchange);
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
  const fifty = { symbol: SYMBOL, clientOids: names(50) };
  const { failureList } = (await ask(cancelOrders, fifty)) as { failureList: unknown[] };
  assert.equal(failureList.length, 50);
});

test("cancelling a market's orders", async () => {
  const exchange = spot();
  const answer = await ask(cancelSymbolOrders, { symbol: "btcusdt_spbl" }, exchange);
  assert.deepEqual(answer, { successList: ["77"], failureList: [] });
  const command = { type: "cancel-all-spot-orders", uid: UID, symbol: "BTCUSDT" };
  assert.deepEqual(exchange.commands, [command]);
  const unknown = await refusal(cancelSymbolOrders, { symbol: "NOPE" });
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
});

const OPEN_ANSWER = {
  accountId: String(UID),
  symbol: SYMBOL,
  orderId: "77",
  clientOrderId: "mine-77",
  price: "98000",
  quantity: "0.5",
  orderType: "limit",
  side: "buy",
  status: "open",
  latestFillPrice: "97000",
  maxFillPrice: "98000",
  minFillPrice: "97000",
  fillQuantity: "0.2",
  fillTotalAmount: "19600",
  cTime: String(DOUBLE_TIME_MS - 500),
  uTime: String(DOUBLE_TIME_MS - 400),
};
const ENDED_ANSWER = {
  ...OPEN_ANSWER,
  orderId: "70",
  clientOrderId: "mine-70",
  price: "0",
  quantity: "0.1",
  orderType: "market",
  side: "sell",
  status: "filled",
  maxFillPrice: "98000",
  minFillPrice: "97000",
  fillQuantity: "0.1",
  fillTotalAmount: "9900",
  cTime: String(DOUBLE_TIME_MS - 900),
  uTime: String(DOUBLE_TIME_MS - 900),
};

test("orderInfo: one order in a list, open or ended, by either id", async () => {
  for (const body of [
    { orderId: "77" },
    { orderId: 77, clientOrderId: "other" },
    { clientOrderId: "mine-77", orderId: "" },
  ]) {
    assert.deepEqual(await ask(order, body), [OPEN_ANSWER]);
  }
  for (const body of [{ orderId: "70" }, { clientOrderId: "mine-70" }]) {
    assert.deepEqual(await ask(order, body), [ENDED_ANSWER]);
  }
  const exchange = spot();
  await ask(order, { orderId: "70" }, exchange);
  const question = { uid: UID, orderIds: [70] };
  const prices = { name: "spot-fill-prices", question, sequence: DOUBLE_SEQUENCE };
  assert.deepEqual(exchange.asked.at(-1), prices);
  assert.deepEqual(await refusal(order, {}), ["missing-order-id", "orderId"]);
  for (const orderId of [71, "736557215397183592"]) {
    assert.deepEqual(await refusal(order, { orderId }), ["order-not-found", null]);
  }
  assert.deepEqual(await refusal(order, { orderId: "7a" }), ["invalid-parameter", "orderId"]);
  const badName = await refusal(order, { clientOrderId: "ä" });
  assert.deepEqual(badName, ["invalid-client-order-id", "clientOrderId"]);
});

test("an order without fills has no prices; one by amount the amount that was sent", async () => {
  const unfilled = { ...ENDED_ORDER, filledQuantity: "0", filledQuote: "0" } as const;
  const exchange = new ExchangeDouble(ENGINE, {
    ...HISTORY,
    "ended-spot-order": () => ({
      ...unfilled,
      quantity: "0",
      quoteAmount: "250",
      status: "CANCELED",
    }),
  });
  const [answer] = (await ask(order, { orderId: 70 }, exchange)) as [Record<string, unknown>];
  const none = { latestFillPrice: "0", maxFillPrice: "0", minFillPrice: "0", fillQuantity: "0" };
  const changed = { ...none, fillTotalAmount: "0", quantity: "250", status: "canceled" };
  assert.deepEqual(answer, { ...ENDED_ANSWER, ...changed });
  assert.equal(exchange.asked.length, 1, "the store is not asked for prices");
});

test("open-orders: pages from 0, the symbol as it was sent", async () => {
  const expected = {
    orderInfoResultList: [{ ...OPEN_ANSWER, symbol: "btcusdt" }],
    nextPage: false,
    totals: 1,
  };
  assert.deepEqual(await ask(openOrders, { symbol: "btcusdt" }), expected);
  assert.deepEqual(await ask(openOrders, { symbol: "btcusdt", limit: "1", pageNo: 0 }), expected);
  const behind = { orderInfoResultList: [], nextPage: false, totals: 1 };
  assert.deepEqual(await ask(openOrders, { symbol: SYMBOL, limit: 1, pageNo: "1" }), behind);
});

test("history: open and ended orders, with one row more asked for than is shown", async () => {
  const exchange = spot();
  assert.deepEqual(await ask(orderHistory, { symbol: SYMBOL }, exchange), {
    orderInfoResultList: [OPEN_ANSWER, ENDED_ANSWER],
    nextPage: false,
    totals: null,
  });
  const created = { fromMs: null, toMs: null };
  const question = { uid: UID, symbol: "BTCUSDT", created, offset: 0, limit: 11 };
  const asked = { name: "ended-spot-orders", question, sequence: DOUBLE_SEQUENCE };
  assert.deepEqual(exchange.asked[0], asked);
  assert.deepEqual(await ask(orderHistory, { symbol: SYMBOL, pageSize: "1" }), {
    orderInfoResultList: [OPEN_ANSWER],
    nextPage: true,
    totals: null,
  });
  assert.deepEqual(await ask(orderHistory, { symbol: SYMBOL, pageSize: 1, pageIndex: "1" }), {
    orderInfoResultList: [ENDED_ANSWER],
    nextPage: false,
    totals: null,
  });
});

test("fills", async () => {
  const exchange = spot();
  const body = { symbol: SYMBOL, orderId: "70", after: 1, before: "2", pageIndex: 3, pageSize: 5 };
  assert.deepEqual(await ask(fills, body, exchange), {
    fillsOrderResultList: [
      {
        accountId: String(UID),
        symbol: SYMBOL,
        baseCoin: "BTC",
        quoteCoin: "USDT",
        orderId: "70",
        fillId: "12",
        orderType: "",
        side: "sell",
        fillPrice: "99000",
        fillQuantity: "0.1",
        fillTotalAmount: "9900",
        fees: "11.88",
        cTime: String(DOUBLE_TIME_MS - 900),
      },
    ],
    nextPage: false,
    totals: null,
  });
  const time = { fromMs: 1, toMs: 2 };
  const question = { uid: UID, symbol: "BTCUSDT", orderId: 70, time, offset: 15, limit: 6 };
  assert.deepEqual(exchange.asked, [{ name: "spot-fills", question, sequence: DOUBLE_SEQUENCE }]);
  const two = new ExchangeDouble(ENGINE, { ...HISTORY, "spot-fills": () => [FILL, FILL] });
  const first = await ask(fills, { symbol: SYMBOL, pageSize: 1 }, two);
  const { fillsOrderResultList, nextPage } = first as Record<string, unknown[]>;
  assert.deepEqual([fillsOrderResultList?.length, nextPage], [1, true]);
  const foreign = { symbol: SYMBOL, orderId: "736557215397183592" };
  const none = { fillsOrderResultList: [], nextPage: false, totals: null };
  assert.deepEqual(await ask(fills, foreign), none);
});

test("refusals of the lists name the field", async () => {
  const outOfRange = "parameter-out-of-range";
  const cases: readonly (readonly [Endpoint, Body, reason: string, field: string])[] = [
    [openOrders, { symbol: undefined }, "missing-parameter", "symbol"],
    [openOrders, { symbol: "NOPE" }, "unknown-symbol", "symbol"],
    [openOrders, { limit: 0 }, outOfRange, "limit"],
    [openOrders, { limit: "101" }, outOfRange, "limit"],
    [openOrders, { pageNo: -1 }, outOfRange, "pageNo"],
    [orderHistory, { symbol: undefined }, "missing-parameter", "symbol"],
    [orderHistory, { symbol: "NOPE" }, "unknown-symbol", "symbol"],
    [orderHistory, { pageSize: 101 }, outOfRange, "pageSize"],
    [orderHistory, { pageSize: "0" }, outOfRange, "pageSize"],
    [orderHistory, { pageIndex: "01" }, outOfRange, "pageIndex"],
    [orderHistory, { pageIndex: 10_001 }, outOfRange, "pageIndex"],
    [orderHistory, { pageIndex: 1_001, pageSize: 100 }, outOfRange, "pageIndex"],
    [orderHistory, { after: 2, before: 1 }, "start-after-end", "after"],
    [orderHistory, { after: "yesterday" }, outOfRange, "after"],
    [fills, { symbol: undefined }, "missing-parameter", "symbol"],
    [fills, { symbol: "NOPE" }, "unknown-symbol", "symbol"],
    [fills, { orderId: "x" }, "invalid-parameter", "orderId"],
    [fills, { pageSize: 101 }, outOfRange, "pageSize"],
    [fills, { pageIndex: 10_001 }, outOfRange, "pageIndex"],
    [fills, { before: 1.5 }, outOfRange, "before"],
    [fills, { after: 2, before: 1 }, "start-after-end", "after"],
  ];
  for (const [endpoint, change, reason, field] of cases) {
    const refused = await refusal(endpoint, { symbol: SYMBOL, ...change });
    assert.deepEqual(refused, [reason, field], JSON.stringify(change));
  }
});
