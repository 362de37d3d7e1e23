/**
 * A valid request for every route of the table. A route without one fails the suites here, so that
 * no route goes without authorization tests and malformed requests.
 */
import assert from "node:assert/strict";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { pathWithQuery } from "../support/signed-client.ts";

export interface RouteRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Whether a key that may only read is enough; null: no signature needed. */
  readonly access: "read" | "write" | null;
}

const SYMBOL = "BTCUSDT";
const publicRead = (query: Record<string, string> = {}): RouteRequest => ({
  query,
  body: null,
  access: null,
});
const read = (query: Record<string, string> = {}): RouteRequest => ({
  query,
  body: null,
  access: "read",
});

/**
 * Each well formed; the order numbers are of no order, and the accounts that use them have no
 * funds.
 */
const REQUESTS: Readonly<Record<string, RouteRequest>> = {
  "POST /api/v2/trade/orders": {
    query: {},
    body: {
      symbol: SYMBOL,
      side: "buy",
      orderType: "limit",
      force: "normal",
      price: "30000.00",
      quantity: "0.01000",
      clientOrderId: "valid-1",
    },
    access: "write",
  },
  "POST /api/v2/trade/cancel-order": {
    query: {},
    body: { symbol: SYMBOL, orderId: "987654321", clientOid: "valid-2" },
    access: "write",
  },
  "GET /api/v2/account/assets": read(),
  "GET /api/v2/market/ticker": publicRead({ symbol: SYMBOL }),
  "GET /api/v3/time": publicRead(),
  "GET /api/v3/ping": publicRead(),
  "GET /api/v3/coins": publicRead(),
  "GET /api/v3/exchangeInfo": publicRead({ symbol: SYMBOL, symbolStatus: "TRADING" }),
  "GET /api/v3/apiTradingSymbols": publicRead(),
  "GET /api/v3/market/ticker/price": publicRead({ symbol: SYMBOL }),
  "GET /api/v3/market/ticker/24hr": publicRead({ symbol: SYMBOL }),
  "GET /api/v3/market/ticker/bookTicker": publicRead({ symbol: SYMBOL }),
  "GET /api/v3/market/depth": publicRead({ symbol: SYMBOL, limit: "15" }),
  "GET /api/v3/market/klines": publicRead({
    symbol: SYMBOL,
    interval: "1h",
    limit: "10",
    startTime: "1700000000000",
    endTime: "1900000000000",
  }),
  "GET /api/v3/market/trades": publicRead({ symbol: SYMBOL, limit: "10" }),
  "GET /capi/v3/market/exchangeInfo": publicRead(),
  "GET /api/v3/account/": read(),
  "POST /api/v3/account/bills": {
    query: {},
    body: { coinId: 2, bizType: "deposit", after: 1700000000000, before: 1900000000000, limit: 10 },
    access: "read",
  },
  "POST /api/v3/account/fundingBills": {
    query: {},
    body: {
      coinId: 2,
      startTime: 1700000000000,
      endTime: 1900000000000,
      pageIndex: 1,
      pageSize: 10,
    },
    access: "read",
  },
  "GET /api/v3/account/transferRecords": read({
    coinId: "2",
    fromType: "SPOT",
    after: "1700000000000",
    before: "1900000000000",
    limit: "10",
  }),
  "POST /api/v3/order": {
    query: {},
    body: {
      symbol: SYMBOL,
      side: "SELL",
      type: "LIMIT",
      timeInForce: "GTC",
      price: "30000.00",
      quantity: "0.01000",
      newClientOrderId: "valid-3",
    },
    access: "write",
  },
  "GET /api/v3/order": read({ orderId: "987654321" }),
  "DELETE /api/v3/order": { query: { orderId: "987654321" }, body: null, access: "write" },
  "DELETE /api/v3/order/batch": {
    query: {},
    body: { orderIds: ["987654321", 987654322] },
    access: "write",
  },
  "GET /api/v3/openOrders": read({ symbol: SYMBOL }),
  "DELETE /api/v3/openOrders": { query: { symbol: SYMBOL }, body: null, access: "write" },
  "GET /api/v3/allOrders": read({
    symbol: SYMBOL,
    startTime: "1790000000000",
    endTime: "1795000000000",
    limit: "10",
    page: "1",
  }),
  "GET /api/v3/myTrades": read({
    symbol: SYMBOL,
    orderId: "987654321",
    startTime: "1790000000000",
    endTime: "1795000000000",
    limit: "10",
  }),
};

/** Which calls take an order's id, and under what name: nobody else's may work there. */
export const ORDER_ID_PLACES: readonly {
  readonly route: string;
  request(orderId: number, clientOrderId: string): RouteRequest[];
}[] = [
  {
    route: "POST /api/v2/trade/cancel-order",
    request: (orderId, clientOid) => [
      { query: {}, body: { symbol: SYMBOL, orderId: String(orderId) }, access: "write" },
      { query: {}, body: { symbol: SYMBOL, clientOid }, access: "write" },
    ],
  },
  {
    route: "GET /api/v3/order",
    request: (orderId, origClientOrderId) => [
      read({ orderId: String(orderId) }),
      read({ origClientOrderId }),
    ],
  },
  {
    route: "DELETE /api/v3/order",
    request: (orderId, origClientOrderId) => [
      { query: { orderId: String(orderId) }, body: null, access: "write" },
      { query: { origClientOrderId }, body: null, access: "write" },
    ],
  },
  {
    route: "DELETE /api/v3/order/batch",
    request: (orderId, clientOrderId) => [
      { query: {}, body: { orderIds: [orderId] }, access: "write" },
      { query: {}, body: { origClientOrderIds: [clientOrderId] }, access: "write" },
    ],
  },
  {
    route: "GET /api/v3/myTrades",
    request: (orderId) => [read({ symbol: SYMBOL, orderId: String(orderId) })],
  },
];

export interface RouteCase {
  readonly name: string;
  readonly route: Route;
  readonly request: RouteRequest;
}

function routeName(route: Route): string {
  return `${route.method} ${route.path}`;
}

export function routeCase(name: string, request = REQUESTS[name]): RouteCase {
  const route = ROUTES.find((candidate) => routeName(candidate) === name);
  assert.ok(route !== undefined && request !== undefined, `no such route: ${name}`);
  return { name, route, request };
}

/** One case per route; fails when table and requests do not name the same routes. */
export function allRouteCases(): readonly RouteCase[] {
  const names = ROUTES.map(routeName);
  assert.deepEqual(
    [...names].sort(),
    Object.keys(REQUESTS).sort(),
    "a route without a request here",
  );
  return names.map((name) => routeCase(name));
}

export function targetOf({ route, request }: RouteCase): string {
  return pathWithQuery(route.path, request.query);
}

export function bodyOf({ request }: RouteCase): string | null {
  return request.body === null ? null : JSON.stringify(request.body);
}
