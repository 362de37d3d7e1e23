/**
 * Proves what the v3 route table promises: the published weights, who may call, one endpoint for
 * each route, no `msg` in an answer; and, through the gateway, what clients other than ccxt sign.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { TSchema } from "typebox";
import { CALLER_UID } from "../../../test/support/endpoint-call.ts";
import { ExchangeDouble } from "../../../test/support/exchange-double.ts";
import { createGatewayDouble, DOUBLE_CREDENTIALS } from "../../../test/support/gateway-double.ts";
import { signedHeaders } from "../../../test/support/signed-client.ts";
import { ENGINE, HISTORY } from "../../../test/support/spot-fixture.ts";
import { V3_SPOT_ROUTES } from "../../api/v3/spot.ts";
import { ENDPOINTS } from "../endpoints.ts";

/** Weight per address / per user; null where no signature is needed. */
const WEIGHTS: Readonly<Record<string, readonly [ip: number, uid: number | null]>> = {
  "GET /api/v3/time": [1, null],
  "GET /api/v3/ping": [1, null],
  "GET /api/v3/coins": [5, null],
  "GET /api/v3/exchangeInfo": [20, null],
  "GET /api/v3/apiTradingSymbols": [5, null],
  "GET /api/v3/market/ticker/price": [4, null],
  "GET /api/v3/market/ticker/24hr": [2, null],
  "GET /api/v3/market/ticker/bookTicker": [4, null],
  "GET /api/v3/market/depth": [5, null],
  "GET /api/v3/market/klines": [2, null],
  "GET /api/v3/market/trades": [25, null],
  "GET /api/v3/account/": [5, 5],
  "POST /api/v3/account/bills": [5, 5],
  "POST /api/v3/account/fundingBills": [5, 5],
  "GET /api/v3/account/transferRecords": [3, 3],
  "POST /api/v3/account/transfer": [5, 10],
  "POST /api/v3/order": [2, 5],
  "GET /api/v3/order": [2, 2],
  "DELETE /api/v3/order": [1, 1],
  "DELETE /api/v3/order/batch": [5, 10],
  "GET /api/v3/openOrders": [3, 3],
  "DELETE /api/v3/openOrders": [1, 1],
  "GET /api/v3/allOrders": [10, 10],
  "GET /api/v3/myTrades": [5, 5],
};

test("weights and signatures", () => {
  const table = V3_SPOT_ROUTES.map(({ method, path, limit, access }) => {
    assert.ok(limit.kind === "weight" && (access !== null || limit.uid === 0));
    return [`${method} ${path}`, [limit.ip, access === null ? null : limit.uid]];
  });
  assert.deepEqual(Object.fromEntries(table), WEIGHTS);
});

test("reads need `read` or `spot`, writes `spot`, what moves contract funds `contract`", () => {
  const writes = V3_SPOT_ROUTES.filter(({ access }) => access?.anyOf.includes("read") === false);
  assert.deepEqual(
    writes.map(({ id, access }) => [id, access?.anyOf]),
    [
      ["v3-transfer", ["contract"]],
      ["v3-place-order", ["spot"]],
      ["v3-cancel-order", ["spot"]],
      ["v3-cancel-orders", ["spot"]],
      ["v3-cancel-open-orders", ["spot"]],
    ],
  );
  for (const { access } of V3_SPOT_ROUTES) {
    if (access?.anyOf.includes("read")) assert.deepEqual(access.anyOf, ["read", "spot"]);
  }
});

test("each route has its endpoint, and no answer a top-level `msg`", () => {
  const answered = new Set<unknown>(ENDPOINTS.map(({ route }) => route));
  for (const route of V3_SPOT_ROUTES) assert.ok(answered.has(route), route.id);
  assert.equal(new Set(V3_SPOT_ROUTES.map(({ id }) => id)).size, V3_SPOT_ROUTES.length);
  for (const { answer } of V3_SPOT_ROUTES) {
    const { properties = {} } = answer as TSchema & { readonly properties?: object };
    assert.ok(!Object.hasOwn(properties, "msg"));
  }
});

test("both spellings of the account's path can be signed", async () => {
  const gateway = createGatewayDouble(new ExchangeDouble(ENGINE, HISTORY), CALLER_UID);
  for (const url of ["/api/v3/account/", "/api/v3/account"]) {
    const headers = signedHeaders(DOUBLE_CREDENTIALS, { method: "GET", path: url });
    const answer = await gateway.inject({ method: "GET", url, headers });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.json().uid, CALLER_UID);
  }
  await gateway.close();
});

test("a cancel by query may carry a signed empty object as its body", async () => {
  const gateway = createGatewayDouble(new ExchangeDouble(ENGINE, HISTORY), CALLER_UID);
  for (const url of ["/api/v3/order?orderId=77", "/api/v3/openOrders?symbol=BTCUSDT"]) {
    const signed = signedHeaders(DOUBLE_CREDENTIALS, { method: "DELETE", path: url, body: "{}" });
    const headers = { ...signed, "Content-Type": "application/json" };
    const answer = await gateway.inject({ method: "DELETE", url, headers, payload: "{}" });
    assert.equal(answer.statusCode, 200, answer.body);
  }
  await gateway.close();
});

test("refusals are bare, with a negative number and the code's status", async () => {
  const gateway = createGatewayDouble(new ExchangeDouble(ENGINE, HISTORY), CALLER_UID);
  for (const [url, status, code] of [
    ["/api/v3/market/depth?symbol=btcusdt", 400, -1121],
    ["/api/v3/market/depth", 400, -1141],
    ["/api/v3/market/klines?symbol=BTCUSDT&interval=7m", 400, -1142],
    ["/api/v3/market/trades?symbol=BTCUSDT&limit=0", 400, -1140],
    ["/api/v3/exchangeInfo?symbol=BTCUSDT&symbols=BTCUSDT", 400, -1128],
    ["/api/v3/openOrders", 401, -1040],
  ] as const) {
    const answer = await gateway.inject({ method: "GET", url });
    const body = answer.json();
    assert.deepEqual(Object.keys(body), ["code", "msg"]);
    assert.deepEqual([answer.statusCode, body.code], [status, code], answer.body);
  }
  await gateway.close();
});
