/**
 * Proves what the contract route table promises: every weight and who may call, one endpoint for
 * each route, no `msg` in an answer, and refusals in the family's form and codes, through the
 * gateway.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { TSchema } from "typebox";
import { CONTRACT_ENGINE, CONTRACT_HISTORY } from "../../../test/support/contract-fixture.ts";
import { CALLER_UID } from "../../../test/support/endpoint-call.ts";
import { ExchangeDouble } from "../../../test/support/exchange-double.ts";
import { createGatewayDouble, DOUBLE_CREDENTIALS } from "../../../test/support/gateway-double.ts";
import { signedHeaders } from "../../../test/support/signed-client.ts";
import { CONTRACT_ROUTES } from "../../api/contract/routes.ts";
import { reject } from "../../domain/index.ts";
import { ENDPOINTS } from "../endpoints.ts";

type Needs = "public" | "read" | "write";

/** Weight per address / per user, and what a caller needs. */
const TABLE: Readonly<Record<string, readonly [ip: number, uid: number, needs: Needs]>> = {
  "GET /capi/v3/market/time": [1, 0, "public"],
  "GET /capi/v3/market/exchangeInfo": [1, 0, "public"],
  "GET /capi/v3/market/apiTradingSymbols": [5, 0, "public"],
  "GET /capi/v3/market/depth": [1, 0, "public"],
  "GET /capi/v3/market/ticker/24hr": [40, 0, "public"],
  "GET /capi/v3/market/ticker/bookTicker": [1, 0, "public"],
  "GET /capi/v3/market/trades": [5, 0, "public"],
  "GET /capi/v3/market/klines": [1, 0, "public"],
  "GET /capi/v3/market/indexPriceKlines": [1, 0, "public"],
  "GET /capi/v3/market/markPriceKlines": [1, 0, "public"],
  "GET /capi/v3/market/historyKlines": [5, 0, "public"],
  "GET /capi/v3/market/symbolPrice": [1, 0, "public"],
  "GET /capi/v3/market/openInterest": [2, 0, "public"],
  "GET /capi/v3/market/premiumIndex": [1, 0, "public"],
  "GET /capi/v3/market/fundingRate": [5, 0, "public"],
  "GET /capi/v3/account/balance": [5, 10, "read"],
  "GET /capi/v3/account/accountConfig": [5, 10, "read"],
  "GET /capi/v3/account/symbolConfig": [5, 10, "read"],
  "GET /capi/v3/account/commissionRate": [5, 10, "read"],
  "POST /capi/v3/account/leverage": [10, 20, "write"],
  "POST /capi/v3/account/marginType": [20, 50, "write"],
  "POST /capi/v3/account/positionMargin": [15, 30, "write"],
  "POST /capi/v3/account/modifyAutoAppendMargin": [15, 30, "write"],
  "POST /capi/v3/account/income": [2, 5, "read"],
  "GET /capi/v3/account/position/allPosition": [10, 15, "read"],
  "GET /capi/v3/account/position/singlePosition": [2, 3, "read"],
  "POST /capi/v3/order": [2, 5, "write"],
  "POST /capi/v3/batchOrders": [5, 10, "write"],
  "GET /capi/v3/order": [2, 3, "read"],
  "DELETE /capi/v3/order": [2, 3, "write"],
  "DELETE /capi/v3/batchOrders": [5, 10, "write"],
  "DELETE /capi/v3/allOpenOrders": [5, 10, "write"],
  "POST /capi/v3/closePositions": [40, 50, "write"],
  "GET /capi/v3/openOrders": [2, 3, "read"],
  "GET /capi/v3/order/history": [10, 10, "read"],
  "GET /capi/v3/userTrades": [5, 5, "read"],
  "POST /capi/v3/algoOrder": [2, 5, "write"],
  "DELETE /capi/v3/algoOrder": [2, 3, "write"],
  "DELETE /capi/v3/algoOpenOrders": [5, 10, "write"],
  "POST /capi/v3/placeTpSlOrder": [2, 5, "write"],
  "POST /capi/v3/modifyTpSlOrder": [2, 5, "write"],
  "GET /capi/v3/openAlgoOrders": [3, 3, "read"],
  "GET /capi/v3/allAlgoOrders": [5, 10, "read"],
  "GET /capi/v3/sim/balance": [5, 10, "read"],
  "GET /capi/v3/sim/position/allPosition": [10, 15, "read"],
  "POST /capi/v3/sim/order": [2, 5, "write"],
  "GET /capi/v3/sim/order/history": [10, 10, "read"],
};

test("weights, signatures and permissions", () => {
  const table = CONTRACT_ROUTES.map(({ method, path, limit, access, family }) => {
    assert.equal(family, "capi");
    assert.ok(limit.kind === "weight");
    const needs = access === null ? "public" : access.anyOf.includes("read") ? "read" : "write";
    if (access !== null) {
      assert.deepEqual(access.anyOf, needs === "read" ? ["read", "contract"] : ["contract"], path);
    }
    return [`${method} ${path}`, [limit.ip, limit.uid, needs]];
  });
  assert.deepEqual(Object.fromEntries(table), TABLE);
});

test("what places orders is counted as orders", () => {
  const counted = CONTRACT_ROUTES.filter(
    (route) => "countsAsOrder" in route && route.countsAsOrder,
  );
  assert.deepEqual(
    counted.map(({ method, path }) => `${method} ${path}`),
    [
      "POST /capi/v3/order",
      "POST /capi/v3/batchOrders",
      "POST /capi/v3/closePositions",
      "POST /capi/v3/sim/order",
    ],
  );
});

test("each route has its endpoint, and no answer a top-level `msg`", () => {
  const answered = new Set<unknown>(ENDPOINTS.map(({ route }) => route));
  for (const route of CONTRACT_ROUTES) assert.ok(answered.has(route), route.id);
  assert.equal(new Set(CONTRACT_ROUTES.map(({ id }) => id)).size, CONTRACT_ROUTES.length);
  for (const { answer } of CONTRACT_ROUTES) {
    const { properties = {} } = answer as TSchema & { readonly properties?: object };
    assert.ok(!Object.hasOwn(properties, "msg"));
  }
});

test("refusals are bare, with the family's numbers and the code's status", async () => {
  const exchange = new ExchangeDouble(CONTRACT_ENGINE, CONTRACT_HISTORY);
  const gateway = createGatewayDouble(exchange, CALLER_UID, ["read"]);
  const signed: readonly (readonly [url: string, status: number, code: number])[] = [
    ["/capi/v3/openOrders?symbol=btcusdt", 400, -1121],
    ["/capi/v3/openOrders?limit=101", 400, -1140],
    ["/capi/v3/openOrders?orderId=x", 400, -1140],
    ["/capi/v3/openOrders?startTime=2&endTime=1", 400, -1171],
    ["/capi/v3/order/history?startTime=0&endTime=7776000001", 400, -1170],
    ["/capi/v3/order?orderId=71", 400, -3200],
    ["/capi/v3/order", 400, -1140],
    ["/capi/v3/account/position/singlePosition", 400, -1140],
    ["/capi/v3/account/position/singlePosition?symbol=NOPE", 400, -1121],
    ["/capi/v3/userTrades?limit=0", 400, -1140],
    ["/capi/v3/allAlgoOrders?a=1&a=2", 400, -1140],
  ];
  for (const [url, status, code] of signed) {
    const headers = signedHeaders(DOUBLE_CREDENTIALS, { method: "GET", path: url });
    const answer = await gateway.inject({ method: "GET", url, headers });
    assert.deepEqual(Object.keys(answer.json()), ["code", "msg"]);
    assert.deepEqual([answer.statusCode, answer.json().code], [status, code], url);
  }
  const open: readonly (readonly [url: string, status: number, code: number])[] = [
    ["/capi/v3/openOrders", 401, -1040],
    ["/capi/v3/nope", 404, -1150],
    ["/capi/v3/closePositions", 405, -1150],
    ["/capi/v3/market/depth", 400, -1140],
    ["/capi/v3/market/depth?symbol=NOPE", 400, -1121],
    ["/capi/v3/market/klines?symbol=BTCUSDT&interval=2h", 400, -1140],
  ];
  for (const [url, status, code] of open) {
    const answer = await gateway.inject({ method: "GET", url });
    assert.deepEqual([answer.statusCode, answer.json().code], [status, code], url);
  }
  await gateway.close();
});

test("a refused order is an HTTP error with the words that clients look for", async () => {
  const refusing = {
    ...CONTRACT_ENGINE,
    "place-contract-order": () => reject("insufficient-margin"),
  };
  const exchange = new ExchangeDouble(refusing, CONTRACT_HISTORY);
  const gateway = createGatewayDouble(exchange, CALLER_UID, ["contract"]);
  const url = "/capi/v3/order";
  const payload = JSON.stringify({
    symbol: "BTCUSDT",
    side: "BUY",
    positionSide: "LONG",
    type: "MARKET",
    quantity: "1",
    newClientOrderId: "c-1",
  });
  const signed = signedHeaders(DOUBLE_CREDENTIALS, { method: "POST", path: url, body: payload });
  const headers = { ...signed, "Content-Type": "application/json" };
  const answer = await gateway.inject({ method: "POST", url, headers, payload });
  assert.equal(answer.statusCode, 400);
  assert.deepEqual(answer.json(), { code: -3201, msg: "Margin available amount not enough" });
  assert.equal(answer.headers["x-order-count-1s"], "0", "limits are off in the double");
  await gateway.close();
});
