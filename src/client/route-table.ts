/**
 * Where each call goes and whether it may be sent twice. `repeat` is about an answer that was lost:
 * "safe" is a read, or a write whose second arrival changes nothing more; "never" could happen
 * twice. A test holds every row against the server's own table of routes.
 */
import type { Family } from "../api/route.ts";
import type { RouteId } from "./route-types.ts";

export interface Endpoint {
  readonly family: Family | "operator";
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly isSigned: boolean;
  readonly repeat: "safe" | "never";
}

const family = (path: string): Family => {
  if (path.startsWith("/capi/")) return "capi";
  return path.startsWith("/api/v3/") ? "v3" : "v2";
};

function row(
  method: Endpoint["method"],
  path: string,
  isSigned: boolean,
  repeat: Endpoint["repeat"],
): Endpoint {
  return { family: family(path), method, path, isSigned, repeat };
}

const market = (path: string) => row("GET", path, false, "safe");
const read = (path: string) => row("GET", path, true, "safe");
const readByPost = (path: string) => row("POST", path, true, "safe");
/** Repeated by its client id or by what it sets: the second arrival changes nothing more. */
const post = (path: string) => row("POST", path, true, "safe");
const postOnce = (path: string) => row("POST", path, true, "never");
/** Sets what there is: the second arrival finds it set. */
const put = (path: string) => row("PUT", path, true, "safe");
const remove = (path: string) => row("DELETE", path, true, "safe");
/** Cancels whatever is there: a repeat would reach orders placed since. */
const removeOnce = (path: string) => row("DELETE", path, true, "never");

const AFFILIATE = "/api/v3/rebate/affiliate";

export const ENDPOINTS = {
  "v2-ticker": market("/api/v2/market/ticker"),
  "v2-account-assets": read("/api/v2/account/assets"),
  "v2-place-order": post("/api/v2/trade/orders"),
  "v2-cancel-order": post("/api/v2/trade/cancel-order"),

  "v3-server-time": market("/api/v3/time"),
  "v3-ping": market("/api/v3/ping"),
  "v3-coins": market("/api/v3/coins"),
  "v3-exchange-info": market("/api/v3/exchangeInfo"),
  "v3-api-trading-symbols": market("/api/v3/apiTradingSymbols"),
  "v3-ticker-price": market("/api/v3/market/ticker/price"),
  "v3-ticker-24hr": market("/api/v3/market/ticker/24hr"),
  "v3-book-ticker": market("/api/v3/market/ticker/bookTicker"),
  "v3-depth": market("/api/v3/market/depth"),
  "v3-klines": market("/api/v3/market/klines"),
  "v3-trades": market("/api/v3/market/trades"),
  "v3-account": read("/api/v3/account/"),
  "v3-bills": readByPost("/api/v3/account/bills"),
  "v3-funding-bills": readByPost("/api/v3/account/fundingBills"),
  "v3-transfer-records": read("/api/v3/account/transferRecords"),
  "v3-transfer": post("/api/v3/account/transfer"),
  "v3-place-order": post("/api/v3/order"),
  "v3-test-order": post("/api/v3/order/test"),
  "v3-amend-order": put("/api/v3/order"),
  "v3-cancel-all-after": post("/api/v3/order/cancelAllAfter"),
  "v3-countdowns": read("/api/v3/order/cancelAllAfter"),
  "v3-order": read("/api/v3/order"),
  "v3-cancel-order": remove("/api/v3/order"),
  "v3-cancel-orders": remove("/api/v3/order/batch"),
  "v3-open-orders": read("/api/v3/openOrders"),
  "v3-cancel-open-orders": removeOnce("/api/v3/openOrders"),
  "v3-all-orders": read("/api/v3/allOrders"),
  "v3-my-trades": read("/api/v3/myTrades"),

  "contract-time": market("/capi/v3/market/time"),
  "contract-exchange-info": market("/capi/v3/market/exchangeInfo"),
  "contract-api-trading-symbols": market("/capi/v3/market/apiTradingSymbols"),
  "contract-depth": market("/capi/v3/market/depth"),
  "contract-ticker-24hr": market("/capi/v3/market/ticker/24hr"),
  "contract-book-ticker": market("/capi/v3/market/ticker/bookTicker"),
  "contract-trades": market("/capi/v3/market/trades"),
  "contract-klines": market("/capi/v3/market/klines"),
  "contract-index-price-klines": market("/capi/v3/market/indexPriceKlines"),
  "contract-mark-price-klines": market("/capi/v3/market/markPriceKlines"),
  "contract-history-klines": market("/capi/v3/market/historyKlines"),
  "contract-symbol-price": market("/capi/v3/market/symbolPrice"),
  "contract-open-interest": market("/capi/v3/market/openInterest"),
  "contract-premium-index": market("/capi/v3/market/premiumIndex"),
  "contract-funding-rate": market("/capi/v3/market/fundingRate"),
  "contract-balance": read("/capi/v3/account/balance"),
  "contract-account-config": read("/capi/v3/account/accountConfig"),
  "contract-symbol-config": read("/capi/v3/account/symbolConfig"),
  "contract-commission-rate": read("/capi/v3/account/commissionRate"),
  "contract-leverage": post("/capi/v3/account/leverage"),
  "contract-margin-type": post("/capi/v3/account/marginType"),
  "contract-position-margin": postOnce("/capi/v3/account/positionMargin"),
  "contract-auto-append-margin": post("/capi/v3/account/modifyAutoAppendMargin"),
  "contract-income": readByPost("/capi/v3/account/income"),
  "contract-all-positions": read("/capi/v3/account/position/allPosition"),
  "contract-single-position": read("/capi/v3/account/position/singlePosition"),
  "contract-place-order": post("/capi/v3/order"),
  "contract-place-orders": post("/capi/v3/batchOrders"),
  "contract-test-order": post("/capi/v3/order/test"),
  "contract-amend-order": put("/capi/v3/order"),
  "contract-cancel-all-after": post("/capi/v3/order/cancelAllAfter"),
  "contract-countdowns": read("/capi/v3/order/cancelAllAfter"),
  "contract-order": read("/capi/v3/order"),
  "contract-cancel-order": remove("/capi/v3/order"),
  "contract-cancel-orders": remove("/capi/v3/batchOrders"),
  "contract-cancel-all-orders": removeOnce("/capi/v3/allOpenOrders"),
  "contract-close-positions": postOnce("/capi/v3/closePositions"),
  "contract-open-orders": read("/capi/v3/openOrders"),
  "contract-order-history": read("/capi/v3/order/history"),
  "contract-user-trades": read("/capi/v3/userTrades"),
  "contract-place-algo-order": post("/capi/v3/algoOrder"),
  "contract-cancel-algo-order": remove("/capi/v3/algoOrder"),
  "contract-cancel-all-algo-orders": removeOnce("/capi/v3/algoOpenOrders"),
  "contract-place-tp-sl-order": post("/capi/v3/placeTpSlOrder"),
  "contract-modify-tp-sl-order": post("/capi/v3/modifyTpSlOrder"),
  "contract-open-algo-orders": read("/capi/v3/openAlgoOrders"),
  "contract-all-algo-orders": read("/capi/v3/allAlgoOrders"),

  "v3-affiliate-commissions": read(`${AFFILIATE}/getAffiliateCommission`),
  "v3-affiliate-referral-activity": read(`${AFFILIATE}/getChannelUserTradeAndAsset`),
  "v3-affiliate-referrals": read(`${AFFILIATE}/getAffiliateUIDs`),
  "v3-sub-affiliates": readByPost(`${AFFILIATE}/querySubChannelTransactions`),
  "v3-internal-withdrawal": post(`${AFFILIATE}/internalWithdrawal`),
  "v3-internal-withdrawals": read(`${AFFILIATE}/getInternalWithdrawalStatus`),
  "v3-affiliate-profile": read(`${AFFILIATE}/profile`),
  "v3-affiliate-commission-days": read(`${AFFILIATE}/commissionDays`),
  "v3-explain-commission": read(`${AFFILIATE}/explainCommission`),
  "v3-affiliate-statement": read(`${AFFILIATE}/statement`),
  "v3-affiliate-statement-heads": read(`${AFFILIATE}/statementHeads`),
} as const satisfies Partial<Record<RouteId, Endpoint>>;

export type CallId = keyof typeof ENDPOINTS;
