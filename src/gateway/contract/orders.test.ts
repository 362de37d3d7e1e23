/**
 * Proves what the contract routes that place, cancel and close command, and how they answer: value
 * for value, with refusals one by one. The engine is a double; every answer also has to satisfy the
 * route's own schema and the shape of the documentation.
 */
import assert from "node:assert/strict";
import test from "node:test";
import * as shapes from "../../../test/support/contract-answers.ts";
import { CONTRACT_ENGINE } from "../../../test/support/contract-fixture.ts";
import {
  answerOf,
  callEndpoint,
  type EndpointInput,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_TIME_MS,
  type EngineScript,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { assertShape } from "../../../test/support/wire-shape.ts";
import { accept, type RejectReason, reject } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { cancelAllConditional } from "./conditional-orders.ts";
import { cancelAllOrders, cancelOrder, cancelOrders, placeOrder, placeOrders } from "./orders.ts";
import { closePositions } from "./positions.ts";

const SCRIPT: EngineScript = {
  ...CONTRACT_ENGINE,
  "place-contract-order": ({ symbol, clientOrderId }) =>
    symbol === "BTCUSDT"
      ? accept({ orderId: 78, clientOrderId, symbol, createdMs: DOUBLE_TIME_MS, bookVersion: 5 })
      : reject("unknown-symbol", "symbol"),
  "cancel-contract-order": ({ uid, orderId, clientOrderId }) =>
    uid === UID && (orderId === 77 || (orderId === null && clientOrderId === "mine-77"))
      ? accept({ orderId: 77, clientOrderId: "mine-77", symbol: "BTCUSDT", bookVersion: 6 })
      : reject("order-not-found"),
  "cancel-all-contract-orders": () =>
    accept([
      { orderId: 77, clientOrderId: "mine-77", symbol: "BTCUSDT", bookVersion: 7 },
      { orderId: 80, clientOrderId: "mine-80", symbol: "BTCUSDT", bookVersion: 7 },
    ]),
  "cancel-all-algo-orders": () =>
    accept([{ orderId: 91, clientOrderId: "sl-91", symbol: "BTCUSDT" }]),
  "close-positions": ({ positionId }) =>
    positionId === 72
      ? reject("failed-precondition", "positionId")
      : accept([
          { positionId: 71, ok: true, orderId: 79, reason: null },
          { positionId: 73, ok: false, orderId: 0, reason: "no-mark-price" },
        ]),
};
const contracts = () => new ExchangeDouble(SCRIPT);
const ask = (endpoint: Endpoint, input: EndpointInput, exchange = contracts()) =>
  answerOf(endpoint, input, exchange);
const refusal = (endpoint: Endpoint, input: EndpointInput, exchange = contracts()) =>
  refusalOf(endpoint, input, exchange);

const LIMIT_ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  type: "LIMIT",
  timeInForce: "POST_ONLY",
  quantity: "0.5",
  price: "59850.5",
  newClientOrderId: "mine-78",
};
const PLACED = {
  orderId: "78",
  clientOrderId: "mine-78",
  success: true,
  errorCode: "",
  errorMessage: "",
  lastUpdateId: 5,
};
const COMMAND = {
  type: "place-contract-order",
  uid: UID,
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  orderType: "LIMIT",
  timeInForce: "POST_ONLY",
  price: "59850.5",
  quantity: "0.5",
  clientOrderId: "mine-78",
  tpTriggerPrice: null,
  slTriggerPrice: null,
  tpWorkingType: "CONTRACT_PRICE",
  slWorkingType: "CONTRACT_PRICE",
};

function without(body: Readonly<Record<string, unknown>>, name: string) {
  return Object.fromEntries(Object.entries(body).filter(([field]) => field !== name));
}

test("placing a limit order: the id is text", async () => {
  const exchange = contracts();
  const answer = await ask(placeOrder, { body: LIMIT_ORDER }, exchange);
  assert.deepEqual(answer, PLACED);
  assertShape(answer, shapes.PLACED_IN_BOOK);
  assert.deepEqual(exchange.commands, [COMMAND]);
});

test("attached triggers and what they look at; unknown fields are ignored", async () => {
  const exchange = contracts();
  const body = {
    ...LIMIT_ORDER,
    reduceOnly: true,
    leverage: 50,
    tpTriggerPrice: "65000",
    slTriggerPrice: "58000",
    TpWorkingType: "MARK_PRICE",
    SlWorkingType: "",
  };
  await ask(placeOrder, { body }, exchange);
  assert.deepEqual(exchange.commands, [
    {
      ...COMMAND,
      tpTriggerPrice: "65000",
      slTriggerPrice: "58000",
      tpWorkingType: "MARK_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    },
  ]);
});

test("price and time in force of a market order have no effect", async () => {
  for (const extra of [{}, { price: "1", timeInForce: "FOK" }, { price: null, timeInForce: "" }]) {
    const exchange = contracts();
    const { price: _p, timeInForce: _t, ...rest } = LIMIT_ORDER;
    await ask(placeOrder, { body: { ...rest, type: "MARKET", ...extra } }, exchange);
    assert.deepEqual(exchange.commands, [
      { ...COMMAND, orderType: "MARKET", timeInForce: "IOC", price: "" },
    ]);
  }
});

test("what an order needs is asked for by name; null and empty are missing", async () => {
  for (const name of Object.keys(LIMIT_ORDER)) {
    const rest = without(LIMIT_ORDER, name);
    for (const body of [rest, { ...rest, [name]: null }, { ...rest, [name]: "" }]) {
      const exchange = contracts();
      const refused = await refusal(placeOrder, { body }, exchange);
      assert.deepEqual(refused, ["missing-parameter", name]);
      assert.equal(exchange.commands.length, 0);
    }
  }
});

test("wrong values have their own refusals", async () => {
  const cases: readonly (readonly [name: string, values: readonly unknown[], reason: string])[] = [
    ["symbol", [1, "x".repeat(41)], "unknown-symbol"],
    ["side", ["buy", "LONG", 1], "invalid-side"],
    ["positionSide", ["BOTH", "long", 0], "invalid-parameter"],
    ["type", ["STOP", "limit", {}], "invalid-order-type"],
    ["timeInForce", ["GTX", "gtc", true], "invalid-time-in-force"],
    ["quantity", [0.5, "1e3", "-1", "+1", "01", "1.", " 1"], "invalid-parameter"],
    ["price", [59850, "59,850", "0x1"], "invalid-parameter"],
    ["newClientOrderId", ["a b", "ä", "x".repeat(41), 7], "invalid-client-order-id"],
    ["tpTriggerPrice", [65000, "-1"], "invalid-parameter"],
    ["TpWorkingType", ["LAST", "mark_price"], "invalid-parameter"],
  ];
  for (const [name, values, reason] of cases) {
    for (const value of values) {
      const body = { ...LIMIT_ORDER, [name]: value };
      const refused = await refusal(placeOrder, { body });
      assert.deepEqual(refused, [reason, name], JSON.stringify(value));
    }
  }
});

test("the engine's refusals keep their reason, in the caller's names", async () => {
  const refusing = (reason: RejectReason, field: string | null) =>
    new ExchangeDouble({ "place-contract-order": () => reject(reason, field) });
  const duplicate = refusing("duplicate-client-order-id", "clientOrderId");
  assert.deepEqual(await refusal(placeOrder, { body: LIMIT_ORDER }, duplicate), [
    "duplicate-client-order-id",
    "newClientOrderId",
  ]);
  const short = refusing("insufficient-margin", null);
  const refused = await refusal(placeOrder, { body: LIMIT_ORDER }, short);
  assert.deepEqual(refused, ["insufficient-margin", null]);
});

test("a batch is accepted and refused row by row, in order", async () => {
  const exchange = contracts();
  const batchOrders = [
    LIMIT_ORDER,
    without(LIMIT_ORDER, "quantity"),
    { ...LIMIT_ORDER, symbol: "NOPE", newClientOrderId: "mine-79" },
    { ...LIMIT_ORDER, newClientOrderId: "mine-80" },
    { newClientOrderId: 7 },
  ];
  const rows = (await ask(placeOrders, { body: { batchOrders } }, exchange)) as object[];
  assertShape([rows[0], rows[3]], [shapes.PLACED_IN_BOOK]);
  assertShape([rows[1], rows[2], rows[4]], [shapes.PLACED]);
  const failed = { orderId: "0", success: false };
  assert.deepEqual(rows, [
    PLACED,
    {
      ...failed,
      clientOrderId: "mine-78",
      errorCode: "-1140",
      errorMessage: "Parameter is required: quantity",
    },
    {
      ...failed,
      clientOrderId: "mine-79",
      errorCode: "-1121",
      errorMessage: "Invalid symbol: symbol",
    },
    { ...PLACED, clientOrderId: "mine-80" },
    {
      ...failed,
      clientOrderId: "",
      errorCode: "-1140",
      errorMessage: "Parameter is required: symbol",
    },
  ]);
  assert.equal(exchange.commands.length, 3, "what has no form does not reach the engine");
});

test("a batch holds one to five objects, and says when nothing could enter", async () => {
  const many = Array.from({ length: 6 }, () => LIMIT_ORDER);
  for (const batchOrders of [many, [], [1], [null], {}, "x"]) {
    const [reason, field] = await refusal(placeOrders, { body: { batchOrders } });
    assert.deepEqual([reason, field], ["parameter-out-of-range", "batchOrders"]);
  }
  const missing = await refusal(placeOrders, { body: {} });
  assert.deepEqual(missing, ["missing-parameter", "batchOrders"]);
  const full = new ExchangeDouble({
    "place-contract-order": () => ({ unavailable: "overloaded" }),
  });
  const body = { batchOrders: [LIMIT_ORDER, {}] };
  const outcome = await callEndpoint(placeOrders, { body }, full);
  assert.deepEqual(outcome, { ok: false, unavailable: "overloaded" });
});

test("a batch of which a part could not enter says so of that part", async () => {
  let orders = 0;
  const filling = new ExchangeDouble({
    "place-contract-order": ({ symbol, clientOrderId }) =>
      orders++ === 0
        ? accept({ orderId: 78, clientOrderId, symbol, createdMs: DOUBLE_TIME_MS, bookVersion: 5 })
        : { unavailable: "overloaded" },
  });
  const body = { batchOrders: [LIMIT_ORDER, { ...LIMIT_ORDER, newClientOrderId: "mine-79" }] };
  const rows = (await ask(placeOrders, { body }, filling)) as object[];
  assert.deepEqual(rows[0], PLACED);
  assert.partialDeepStrictEqual(rows[1], { clientOrderId: "mine-79", errorCode: "-1000" });
});

const CANCELLED = {
  orderId: "77",
  origClientOrderId: "mine-77",
  success: true,
  errorCode: "",
  errorMessage: "",
  lastUpdateId: 6,
};

test("cancelling by either id; the order id decides", async () => {
  for (const [query, key] of [
    [{ orderId: "77" }, { orderId: 77, clientOrderId: null }],
    [{ origClientOrderId: "mine-77" }, { orderId: null, clientOrderId: "mine-77" }],
    [
      { orderId: "77", origClientOrderId: "other" },
      { orderId: 77, clientOrderId: "other" },
    ],
  ] as const) {
    const exchange = contracts();
    const answer = await ask(cancelOrder, { query }, exchange);
    assert.deepEqual(answer, CANCELLED);
    assertShape(answer, shapes.CANCELLED_IN_BOOK);
    assert.deepEqual(exchange.commands, [{ type: "cancel-contract-order", uid: UID, ...key }]);
  }
});

test("cancelling what is not open is refused, and so is naming nothing", async () => {
  for (const orderId of ["78", "0", "9223372036854775807"]) {
    const [reason] = await refusal(cancelOrder, { query: { orderId } });
    assert.equal(reason, "order-not-found");
  }
  for (const query of [{}, { orderId: "", origClientOrderId: "" }]) {
    const refused = await refusal(cancelOrder, { query });
    assert.deepEqual(refused, ["missing-order-id", "orderId"]);
  }
});

test("a batch of cancels: `orderList`, each by itself", async () => {
  const exchange = contracts();
  const body = { orderIdList: [77, "78", "9223372036854775807"] };
  const answer = (await ask(cancelOrders, { body }, exchange)) as {
    readonly orderList: readonly object[];
  };
  const failed = {
    origClientOrderId: "",
    success: false,
    errorCode: "-3200",
    errorMessage: "Order does not exist",
    errorMsg: "FAILED_ORDER_NOT_FOUND",
  };
  assert.deepEqual(answer.orderList, [
    CANCELLED,
    { orderId: "78", ...failed },
    { orderId: "9223372036854775807", ...failed },
  ]);
  const byClientId = { origClientOrderIdList: ["mine-77", "other"] };
  assert.deepEqual(await ask(cancelOrders, { body: byClientId }), {
    orderList: [CANCELLED, { ...failed, orderId: "0", origClientOrderId: "other" }],
  });
});

test("a batch of cancels takes one list of at most ten", async () => {
  const eleven = Array.from({ length: 11 }, (_, i) => i);
  const cases: readonly (readonly [body: Record<string, unknown>, reason: string])[] = [
    [{}, "missing-order-id"],
    [{ orderIdList: [], origClientOrderIdList: null }, "missing-order-id"],
    [{ orderIdList: [1], origClientOrderIdList: ["a"] }, "invalid-combination"],
    [{ orderIdList: eleven }, "parameter-out-of-range"],
    [{ orderIdList: [-1] }, "parameter-out-of-range"],
    [{ orderIdList: "77" }, "parameter-out-of-range"],
    [{ origClientOrderIdList: ["a b"] }, "parameter-out-of-range"],
  ];
  for (const [body, reason] of cases) {
    const refused = await refusal(cancelOrders, { body });
    assert.equal(refused[0], reason, JSON.stringify(body));
  }
});

test("cancelling all, of a market or of all: ids are numbers", async () => {
  for (const [endpoint, type, ids, version, shape] of [
    [
      cancelAllOrders,
      "cancel-all-contract-orders",
      [77, 80],
      { lastUpdateId: 7 },
      shapes.NUMBERED_IN_BOOK,
    ],
    [cancelAllConditional, "cancel-all-algo-orders", [91], {}, shapes.NUMBERED_RESULT],
  ] as const) {
    const exchange = contracts();
    const rows = await ask(endpoint, { query: { symbol: "BTCUSDT" } }, exchange);
    assertShape(rows, [shape]);
    assert.deepEqual(
      rows,
      ids.map((orderId) => {
        return { orderId, success: true, errorCode: "", errorMessage: "", ...version };
      }),
    );
    await ask(endpoint, {}, exchange);
    assert.deepEqual(exchange.commands, [
      { type, uid: UID, symbol: "BTCUSDT" },
      { type, uid: UID, symbol: null },
    ]);
    // An empty symbol is a mistake, not a wish to cancel everything.
    const refused = new ExchangeDouble({ [type]: () => reject("unknown-symbol", "symbol") });
    await refusal(endpoint, { query: { symbol: "" } }, refused);
    assert.partialDeepStrictEqual(refused.commands, [{ symbol: "" }]);
  }
});

test("closing positions: all, of a symbol, one", async () => {
  for (const [body, key] of [
    [{}, { symbol: null, positionId: null }],
    [{ symbol: "BTCUSDT" }, { symbol: "BTCUSDT", positionId: null }],
    [{ positionId: 71 }, { symbol: null, positionId: 71 }],
    [
      { symbol: "BTCUSDT", positionId: "71" },
      { symbol: "BTCUSDT", positionId: 71 },
    ],
    [{ positionId: null }, { symbol: null, positionId: null }],
  ] as const) {
    const exchange = contracts();
    const rows = await ask(closePositions, { body }, exchange);
    assertShape(rows, [shapes.CLOSED_POSITION]);
    assert.deepEqual(rows, [
      { positionId: 71, success: true, successOrderId: 79, errorMessage: "" },
      {
        positionId: 73,
        success: false,
        successOrderId: 0,
        errorMessage: "The market has no price yet",
      },
    ]);
    assert.deepEqual(exchange.commands, [{ type: "close-positions", uid: UID, ...key }]);
  }
});

test("closing a position that is not there is a failed precondition", async () => {
  for (const positionId of [72, "9223372036854775807"]) {
    const refused = await refusal(closePositions, { body: { positionId } });
    assert.deepEqual(refused, ["failed-precondition", "positionId"]);
  }
  for (const positionId of [1.5, -1, "x", true]) {
    const refused = await refusal(closePositions, { body: { positionId } });
    assert.deepEqual(refused, ["invalid-parameter", "positionId"]);
  }
  const nothing = await refusal(closePositions, { body: { symbol: null } });
  assert.deepEqual(nothing, ["unknown-symbol", "symbol"], "null does not mean every market");
});
