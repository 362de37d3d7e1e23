/**
 * A successful request for every route of the API, with rows if the answer is a list, from the
 * caller of `answer-fixture.ts`.
 */
import { type AnswerFixture, CONTRACT_SYMBOL, SPOT_SYMBOL } from "./answer-fixture.ts";

type Values = Readonly<Record<string, unknown>>;

/** What is sent: a query with GET and DELETE, else a body; a DELETE may have a body as well. */
export interface Sent {
  readonly query?: Values;
  readonly body?: Values;
}

export type AnsweredRequest = (fixture: AnswerFixture) => Sent | Promise<Sent>;

const query =
  (values: Values = {}): AnsweredRequest =>
  () => ({ query: values });
const body =
  (values: Values = {}): AnsweredRequest =>
  () => ({ body: values });

const SPOT = { symbol: SPOT_SYMBOL };
const CONTRACT = { symbol: CONTRACT_SYMBOL };
const HOURS = { interval: "1h", limit: 10 };

const V2_REQUESTS: Readonly<Record<string, AnsweredRequest>> = {
  "GET /api/v2/public/time": query(),
  "GET /api/v2/public/currencies": query(),
  "GET /api/v2/public/products": query(),
  "GET /api/v2/public/exchangeInfo": query(),
  "GET /api/v2/market/ticker": query(SPOT),
  "GET /api/v2/market/tickers": query(),
  "GET /api/v2/market/fills": query(SPOT),
  "GET /api/v2/market/candles": query({ ...SPOT, period: "1h" }),
  "GET /api/v2/market/depth": query(SPOT),
  "POST /api/v2/trade/orders": (fixture) => ({ body: { ...SPOT, ...fixture.v2Order() } }),
  // One is accepted, the other needs more than there is.
  "POST /api/v2/trade/batch-orders": (fixture) => ({
    body: { ...SPOT, orderList: [fixture.v2Order(), { ...fixture.v2Order(), quantity: "8000" }] },
  }),
  "POST /api/v2/trade/cancel-order": async (fixture) => ({
    body: { ...SPOT, orderId: await fixture.spotOrder() },
  }),
  "POST /api/v2/trade/cancel-batch-orders": async (fixture) => ({
    body: { ...SPOT, orderIds: [await fixture.spotOrder(), "987654321"] },
  }),
  "POST /api/v2/trade/cancel-symbol-order": async (fixture) => {
    await fixture.spotOrder();
    return { body: SPOT };
  },
  "POST /api/v2/trade/orderInfo": async (fixture) => ({
    body: { orderId: await fixture.spotOrder() },
  }),
  "POST /api/v2/trade/open-orders": async (fixture) => {
    await fixture.spotOrder();
    return { body: SPOT };
  },
  "POST /api/v2/trade/history": body(SPOT),
  "POST /api/v2/trade/fills": (fixture) => ({
    body: { ...SPOT, orderId: fixture.filledSpotOrder },
  }),
  "GET /api/v2/account/assets": query(),
  "POST /api/v2/account/bills": body(),
  "POST /api/v2/account/fundingBills": body({ pageIndex: 1, pageSize: 10 }),
  "GET /api/v2/account/transferRecords": query({ fromType: "SPOT" }),
};

const V3_REQUESTS: Readonly<Record<string, AnsweredRequest>> = {
  "GET /api/v3/time": query(),
  "GET /api/v3/ping": query(),
  "GET /api/v3/coins": query(),
  "GET /api/v3/exchangeInfo": query(),
  "GET /api/v3/apiTradingSymbols": query(),
  "GET /api/v3/market/ticker/price": query(),
  "GET /api/v3/market/ticker/24hr": query(),
  "GET /api/v3/market/ticker/bookTicker": query(),
  "GET /api/v3/market/depth": query(SPOT),
  "GET /api/v3/market/klines": query({ ...SPOT, ...HOURS }),
  "GET /api/v3/market/trades": query(SPOT),
  "GET /api/v3/account/": query(),
  "POST /api/v3/account/bills": body(),
  "POST /api/v3/account/fundingBills": body({ pageIndex: 1, pageSize: 10 }),
  "GET /api/v3/account/transferRecords": query({ fromType: "SPOT" }),
  "POST /api/v3/account/transfer": (fixture) => ({ body: fixture.transfer("2") }),
  "POST /api/v3/faucet": body({ clientFaucetId: "answered-1", coinName: "USDT", amount: "5" }),
  "POST /api/v3/order": (fixture) => ({ body: fixture.v3Order() }),
  "GET /api/v3/order": async (fixture) => ({ query: { orderId: await fixture.spotOrder() } }),
  "DELETE /api/v3/order": async (fixture) => ({ query: { orderId: await fixture.spotOrder() } }),
  "DELETE /api/v3/order/batch": async (fixture) => ({
    body: { orderIds: [await fixture.spotOrder(), 987654321] },
  }),
  "GET /api/v3/openOrders": async (fixture) => {
    await fixture.spotOrder();
    return { query: SPOT };
  },
  "DELETE /api/v3/openOrders": async (fixture) => {
    await fixture.spotOrder();
    return { query: SPOT };
  },
  "GET /api/v3/allOrders": query(SPOT),
  "GET /api/v3/myTrades": query(SPOT),
};

const CONTRACT_MARKET_REQUESTS: Readonly<Record<string, AnsweredRequest>> = {
  "GET /capi/v3/market/time": query(),
  "GET /capi/v3/market/exchangeInfo": query(),
  "GET /capi/v3/market/apiTradingSymbols": query(),
  "GET /capi/v3/market/depth": query(CONTRACT),
  "GET /capi/v3/market/ticker/24hr": query(),
  "GET /capi/v3/market/ticker/bookTicker": query(),
  "GET /capi/v3/market/trades": query(CONTRACT),
  "GET /capi/v3/market/klines": query({ ...CONTRACT, ...HOURS }),
  "GET /capi/v3/market/indexPriceKlines": query({ ...CONTRACT, ...HOURS }),
  "GET /capi/v3/market/markPriceKlines": query({ ...CONTRACT, ...HOURS }),
  "GET /capi/v3/market/historyKlines": query({ ...CONTRACT, ...HOURS }),
  "GET /capi/v3/market/symbolPrice": query(CONTRACT),
  "GET /capi/v3/market/openInterest": query(CONTRACT),
  "GET /capi/v3/market/premiumIndex": query(CONTRACT),
  "GET /capi/v3/market/fundingRate": query(CONTRACT),
};

const CONTRACT_REQUESTS: Readonly<Record<string, AnsweredRequest>> = {
  "GET /capi/v3/account/balance": query(),
  "GET /capi/v3/account/accountConfig": query(),
  "GET /capi/v3/account/symbolConfig": query(CONTRACT),
  "GET /capi/v3/account/commissionRate": query(CONTRACT),
  "POST /capi/v3/account/leverage": async (fixture) => {
    await fixture.cancelContractOrders();
    return { body: { ...CONTRACT, crossLeverage: 25 } };
  },
  "POST /capi/v3/account/marginType": body({
    symbol: "ETHUSDT",
    marginType: "ISOLATED",
    separatedType: "COMBINED",
  }),
  "POST /capi/v3/account/positionMargin": (fixture) => ({
    body: { isolatedPositionId: fixture.isolatedPositionId, amount: "1", type: 1 },
  }),
  "POST /capi/v3/account/modifyAutoAppendMargin": (fixture) => ({
    body: { positionId: fixture.isolatedPositionId, autoAppendMargin: true },
  }),
  "POST /capi/v3/account/income": body({ limit: 2 }),
  "GET /capi/v3/account/position/allPosition": query(),
  "GET /capi/v3/account/position/singlePosition": query(CONTRACT),
  "POST /capi/v3/order": (fixture) => ({ body: fixture.contractOrderBody() }),
  // One is accepted, the other needs more than there is.
  "POST /capi/v3/batchOrders": (fixture) => ({
    body: {
      batchOrders: [
        fixture.contractOrderBody(),
        { ...fixture.contractOrderBody(), quantity: "900", price: "60000" },
      ],
    },
  }),
  "GET /capi/v3/order": async (fixture) => ({ query: { orderId: await fixture.contractOrder() } }),
  "DELETE /capi/v3/order": async (fixture) => ({
    query: { orderId: await fixture.contractOrder() },
  }),
  "DELETE /capi/v3/batchOrders": async (fixture) => ({
    body: { orderIdList: [await fixture.contractOrder(), 987654321] },
  }),
  "DELETE /capi/v3/allOpenOrders": async (fixture) => {
    await fixture.contractOrder();
    return { query: CONTRACT };
  },
  "POST /capi/v3/closePositions": body({ symbol: "ETHUSDT" }),
  "GET /capi/v3/openOrders": async (fixture) => {
    await fixture.contractOrder();
    return { query: CONTRACT };
  },
  "GET /capi/v3/order/history": query(CONTRACT),
  "GET /capi/v3/userTrades": query(CONTRACT),
  "POST /capi/v3/algoOrder": (fixture) => ({ body: fixture.algoOrderBody() }),
  "DELETE /capi/v3/algoOrder": async (fixture) => ({
    query: { orderId: await fixture.algoOrder() },
  }),
  "DELETE /capi/v3/algoOpenOrders": async (fixture) => {
    await fixture.algoOrder();
    return { query: CONTRACT };
  },
  "POST /capi/v3/placeTpSlOrder": (fixture) => ({ body: fixture.exitBody() }),
  "POST /capi/v3/modifyTpSlOrder": async (fixture) => ({
    body: { orderId: await fixture.exitOrder(), triggerPrice: "50100", executePrice: "0" },
  }),
  "GET /capi/v3/openAlgoOrders": async (fixture) => {
    await fixture.algoOrder();
    return { query: CONTRACT };
  },
  "GET /capi/v3/allAlgoOrders": query(CONTRACT),
  "GET /capi/v3/sim/balance": query(),
  "GET /capi/v3/sim/position/allPosition": query(),
  "POST /capi/v3/sim/order": (fixture) => ({
    body: { ...fixture.contractOrderBody(), symbol: "BTCSUSDT" },
  }),
  "GET /capi/v3/sim/order/history": query({ symbol: "BTCSUSDT" }),
};

function affiliateRequests(version: "v2" | "v3"): Readonly<Record<string, AnsweredRequest>> {
  const base = `/api/${version}/rebate/affiliate`;
  const days: AnsweredRequest = ({ today }) => ({ query: { from: today, to: today } });
  const subAffiliates = { productType: "SPOT" };
  return {
    [`GET ${base}/profile`]: query(),
    [`GET ${base}/commissionDays`]: days,
    [`GET ${base}/getAffiliateCommission`]: query(),
    [`GET ${base}/getChannelUserTradeAndAsset`]: query(),
    [`GET ${base}/getAffiliateUIDs`]: query(),
    [`POST ${base}/querySubChannelTransactions`]: body(subAffiliates),
    ...(version === "v3"
      ? { [`GET ${base}/querySubChannelTransactions`]: query(subAffiliates) }
      : {}),
    [`POST ${base}/internalWithdrawal`]: (fixture) => ({ body: fixture.payment() }),
    [`GET ${base}/getInternalWithdrawalStatus`]: query(),
    [`GET ${base}/explainCommission`]: ({ commissionId }) => ({ query: { commissionId } }),
    [`GET ${base}/statement`]: days,
    [`GET ${base}/statementHeads`]: query(),
  };
}

const LESS = { quantity: "0.005" };
/** Longer than the suite. */
const COUNTDOWN = { countdownMs: 86_400_000 };

const ADDITION_REQUESTS: Readonly<Record<string, AnsweredRequest>> = {
  "POST /api/v2/trade/orders/test": (fixture) => ({ body: { ...SPOT, ...fixture.v2Order() } }),
  "POST /api/v3/order/test": (fixture) => ({ body: fixture.v3Order() }),
  "POST /capi/v3/order/test": (fixture) => ({ body: fixture.contractOrderBody() }),
  "POST /api/v2/trade/amend-order": async (fixture) => ({
    body: { ...SPOT, ...LESS, orderId: await fixture.spotOrder() },
  }),
  "PUT /api/v3/order": async (fixture) => ({
    body: { ...LESS, orderId: await fixture.spotOrder() },
  }),
  "PUT /capi/v3/order": async (fixture) => ({
    body: { ...LESS, orderId: await fixture.contractOrder() },
  }),
  "POST /api/v3/order/cancelAllAfter": body(COUNTDOWN),
  "GET /api/v3/order/cancelAllAfter": query(),
  "POST /capi/v3/order/cancelAllAfter": body(COUNTDOWN),
  "GET /capi/v3/order/cancelAllAfter": query(),
  "POST /api/v3/withdrawal": async (fixture) => ({
    body: { addressId: await fixture.address(), amount: "10" },
  }),
  "GET /api/v3/withdrawal": async (fixture) => ({
    query: { withdrawalId: await fixture.withdrawal() },
  }),
  "DELETE /api/v3/withdrawal": async (fixture) => ({
    query: { withdrawalId: await fixture.withdrawal() },
  }),
  "GET /api/v3/withdrawals": query(),
  "GET /api/v3/deposits": query(),
  "GET /api/v3/withdrawal/addresses": query(),
  "POST /api/v3/withdrawal/address": body({ asset: "USDT", network: "TRC20", address: "TOther" }),
  "DELETE /api/v3/withdrawal/address": async (fixture) => ({
    query: { addressId: await fixture.address("TGone") },
  }),
  "GET /api/v3/apiKeys": query(),
  "POST /api/v3/apiKey": body({ permissions: ["read"], passphrase: "answered-1" }),
  "DELETE /api/v3/apiKey": async (fixture) => ({ query: { apiKey: await fixture.apiKey() } }),
};

/** By method and path. Positions that are closed here are asked for before. */
export const ANSWERED_REQUESTS: Readonly<Record<string, AnsweredRequest>> = {
  ...V2_REQUESTS,
  ...V3_REQUESTS,
  ...CONTRACT_MARKET_REQUESTS,
  ...CONTRACT_REQUESTS,
  ...affiliateRequests("v2"),
  ...affiliateRequests("v3"),
  ...ADDITION_REQUESTS,
};
