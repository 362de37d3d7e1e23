/**
 * A valid request for every route of the table. A route without one fails the suites here, so that
 * no route goes without authorization tests and malformed requests.
 */
import assert from "node:assert/strict";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { pathWithQuery } from "../support/signed-client.ts";
import {
  ADDITION_ID_PLACES,
  ADDITION_REQUESTS,
  CONTRACT_AMEND_PLACE,
} from "./addition-requests.ts";
import { AFFILIATE_REQUESTS } from "./affiliate-requests.ts";
import { type IdPlace, publicRead, type RouteRequest, read, SYMBOL } from "./request-forms.ts";
import { V2_ID_PLACES, V2_REQUESTS } from "./v2-requests.ts";

const contractRead = (query: Record<string, string> = {}): RouteRequest => ({
  ...read(query),
  wallet: "contract",
});
const contractWrite = (body: Readonly<Record<string, unknown>>): RouteRequest => ({
  query: {},
  body,
  access: "write",
  wallet: "contract",
});
const contractDelete = (query: Record<string, string>): RouteRequest => ({
  query,
  body: null,
  access: "write",
  wallet: "contract",
});

const PAST = { startTime: "1790000000000", endTime: "1795000000000", limit: "10" } as const;
const LATEST = { symbol: SYMBOL, interval: "1h", limit: "10" } as const;
const CONTRACT_ORDER = {
  symbol: SYMBOL,
  side: "BUY",
  positionSide: "LONG",
  type: "LIMIT",
  timeInForce: "GTC",
  price: "30000.0",
  quantity: "0.010",
  newClientOrderId: "valid-4",
} as const;

/**
 * Each well formed; the order numbers are of no order, and the accounts that use them have no
 * funds.
 */
const SPOT_REQUESTS: Readonly<Record<string, RouteRequest>> = {
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

/**
 * Settings name the values that a new account has, and conditional orders close what is not there,
 * so that nothing here changes the state of an account without funds.
 */
const CONTRACT_REQUESTS: Readonly<Record<string, RouteRequest>> = {
  "GET /capi/v3/market/time": publicRead(),
  "GET /capi/v3/market/exchangeInfo": publicRead({ symbol: SYMBOL }),
  "GET /capi/v3/market/apiTradingSymbols": publicRead(),
  "GET /capi/v3/market/depth": publicRead({ symbol: SYMBOL, limit: "15" }),
  "GET /capi/v3/market/ticker/24hr": publicRead({ symbol: SYMBOL }),
  "GET /capi/v3/market/ticker/bookTicker": publicRead({ symbol: SYMBOL }),
  "GET /capi/v3/market/trades": publicRead({ symbol: SYMBOL, limit: "10" }),
  "GET /capi/v3/market/klines": publicRead(LATEST),
  "GET /capi/v3/market/indexPriceKlines": publicRead(LATEST),
  "GET /capi/v3/market/markPriceKlines": publicRead(LATEST),
  "GET /capi/v3/market/historyKlines": publicRead({ ...LATEST, ...PAST, priceType: "MARK" }),
  "GET /capi/v3/market/symbolPrice": publicRead({ symbol: SYMBOL, priceType: "MARK" }),
  "GET /capi/v3/market/openInterest": publicRead({ symbol: SYMBOL }),
  "GET /capi/v3/market/premiumIndex": publicRead({ symbol: SYMBOL }),
  "GET /capi/v3/market/fundingRate": publicRead({
    symbol: SYMBOL,
    startTime: "1790000000000",
    endTime: "1790600000000",
    limit: "10",
  }),
  "GET /capi/v3/account/balance": contractRead(),
  "GET /capi/v3/account/accountConfig": contractRead(),
  "GET /capi/v3/account/symbolConfig": contractRead({ symbol: SYMBOL }),
  "GET /capi/v3/account/commissionRate": contractRead({ symbol: SYMBOL }),
  "POST /capi/v3/account/leverage": contractWrite({
    symbol: SYMBOL,
    marginType: "CROSSED",
    crossLeverage: 20,
    isolatedLongLeverage: "20",
    isolatedShortLeverage: "20",
  }),
  "POST /capi/v3/account/marginType": contractWrite({
    symbol: SYMBOL,
    marginType: "CROSSED",
    separatedType: "COMBINED",
  }),
  "POST /capi/v3/account/positionMargin": contractWrite({
    isolatedPositionId: 987654321,
    amount: "1.5",
    type: 1,
  }),
  "POST /capi/v3/account/modifyAutoAppendMargin": contractWrite({
    positionId: "987654321",
    autoAppendMargin: true,
  }),
  "POST /capi/v3/account/income": {
    query: {},
    body: {
      asset: "USDT",
      symbol: SYMBOL,
      incomeType: "position_funding",
      startTime: 1790000000000,
      endTime: 1795000000000,
      limit: 10,
      nextKeyId: 5,
      nextKeyTime: 1790000000001,
    },
    access: "read",
    wallet: "contract",
  },
  "GET /capi/v3/account/position/allPosition": contractRead(),
  "GET /capi/v3/account/position/singlePosition": contractRead({ symbol: SYMBOL }),
  "POST /capi/v3/order": contractWrite({
    ...CONTRACT_ORDER,
    tpTriggerPrice: "31000.0",
    slTriggerPrice: "29000.0",
    TpWorkingType: "CONTRACT_PRICE",
    SlWorkingType: "MARK_PRICE",
  }),
  "POST /capi/v3/batchOrders": contractWrite({ batchOrders: [CONTRACT_ORDER] }),
  "GET /capi/v3/order": contractRead({ orderId: "987654321" }),
  "DELETE /capi/v3/order": contractDelete({ orderId: "987654321" }),
  "DELETE /capi/v3/batchOrders": contractWrite({ orderIdList: ["987654321", 987654322] }),
  "DELETE /capi/v3/allOpenOrders": contractDelete({ symbol: SYMBOL }),
  "POST /capi/v3/closePositions": contractWrite({ symbol: SYMBOL }),
  "GET /capi/v3/openOrders": contractRead({
    symbol: SYMBOL,
    orderId: "987654321",
    ...PAST,
    page: "0",
  }),
  "GET /capi/v3/order/history": contractRead({ symbol: SYMBOL, ...PAST, page: "0" }),
  "GET /capi/v3/userTrades": contractRead({ symbol: SYMBOL, orderId: "987654321", ...PAST }),
  "POST /capi/v3/algoOrder": contractWrite({
    symbol: SYMBOL,
    side: "SELL",
    positionSide: "LONG",
    type: "STOP",
    quantity: "0.010",
    triggerPrice: "29000.0",
    price: "28900.0",
    clientAlgoId: "valid-5",
  }),
  "DELETE /capi/v3/algoOrder": contractDelete({ orderId: "987654321" }),
  "DELETE /capi/v3/algoOpenOrders": contractDelete({ symbol: SYMBOL }),
  "POST /capi/v3/placeTpSlOrder": contractWrite({
    symbol: SYMBOL,
    clientAlgoId: "valid-6",
    planType: "STOP_LOSS",
    triggerPrice: "29000.0",
    executePrice: "0",
    quantity: "0.010",
    positionSide: "LONG",
    triggerPriceType: "MARK_PRICE",
  }),
  "POST /capi/v3/modifyTpSlOrder": contractWrite({
    orderId: 987654321,
    triggerPrice: "29000.0",
    executePrice: "28900.0",
    triggerPriceType: "CONTRACT_PRICE",
  }),
  "GET /capi/v3/openAlgoOrders": contractRead({ symbol: SYMBOL, ...PAST, page: "1" }),
  "GET /capi/v3/allAlgoOrders": contractRead({ symbol: SYMBOL, ...PAST }),
  "GET /capi/v3/sim/balance": contractRead(),
  "GET /capi/v3/sim/position/allPosition": contractRead(),
  "POST /capi/v3/sim/order": contractWrite({ ...CONTRACT_ORDER, symbol: "BTCSUSDT" }),
  "GET /capi/v3/sim/order/history": contractRead({ symbol: "BTCSUSDT", ...PAST, page: "0" }),
  "POST /api/v3/account/transfer": contractWrite({
    clientTransferId: "valid-7",
    fromType: "SPOT",
    toType: "CONTRACT",
    coinName: "USDT",
    amount: "1.5",
  }),
};

const REQUESTS = {
  ...V2_REQUESTS,
  ...SPOT_REQUESTS,
  ...CONTRACT_REQUESTS,
  ...AFFILIATE_REQUESTS,
  ...ADDITION_REQUESTS,
};

/** Which calls take an order's id, and under what name: nobody else's may work there. */
export const ORDER_ID_PLACES: readonly IdPlace[] = [
  ...V2_ID_PLACES,
  ...ADDITION_ID_PLACES,
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

/** The same on contracts, where positions and conditional orders have ids as well. */
export const CONTRACT_ID_PLACES: readonly {
  readonly route: string;
  /** What the id is one of. */
  readonly of: "order" | "conditional" | "position";
  request(id: number, clientId: string): RouteRequest[];
}[] = [
  CONTRACT_AMEND_PLACE,
  {
    route: "GET /capi/v3/order",
    of: "order",
    request: (orderId, origClientOrderId) => [
      contractRead({ orderId: String(orderId) }),
      contractRead({ origClientOrderId }),
    ],
  },
  {
    route: "DELETE /capi/v3/order",
    of: "order",
    request: (orderId, origClientOrderId) => [
      contractDelete({ orderId: String(orderId) }),
      contractDelete({ origClientOrderId }),
    ],
  },
  {
    route: "DELETE /capi/v3/batchOrders",
    of: "order",
    request: (orderId, clientOrderId) => [
      contractWrite({ orderIdList: [orderId] }),
      contractWrite({ origClientOrderIdList: [clientOrderId] }),
    ],
  },
  {
    route: "GET /capi/v3/userTrades",
    of: "order",
    request: (orderId) => [contractRead({ symbol: SYMBOL, orderId: String(orderId) })],
  },
  {
    route: "DELETE /capi/v3/algoOrder",
    of: "conditional",
    request: (orderId) => [contractDelete({ orderId: String(orderId) })],
  },
  {
    route: "POST /capi/v3/modifyTpSlOrder",
    of: "conditional",
    request: (orderId) => [contractWrite({ orderId, triggerPrice: "29100" })],
  },
  {
    route: "POST /capi/v3/account/positionMargin",
    of: "position",
    request: (isolatedPositionId) => [
      contractWrite({ isolatedPositionId, amount: "1", type: 1 }),
      contractWrite({ isolatedPositionId, amount: "1", type: 2 }),
    ],
  },
  {
    route: "POST /capi/v3/account/modifyAutoAppendMargin",
    of: "position",
    request: (positionId) => [contractWrite({ positionId, autoAppendMargin: true })],
  },
  {
    route: "POST /capi/v3/closePositions",
    of: "position",
    request: (positionId) => [
      contractWrite({ positionId }),
      contractWrite({ symbol: SYMBOL, positionId }),
    ],
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

export function routeCase(
  name: string,
  request: RouteRequest | undefined = (REQUESTS as Readonly<Record<string, RouteRequest>>)[name],
): RouteCase {
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
