/**
 * A valid request for every v2 route; the order numbers are of no order, and the accounts that use
 * them have no funds.
 */
import {
  type IdPlace,
  posted,
  publicRead,
  type RouteRequest,
  read,
  SYMBOL,
} from "./request-forms.ts";

const ORDER = {
  side: "buy",
  orderType: "limit",
  force: "normal",
  price: "30000.00",
  quantity: "0.01000",
  clientOrderId: "valid-1",
} as const;
const PAST = { after: 1790000000000, before: "1795000000000" } as const;
const PAGE = { pageIndex: 0, pageSize: "10" } as const;

export const V2_REQUESTS: Readonly<Record<string, RouteRequest>> = {
  "GET /api/v2/public/time": publicRead(),
  "GET /api/v2/public/currencies": publicRead(),
  "GET /api/v2/public/products": publicRead(),
  "GET /api/v2/public/exchangeInfo": publicRead({ symbols: "BTCUSDT_SPBL,ethusdt" }),
  "GET /api/v2/market/ticker": publicRead({ symbol: SYMBOL }),
  "GET /api/v2/market/tickers": publicRead(),
  "GET /api/v2/market/fills": publicRead({ symbol: SYMBOL, limit: "10" }),
  "GET /api/v2/market/candles": publicRead({ symbol: SYMBOL, period: "1h", limit: "10" }),
  "GET /api/v2/market/depth": publicRead({ symbol: SYMBOL, type: "step1", limit: "15" }),
  "POST /api/v2/trade/orders": posted("write", { symbol: SYMBOL, ...ORDER }),
  "POST /api/v2/trade/batch-orders": posted("write", {
    symbol: SYMBOL,
    orderList: [ORDER, { ...ORDER, side: "SELL", clientOrderId: "valid-8" }],
  }),
  "POST /api/v2/trade/cancel-order": posted("write", {
    symbol: SYMBOL,
    orderId: "987654321",
    clientOid: "valid-2",
  }),
  "POST /api/v2/trade/cancel-batch-orders": posted("write", {
    symbol: SYMBOL,
    orderIds: ["987654321", 987654322],
  }),
  "POST /api/v2/trade/cancel-symbol-order": posted("write", { symbol: SYMBOL }),
  "POST /api/v2/trade/orderInfo": posted("read", { orderId: "987654321", clientOrderId: "none" }),
  "POST /api/v2/trade/open-orders": posted("read", { symbol: SYMBOL, limit: 10, pageNo: "0" }),
  "POST /api/v2/trade/history": posted("read", { symbol: SYMBOL, ...PAST, ...PAGE }),
  "POST /api/v2/trade/fills": posted("read", {
    symbol: SYMBOL,
    orderId: "987654321",
    ...PAST,
    ...PAGE,
  }),
  "GET /api/v2/account/assets": read(),
  "POST /api/v2/account/bills": posted("read", {
    coinId: "2",
    bizType: "deposit",
    ...PAST,
    limit: 10,
  }),
  "POST /api/v2/account/fundingBills": posted("read", {
    coinId: 2,
    startTime: 1790000000000,
    endTime: "1795000000000",
    pageIndex: 1,
    pageSize: "10",
  }),
  "GET /api/v2/account/transferRecords": read({
    coinId: "2",
    fromType: "SPOT",
    after: "1790000000000",
    before: "1795000000000",
    limit: "10",
  }),
};

export const V2_ID_PLACES: readonly IdPlace[] = [
  {
    route: "POST /api/v2/trade/cancel-order",
    request: (orderId, clientOid) => [
      posted("write", { symbol: SYMBOL, orderId: String(orderId) }),
      posted("write", { symbol: SYMBOL, clientOid }),
    ],
  },
  {
    route: "POST /api/v2/trade/cancel-batch-orders",
    request: (orderId, clientOid) => [
      posted("write", { symbol: SYMBOL, orderIds: [String(orderId)] }),
      posted("write", { symbol: SYMBOL, clientOids: [clientOid] }),
    ],
  },
  {
    route: "POST /api/v2/trade/orderInfo",
    request: (orderId, clientOrderId) => [
      posted("read", { orderId }),
      posted("read", { clientOrderId }),
    ],
  },
  {
    route: "POST /api/v2/trade/fills",
    request: (orderId) => [posted("read", { symbol: SYMBOL, orderId: String(orderId) })],
  },
];
