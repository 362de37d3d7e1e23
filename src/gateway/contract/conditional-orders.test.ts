/**
 * Proves what the routes of conditional orders command and how they answer, kind by kind, with the
 * refusals of each.
 */
import assert from "node:assert/strict";
import test from "node:test";
import * as shapes from "../../../test/support/contract-answers.ts";
import {
  answerOf,
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
import { accept, reject } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  cancelConditional,
  modifyTpSl,
  placeConditional,
  placeTpSl,
} from "./conditional-orders.ts";

const SCRIPT: EngineScript = {
  "place-algo-order": ({ symbol, clientAlgoId }) =>
    accept({ algoId: 91, clientAlgoId, symbol, createdMs: DOUBLE_TIME_MS }),
  "cancel-algo-order": ({ algoId }) =>
    algoId === 91
      ? accept({ orderId: 91, clientOrderId: "sl-91", symbol: "BTCUSDT" })
      : reject("algo-order-not-found", "algoId"),
  "modify-algo-order": ({ algoId }) =>
    algoId === 91 ? accept(null) : reject("algo-order-not-found", "algoId"),
};
const contracts = () => new ExchangeDouble(SCRIPT);
const ask = (endpoint: Endpoint, input: EndpointInput, exchange = contracts()) =>
  answerOf(endpoint, input, exchange);
const refusal = (endpoint: Endpoint, input: EndpointInput, exchange = contracts()) =>
  refusalOf(endpoint, input, exchange);

const ENTRY = {
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  type: "STOP",
  quantity: "0.25",
  triggerPrice: "62000",
  price: "62010",
  clientAlgoId: "entry-1",
};
const COMMAND = {
  type: "place-algo-order",
  uid: UID,
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  orderType: "STOP",
  quantity: "0.25",
  closePosition: false,
  isTpSl: false,
  triggerPrice: "62000",
  price: "62010",
  workingType: "CONTRACT_PRICE",
  clientAlgoId: "entry-1",
  presetTakeProfitPrice: null,
  presetStopLossPrice: null,
  tpWorkingType: "CONTRACT_PRICE",
  slWorkingType: "CONTRACT_PRICE",
  callbackRate: "",
  activationPrice: null,
};
const PLACED = {
  orderId: "91",
  clientOrderId: "entry-1",
  success: true,
  errorCode: "",
  errorMessage: "",
};

test("each kind is commanded with what it has, and nothing else that was sent", async () => {
  const everything = { ...ENTRY, callbackRate: "0.5", activationPrice: "63000" };
  const market = { ...COMMAND, price: "" };
  const cases: readonly (readonly [type: string, command: object])[] = [
    ["STOP", COMMAND],
    ["TAKE_PROFIT", { ...COMMAND, orderType: "TAKE_PROFIT" }],
    ["STOP_MARKET", { ...market, orderType: "STOP_MARKET" }],
    ["TAKE_PROFIT_MARKET", { ...market, orderType: "TAKE_PROFIT_MARKET" }],
    [
      "TRAILING_STOP_MARKET",
      {
        ...market,
        orderType: "TRAILING_STOP_MARKET",
        triggerPrice: "",
        callbackRate: "0.5",
        activationPrice: "63000",
      },
    ],
  ];
  for (const [type, command] of cases) {
    const exchange = contracts();
    const answer = await ask(placeConditional, { body: { ...everything, type } }, exchange);
    assert.deepEqual(answer, PLACED);
    assertShape(answer, shapes.PLACED);
    assert.deepEqual(exchange.commands, [command]);
  }
});

test("a trigger looks at the last price unless the mark price is asked for", async () => {
  for (const [workingType, watched] of [
    [undefined, "CONTRACT_PRICE"],
    ["", "CONTRACT_PRICE"],
    ["CONTRACT_PRICE", "CONTRACT_PRICE"],
    ["MARK_PRICE", "MARK_PRICE"],
  ] as const) {
    const exchange = contracts();
    await ask(placeConditional, { body: { ...ENTRY, workingType } }, exchange);
    assert.deepEqual(exchange.commands, [{ ...COMMAND, workingType: watched }]);
  }
  const unknown = await refusal(placeConditional, { body: { ...ENTRY, workingType: "INDEX" } });
  assert.deepEqual(unknown, ["invalid-parameter", "workingType"]);
});

test("presets of an entry, and what they look at", async () => {
  const exchange = contracts();
  const body = {
    ...ENTRY,
    presetTakeProfitPrice: "65000",
    presetStopLossPrice: "61000",
    TpWorkingType: "MARK_PRICE",
    SlWorkingType: null,
  };
  await ask(placeConditional, { body }, exchange);
  assert.deepEqual(exchange.commands, [
    {
      ...COMMAND,
      presetTakeProfitPrice: "65000",
      presetStopLossPrice: "61000",
      tpWorkingType: "MARK_PRICE",
    },
  ]);
});

test("what a kind needs is asked for by name", async () => {
  const needs: readonly (readonly [type: string, field: string])[] = [
    ["STOP", "triggerPrice"],
    ["STOP", "price"],
    ["TAKE_PROFIT", "price"],
    ["STOP_MARKET", "triggerPrice"],
    ["TAKE_PROFIT_MARKET", "triggerPrice"],
    ["TRAILING_STOP_MARKET", "callbackRate"],
    ["STOP", "symbol"],
    ["STOP", "side"],
    ["STOP", "positionSide"],
    ["STOP", "quantity"],
    ["STOP", "clientAlgoId"],
  ];
  for (const [type, field] of needs) {
    for (const absent of [undefined, null, ""]) {
      const body = { ...ENTRY, callbackRate: "1", type, [field]: absent };
      const refused = await refusal(placeConditional, { body });
      assert.deepEqual(refused, ["missing-parameter", field], type);
    }
  }
  const limit = await refusal(placeConditional, { body: { ...ENTRY, type: "LIMIT" } });
  assert.deepEqual(limit, ["invalid-order-type", "type"]);
  const id = await refusal(placeConditional, { body: { ...ENTRY, clientAlgoId: "a b" } });
  assert.deepEqual(id, ["invalid-client-order-id", "clientAlgoId"]);
});

const TP_SL = {
  symbol: "BTCUSDT",
  clientAlgoId: "sl-1",
  planType: "STOP_LOSS",
  triggerPrice: "58100",
  positionSide: "LONG",
};
const TP_SL_COMMAND = {
  ...COMMAND,
  side: "SELL",
  orderType: "STOP_MARKET",
  quantity: "",
  closePosition: true,
  isTpSl: true,
  triggerPrice: "58100",
  price: "",
  clientAlgoId: "sl-1",
};

test("a take-profit or stop-loss closes its side, whole or in part, at any price", async () => {
  const cases: readonly (readonly [change: object, command: object])[] = [
    [{}, {}],
    [{ quantity: "0", executePrice: "0.00" }, {}],
    [{ quantity: null, executePrice: "" }, {}],
    [{ positionSide: "SHORT" }, { positionSide: "SHORT", side: "BUY" }],
    [{ planType: "TAKE_PROFIT" }, { orderType: "TAKE_PROFIT_MARKET" }],
    [{ executePrice: "58000" }, { orderType: "STOP", price: "58000" }],
    [
      { planType: "TAKE_PROFIT", executePrice: "0.5" },
      { orderType: "TAKE_PROFIT", price: "0.5" },
    ],
    [{ quantity: "0.25" }, { quantity: "0.25", closePosition: false }],
    [{ triggerPriceType: "MARK_PRICE" }, { workingType: "MARK_PRICE" }],
  ];
  for (const [change, command] of cases) {
    const exchange = contracts();
    const rows = await ask(placeTpSl, { body: { ...TP_SL, ...change } }, exchange);
    assertShape(rows, [shapes.NUMBERED_RESULT]);
    assert.deepEqual(rows, [{ success: true, orderId: 91, errorCode: "", errorMessage: "" }]);
    assert.deepEqual(exchange.commands, [{ ...TP_SL_COMMAND, ...command }]);
  }
});

test("what a take-profit or stop-loss needs, and refusals in the caller's names", async () => {
  for (const field of Object.keys(TP_SL)) {
    const body = { ...TP_SL, [field]: undefined };
    const refused = await refusal(placeTpSl, { body });
    assert.deepEqual(refused, ["missing-parameter", field]);
  }
  const plan = await refusal(placeTpSl, { body: { ...TP_SL, planType: "STOP" } });
  assert.deepEqual(plan, ["invalid-parameter", "planType"]);
  const refusing = new ExchangeDouble({ "place-algo-order": () => reject("off-tick", "price") });
  const body = { ...TP_SL, executePrice: "58000.05" };
  const refused = await refusal(placeTpSl, { body }, refusing);
  assert.deepEqual(refused, ["off-tick", "executePrice"]);
});

test("changing one that waits", async () => {
  const base = { type: "modify-algo-order", uid: UID, algoId: 91, triggerPrice: "58200" };
  for (const [body, command] of [
    [
      { orderId: 91, triggerPrice: "58200" },
      { ...base, executePrice: null, workingType: null },
    ],
    [
      {
        orderId: "91",
        triggerPrice: "58200",
        executePrice: "58150",
        triggerPriceType: "MARK_PRICE",
      },
      { ...base, executePrice: "58150", workingType: "MARK_PRICE" },
    ],
  ] as const) {
    const exchange = contracts();
    assert.deepEqual(await ask(modifyTpSl, { body }, exchange), { success: true });
    assert.deepEqual(exchange.commands, [command]);
  }
  for (const orderId of [92, "9223372036854775807"]) {
    const refused = await refusal(modifyTpSl, {
      body: { orderId, triggerPrice: "1" },
    });
    assert.deepEqual(refused, ["algo-order-not-found", "orderId"]);
  }
  const missing = await refusal(modifyTpSl, { body: { orderId: 91 } });
  assert.deepEqual(missing, ["missing-parameter", "triggerPrice"]);
});

test("cancelling one: the id is text", async () => {
  const exchange = contracts();
  const answer = await ask(cancelConditional, { query: { orderId: "91" } }, exchange);
  assert.deepEqual(answer, {
    orderId: "91",
    origClientOrderId: "sl-91",
    success: true,
    errorCode: "",
    errorMessage: "",
  });
  assertShape(answer, shapes.CANCELLED);
  assert.deepEqual(exchange.commands, [{ type: "cancel-algo-order", uid: UID, algoId: 91 }]);
  for (const orderId of ["92", "9223372036854775807"]) {
    const refused = await refusal(cancelConditional, { query: { orderId } });
    assert.deepEqual(refused, ["algo-order-not-found", "orderId"]);
  }
  const missing = await refusal(cancelConditional, {});
  assert.deepEqual(missing, ["missing-parameter", "orderId"]);
});
