/**
 * Proves the seven reads that the API specifies and the single order, value for value and
 * name for name: what they ask, what they answer, every bound of their parameters. The engine and
 * the store are doubles; every answer also has to satisfy the route's own schema.
 */
import assert from "node:assert/strict";
import test from "node:test";
import * as shapes from "../../../test/support/contract-answers.ts";
import {
  ALGO_ORDER,
  CONTRACT_ENGINE,
  CONTRACT_HISTORY,
  ENDED_ORDER,
  FILL,
  POSITION,
} from "../../../test/support/contract-fixture.ts";
import {
  answerOf,
  callEndpoint,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { assertShape } from "../../../test/support/wire-shape.ts";
import type { Endpoint } from "../endpoint.ts";
import { conditionalHistory, openConditional } from "./conditional-orders.ts";
import { openOrders, order, orderHistory, userTrades } from "./order-reads.ts";
import { allPositions, singlePosition } from "./positions.ts";

type Query = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

const contracts = () => new ExchangeDouble(CONTRACT_ENGINE, CONTRACT_HISTORY);
const ask = (endpoint: Endpoint, query: Query = {}, exchange = contracts()) =>
  answerOf(endpoint, { query }, exchange);
const refusal = (endpoint: Endpoint, query: Query) => refusalOf(endpoint, { query }, contracts());

async function idsOf(endpoint: Endpoint, query: Query, name: string): Promise<unknown[]> {
  const rows = (await ask(endpoint, query)) as Row[];
  return rows.map((row) => row[name]);
}

const DAY_MS = 86_400_000;
const OPEN_ANSWER = {
  orderId: 77,
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  status: "NEW",
  type: "LIMIT",
  time: DOUBLE_TIME_MS - 500,
  price: "59850",
  origQty: "0.25",
  executedQty: "0.1",
  avgPrice: "59850",
  updateTime: DOUBLE_TIME_MS - 400,
  clientOrderId: "mine-77",
  cumQuote: "5985",
  timeInForce: "GTC",
  stopPrice: "0",
  reduceOnly: false,
  workingType: "CONTRACT_PRICE",
  priceProtect: false,
  priceMatch: "NONE",
  selfTradePreventionMode: "NONE",
  goodTillDate: 0,
};
const ENDED_ANSWER = {
  orderId: 70,
  symbol: "BTCUSDT",
  side: "SELL",
  positionSide: "LONG",
  status: "FILLED",
  type: "MARKET",
  time: DOUBLE_TIME_MS - 900,
  price: "0",
  origQty: "0.4",
  executedQty: "0.4",
  avgPrice: "61500",
  updateTime: DOUBLE_TIME_MS - 890,
  clientOrderId: "mine-70",
  cumQuote: "24600",
  timeInForce: "IOC",
};

test("open orders: the 22 names, by ascending id", async () => {
  const exchange = contracts();
  const rows = (await ask(openOrders, {}, exchange)) as Row[];
  assert.deepEqual(rows[0], OPEN_ANSWER);
  for (const row of rows) assertShape(row, shapes.ORDER);
  assert.deepEqual(exchange.queries, [{ type: "contract-open-orders", uid: UID, symbol: null }]);
  assert.deepEqual(await idsOf(openOrders, {}, "orderId"), [77, 80, 81]);
  assert.deepEqual(await idsOf(openOrders, { symbol: "ETHUSDT" }, "orderId"), [81]);
});

test("open orders: orderId is a cursor, times are inclusive, pages count from 0", async () => {
  const ids = (query: Query) => idsOf(openOrders, query, "orderId");
  assert.deepEqual(await ids({ orderId: "0" }), [77, 80, 81]);
  assert.deepEqual(await ids({ orderId: "77" }), [80, 81]);
  assert.deepEqual(await ids({ orderId: "81" }), []);
  assert.deepEqual(await ids({ orderId: "9223372036854775807" }), []);
  assert.deepEqual(await ids({ orderId: "" }), [77, 80, 81], "empty counts as absent");
  assert.deepEqual(await ids({ startTime: String(DOUBLE_TIME_MS - 400) }), [80, 81]);
  assert.deepEqual(await ids({ endTime: String(DOUBLE_TIME_MS - 400) }), [77, 80]);
  const instant = {
    startTime: String(DOUBLE_TIME_MS - 400),
    endTime: String(DOUBLE_TIME_MS - 400),
  };
  assert.deepEqual(await ids(instant), [80]);
  assert.deepEqual(await ids({ limit: "2" }), [77, 80]);
  assert.deepEqual(await ids({ limit: "2", page: "1" }), [81]);
  assert.deepEqual(await ids({ limit: "2", page: "2" }), []);
  assert.deepEqual(await ids({ page: String(Number.MAX_SAFE_INTEGER) }), []);
  assert.deepEqual(await ids({ limit: "1", orderId: "77", page: "1" }), [81]);
});

test("limits, pages and ranges outside their bounds are refused", async () => {
  const limits: readonly (readonly [Endpoint, number])[] = [
    [openOrders, 100],
    [orderHistory, 1000],
    [openConditional, 100],
    [conditionalHistory, 1000],
    [userTrades, 100],
  ];
  for (const [endpoint, most] of limits) {
    const { path } = endpoint.route;
    for (const limit of ["1", String(most)]) {
      assert.ok((await callEndpoint(endpoint, { query: { limit } }, contracts())).ok, path);
    }
    for (const limit of ["0", String(most + 1), "-1", "1.5", "1e2", " 1", "x"]) {
      assert.deepEqual(
        await refusal(endpoint, { limit }),
        ["parameter-out-of-range", "limit"],
        path,
      );
    }
    const reversed = { startTime: "2", endTime: "1" };
    assert.deepEqual(await refusal(endpoint, reversed), ["start-after-end", "startTime"], path);
    assert.ok((await callEndpoint(endpoint, { query: { startTime: "1" } }, contracts())).ok, path);
    assert.ok((await callEndpoint(endpoint, { query: { endTime: "1" } }, contracts())).ok, path);
    const unknown = await refusal(endpoint, { symbol: "NOPE" });
    assert.deepEqual(unknown, ["unknown-symbol", "symbol"], path);
    assert.deepEqual(await refusal(endpoint, { symbol: "" }), ["unknown-symbol", "symbol"], path);
  }
  assert.deepEqual(await refusal(openConditional, { page: "0" }), [
    "parameter-out-of-range",
    "page",
  ]);
});

test("90 days exactly are allowed, also into the future, a millisecond more is not", async () => {
  for (const endpoint of [orderHistory, conditionalHistory]) {
    const startTime = DOUBLE_TIME_MS - DAY_MS;
    const range = (length: number) => ({
      startTime: String(startTime),
      endTime: String(startTime + length),
    });
    assert.ok((await callEndpoint(endpoint, { query: range(90 * DAY_MS) }, contracts())).ok);
    const refused = await refusal(endpoint, range(90 * DAY_MS + 1));
    assert.deepEqual(refused, ["time-range-too-long", "endTime"]);
  }
  const wide = { startTime: "0", endTime: String(DOUBLE_TIME_MS) };
  for (const endpoint of [openOrders, openConditional, userTrades]) {
    assert.ok((await callEndpoint(endpoint, { query: wide }, contracts())).ok);
  }
});

test("order history: exactly the 15 names, with what was asked of the store", async () => {
  const exchange = contracts();
  const query = { symbol: "BTCUSDT", startTime: "5", endTime: "9", limit: "2", page: "3" };
  const rows = (await ask(orderHistory, query, exchange)) as Row[];
  assert.deepEqual(rows[0], ENDED_ANSWER);
  for (const row of rows) assertShape(row, shapes.HISTORY_ORDER);
  assert.deepEqual(exchange.asked, [
    {
      name: "ended-contract-orders",
      question: {
        uid: UID,
        symbol: "BTCUSDT",
        created: { fromMs: 5, toMs: 9 },
        offset: 6,
        limit: 2,
      },
      sequence: DOUBLE_SEQUENCE,
    },
  ]);
});

test("order history: defaults, and pages that cost too much", async () => {
  const exchange = contracts();
  await ask(orderHistory, {}, exchange);
  assert.deepEqual(exchange.asked[0]?.question, {
    uid: UID,
    symbol: null,
    created: { fromMs: null, toMs: null },
    offset: 0,
    limit: 500,
  });
  assert.ok((await callEndpoint(orderHistory, { query: { page: "200" } }, contracts())).ok);
  const refused = ["parameter-out-of-range", "page"];
  assert.deepEqual(await refusal(orderHistory, { page: "201" }), refused);
  const far = { page: String(Number.MAX_SAFE_INTEGER), limit: "1000" };
  assert.deepEqual(await refusal(orderHistory, far), refused);
});

test("one order, open or ended; a stranger's and an impossible id are no order", async () => {
  const open = contracts();
  assert.deepEqual(await ask(order, { orderId: "77" }, open), OPEN_ANSWER);
  assert.deepEqual(open.asked, []);
  const { stopPrice, reduceOnly: _, ...rest } = OPEN_ANSWER;
  const exchange = contracts();
  assert.deepEqual(await ask(order, { orderId: "70" }, exchange), {
    ...rest,
    stopPrice,
    ...ENDED_ANSWER,
    reduceOnly: true,
  });
  assert.deepEqual(exchange.asked, [
    {
      name: "ended-contract-order",
      question: { uid: UID, orderId: ENDED_ORDER.orderId, clientOrderId: null },
      sequence: DOUBLE_SEQUENCE,
    },
  ]);
  for (const orderId of ["69", "0", "9223372036854775807", "9999999999999999999"]) {
    assert.equal((await refusal(order, { orderId }))[0], "order-not-found", orderId);
  }
  for (const orderId of ["", "x", "-1", "1.0", "077", "12345678901234567890"]) {
    const reason = orderId === "" ? "missing-order-id" : "invalid-parameter";
    assert.deepEqual(await refusal(order, { orderId }), [reason, "orderId"], orderId);
  }
  assert.deepEqual(await refusal(order, {}), ["missing-order-id", "orderId"]);
});

test("one order by the caller's own id; the order id decides when both are sent", async () => {
  assert.deepEqual(await ask(order, { origClientOrderId: "mine-77" }), OPEN_ANSWER);
  const exchange = contracts();
  const ended = (await ask(order, { origClientOrderId: "mine-70" }, exchange)) as Row;
  assert.equal(ended.orderId, ENDED_ORDER.orderId);
  assert.deepEqual(exchange.asked[0]?.question, {
    uid: UID,
    orderId: null,
    clientOrderId: "mine-70",
  });
  const both = { orderId: "77", origClientOrderId: "mine-70" };
  assert.deepEqual(await ask(order, both), OPEN_ANSWER);
  const unknown = await refusal(order, { origClientOrderId: "mine-1" });
  assert.equal(unknown[0], "order-not-found");
  const invalid = await refusal(order, { origClientOrderId: "no good" });
  assert.deepEqual(invalid, ["invalid-client-order-id", "origClientOrderId"]);
});

test("positions: the 29 names as the engine has them", async () => {
  for (const [endpoint, query] of [
    [allPositions, {}],
    [singlePosition, { symbol: "BTCUSDT" }],
  ] as const) {
    const rows = (await ask(endpoint, query)) as Row[];
    assert.deepEqual(rows, [POSITION]);
    assertShape(rows, [shapes.POSITION]);
    assert.equal(Object.keys(rows[0] ?? {}).length, 29);
  }
  assert.deepEqual(await ask(singlePosition, { symbol: "ETHUSDT" }), []);
  const missing = ["missing-parameter", "symbol"];
  assert.deepEqual(await refusal(singlePosition, {}), missing);
  assert.deepEqual(await refusal(singlePosition, { symbol: "" }), missing);
  const unknown = await refusal(singlePosition, { symbol: "btcusdt" });
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
});

const LISTED_ALGO = {
  algoId: 91,
  clientAlgoId: "sl-91",
  orderType: "STOP_MARKET",
  symbol: "BTCUSDT",
  side: "SELL",
  positionSide: "LONG",
  timeInForce: "IOC",
  quantity: "0.25",
  algoStatus: "UNTRIGGERED",
  actualOrderId: null,
  actualPrice: "0",
  triggerPrice: "58100",
  price: "0",
  workingType: "CONTRACT_PRICE",
  createTime: DOUBLE_TIME_MS - 700,
  updateTime: DOUBLE_TIME_MS - 700,
  triggerTime: 0,
};

test("open conditional orders: the 25 names, newest first, pages count from 1", async () => {
  const rows = (await ask(openConditional)) as Row[];
  for (const row of rows) assertShape(row, shapes.ALGO);
  assert.equal(Object.keys(rows[0] ?? {}).length, 25);
  assert.deepEqual(rows[1], {
    ...LISTED_ALGO,
    algoType: "CONDITIONAL",
    tpTriggerPrice: "",
    tpPrice: "",
    slTriggerPrice: "",
    slPrice: "",
    tpOrderType: "",
    closePosition: false,
    reduceOnly: true,
  });
  assert.partialDeepStrictEqual(rows[0], {
    algoId: 95,
    tpTriggerPrice: "65000",
    tpPrice: "0",
    slTriggerPrice: "61000",
    slPrice: "0",
    tpOrderType: "MARK_PRICE",
  });
  const ids = (query: Query) => idsOf(openConditional, query, "algoId");
  assert.deepEqual(await ids({ limit: "1" }), [95]);
  assert.deepEqual(await ids({ limit: "1", page: "2" }), [91]);
  assert.deepEqual(await ids({ limit: "1", page: "3" }), []);
  assert.deepEqual(await ids({ endTime: String(ALGO_ORDER.createdMs) }), [91]);
  assert.deepEqual(await ids({ startTime: String(ALGO_ORDER.createdMs + 1) }), [95]);
});

test("conditional order history: 18 names, and whether there is more", async () => {
  const exchange = contracts();
  const all = (await ask(conditionalHistory, { endTime: "9" }, exchange)) as {
    readonly orders: readonly Row[];
    readonly hasMore: boolean;
  };
  assert.deepEqual(Object.keys(all), ["orders", "hasMore"]);
  assert.equal(all.hasMore, false);
  for (const row of all.orders) assertShape(row, shapes.HISTORY_ALGO);
  assert.deepEqual(all.orders[0], {
    ...LISTED_ALGO,
    algoType: "PLAN",
    algoId: 60,
    algoStatus: "FILLED",
    actualOrderId: 70,
    actualPrice: "61500",
    triggerTime: DOUBLE_TIME_MS - 900,
  });
  assert.deepEqual(exchange.asked, [
    {
      name: "algo-orders",
      question: { uid: UID, symbol: null, created: { fromMs: null, toMs: 9 }, limit: 501 },
      sequence: DOUBLE_SEQUENCE,
    },
  ]);
  for (const [limit, rows, hasMore] of [
    ["2", 2, true],
    ["3", 3, false],
  ] as const) {
    const some = (await ask(conditionalHistory, { limit })) as typeof all;
    assert.deepEqual([some.orders.length, some.hasMore], [rows, hasMore]);
  }
});

test("user trades: 14 names, newest first", async () => {
  const exchange = contracts();
  const query = { symbol: "BTCUSDT", orderId: "70", startTime: "1", endTime: "2", limit: "5" };
  const rows = (await ask(userTrades, query, exchange)) as Row[];
  for (const row of rows) assertShape(row, shapes.USER_TRADE);
  assert.deepEqual(rows[0], {
    id: 12,
    orderId: 70,
    symbol: "BTCUSDT",
    buyer: false,
    commission: "19.68",
    commissionAsset: "USDT",
    maker: false,
    price: "61500",
    qty: "0.4",
    quoteQty: "24600",
    realizedPnl: "600",
    side: "SELL",
    positionSide: "LONG",
    time: FILL.timeMs,
  });
  assert.deepEqual(exchange.asked[0]?.question, {
    uid: UID,
    symbol: "BTCUSDT",
    orderId: 70,
    time: { fromMs: 1, toMs: 2 },
    limit: 5,
  });
});

test("with detail=FULL: who placed an order, why it ended, and how a fill came about", async () => {
  const [plain, detailed] = await Promise.all(
    ["BASIC", "FULL"].map(async (detail) => (await ask(orderHistory, { detail })) as Row[]),
  );
  assert.equal(Object.keys(plain?.[0] ?? {}).length, 15);
  const own = { orderSource: "API", cancelReason: "UNKNOWN_ORDER_CANCEL_REASON" };
  assert.deepEqual(detailed?.[0], { ...plain?.[0], ...own });
  const liquidated = { ...ENDED_ORDER, origin: "liquidation", reason: "dead-man-switch" } as const;
  const by = new ExchangeDouble(CONTRACT_ENGINE, {
    "ended-contract-orders": () => [liquidated],
    "contract-fills": () => [{ ...FILL, kind: "adl" }],
  });
  const [order] = (await ask(orderHistory, { detail: "FULL" }, by)) as Row[];
  assert.partialDeepStrictEqual(order, {
    orderSource: "LIQUIDATION",
    cancelReason: "DEAD_MAN_SWITCH",
  });
  const [fill] = (await ask(userTrades, { detail: "FULL" }, by)) as Row[];
  assert.equal(fill?.matchType, "ADL");
  const odd = await refusal(orderHistory, { detail: "SOME" });
  assert.deepEqual(odd, ["invalid-parameter", "detail"]);
});

test("user trades of an id that was never issued are none", async () => {
  const exchange = contracts();
  const orderId = "9223372036854775807";
  assert.deepEqual(await ask(userTrades, { orderId }, exchange), []);
  assert.deepEqual(exchange.asked, []);
  assert.deepEqual(await ask(userTrades, { fromId: orderId }, exchange), []);
  assert.deepEqual(exchange.asked, []);
  const from = new ExchangeDouble(CONTRACT_ENGINE, { "contract-fills-from": () => [] });
  assert.deepEqual(await ask(userTrades, { fromId: "12" }, from), []);
  assert.partialDeepStrictEqual(from.asked[0]?.question, { fromId: 12, symbol: null, limit: 100 });
  const malformed = await refusal(userTrades, { orderId: "1e3" });
  assert.deepEqual(malformed, ["invalid-parameter", "orderId"]);
  const standard = contracts();
  await ask(userTrades, {}, standard);
  assert.partialDeepStrictEqual(standard.asked[0]?.question, { orderId: null, limit: 100 });
});

test("a store that is behind is said to be, not passed over", async () => {
  for (const [endpoint, name] of [
    [orderHistory, "ended-contract-orders"],
    [conditionalHistory, "algo-orders"],
    [userTrades, "contract-fills"],
  ] as const) {
    const behind = new ExchangeDouble(CONTRACT_ENGINE, {
      [name]: () => ({ unavailable: "history-behind" }),
    });
    assert.deepEqual(await callEndpoint(endpoint, {}, behind), {
      ok: false,
      unavailable: "history-behind",
    });
  }
});
