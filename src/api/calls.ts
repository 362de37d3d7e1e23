/**
 * Every call of the API: its path, who may make it, what it counts against the limits and whether
 * it may be sent twice. The server's routes, its limits, the OpenAPI document and the client are
 * made from these rows. Plain data: a page that loads the client loads no schemas.
 */
import type { Permission } from "../domain/index.ts";

/**
 * `v2` answers in envelopes with text codes. `v3` (spot) and `capi` (contracts) answer without
 * envelopes and with negative error numbers, some of which only contracts use.
 */
export type Family = "v2" | "v3" | "capi";

/**
 * `rate`: this many requests a second per user (per address if unsigned). `weight`: 500 per 10 s,
 * per endpoint.
 */
export type Limit =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "weight"; readonly ip: number; readonly uid: number };

/** `anyOf`: a key with one of these permissions may call. Null: no signature needed. */
export type Access = { readonly anyOf: readonly Permission[] } | null;

export interface Call {
  readonly family: Family;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Other spellings that clients sign, e.g. with a trailing slash. */
  readonly aliases?: readonly string[];
  readonly access: Access;
  readonly limit: Limit;
  /** Also counted in X-ORDER-COUNT-1S. */
  readonly countsAsOrder?: boolean;
  /**
   * Whether to send it again when the answer was lost: "safe" is a read, or a write whose second
   * arrival changes nothing more; "never" could happen twice.
   */
  readonly repeat: "safe" | "never";
}

function weight(ip: number, uid = 0): Limit {
  return { kind: "weight", ip, uid };
}

function perSecond(count: number): Limit {
  return { kind: "rate", perSecond: count };
}

/** `target` is e.g. "GET /api/v3/time". */
function call(target: string, access: Access, limit: Limit): Call {
  const [method, path] = target.split(" ") as [Call["method"], string];
  const prefix = path.startsWith("/capi/") ? "capi" : (path.split("/")[2] as Family);
  return { family: prefix, method, path, access, limit, repeat: "safe" };
}

/** Market data: no signature. */
function market(path: string, limit: Limit): Call {
  return call(`GET ${path}`, null, limit);
}

/** Signed calls that need a permission; `read` allows every read. */
function signed(permission: Permission) {
  const write = (target: string, limit: Limit) => call(target, { anyOf: [permission] }, limit);
  return {
    read: (target: string, limit: Limit) => call(target, { anyOf: ["read", permission] }, limit),
    /**
     * Made repeatable by its client id or by the values it sets: the second arrival changes nothing
     * more.
     */
    write,
    /** Acts on the current orders: a repeat would affect orders placed since. */
    writeOnce: (target: string, limit: Limit): Call => ({
      ...write(target, limit),
      repeat: "never",
    }),
    /** Places or amends orders. */
    order: (target: string, limit: Limit): Call => ({
      ...write(target, limit),
      countsAsOrder: true,
    }),
  };
}

const spot = signed("spot");
const contract = signed("contract");
const affiliate = signed("affiliate");
const withdraw = signed("withdraw");
const keys = signed("keys");

const V2_AFFILIATE = "/api/v2/rebate/affiliate";
const V3_AFFILIATE = "/api/v3/rebate/affiliate";

export const CALLS = {
  "v2-server-time": market("/api/v2/public/time", weight(1)),
  "v2-currencies": market("/api/v2/public/currencies", weight(1)),
  "v2-products": market("/api/v2/public/products", weight(1)),
  "v2-exchange-info": market("/api/v2/public/exchangeInfo", weight(10)),
  "v2-ticker": market("/api/v2/market/ticker", perSecond(20)),
  "v2-tickers": market("/api/v2/market/tickers", weight(20)),
  "v2-public-fills": market("/api/v2/market/fills", weight(5)),
  "v2-candles": market("/api/v2/market/candles", weight(1)),
  "v2-depth": market("/api/v2/market/depth", weight(1)),

  "v2-place-order": spot.order("POST /api/v2/trade/orders", perSecond(10)),
  "v2-place-orders": spot.order("POST /api/v2/trade/batch-orders", weight(5, 10)),
  "v2-test-order": spot.write("POST /api/v2/trade/orders/test", perSecond(10)),
  "v2-amend-order": spot.order("POST /api/v2/trade/amend-order", perSecond(10)),
  "v2-cancel-order": spot.write("POST /api/v2/trade/cancel-order", weight(2, 3)),
  "v2-cancel-orders": spot.write("POST /api/v2/trade/cancel-batch-orders", weight(0, 10)),
  "v2-cancel-symbol-orders": spot.writeOnce("POST /api/v2/trade/cancel-symbol-order", weight(5, 8)),
  "v2-order": spot.read("POST /api/v2/trade/orderInfo", weight(2, 2)),
  "v2-open-orders": spot.read("POST /api/v2/trade/open-orders", weight(3, 3)),
  "v2-order-history": spot.read("POST /api/v2/trade/history", weight(10, 10)),
  "v2-fills": spot.read("POST /api/v2/trade/fills", weight(5, 5)),

  "v2-account-assets": spot.read("GET /api/v2/account/assets", perSecond(10)),
  "v2-bills": spot.read("POST /api/v2/account/bills", weight(5, 5)),
  "v2-funding-bills": spot.read("POST /api/v2/account/fundingBills", weight(5, 5)),
  "v2-transfer-records": spot.read("GET /api/v2/account/transferRecords", weight(3, 3)),

  "v3-server-time": market("/api/v3/time", weight(1)),
  "v3-ping": market("/api/v3/ping", weight(1)),
  "v3-coins": market("/api/v3/coins", weight(5)),
  "v3-exchange-info": market("/api/v3/exchangeInfo", weight(20)),
  "v3-api-trading-symbols": market("/api/v3/apiTradingSymbols", weight(5)),
  "v3-ticker-price": market("/api/v3/market/ticker/price", weight(4)),
  "v3-ticker-24hr": market("/api/v3/market/ticker/24hr", weight(2)),
  "v3-book-ticker": market("/api/v3/market/ticker/bookTicker", weight(4)),
  "v3-depth": market("/api/v3/market/depth", weight(5)),
  "v3-klines": market("/api/v3/market/klines", weight(2)),
  "v3-trades": market("/api/v3/market/trades", weight(25)),

  "v3-account": {
    ...spot.read("GET /api/v3/account/", weight(5, 5)),
    aliases: ["/api/v3/account"],
  },
  "v3-bills": spot.read("POST /api/v3/account/bills", weight(5, 5)),
  "v3-funding-bills": spot.read("POST /api/v3/account/fundingBills", weight(5, 5)),
  "v3-transfer-records": spot.read("GET /api/v3/account/transferRecords", weight(3, 3)),
  "v3-transfer": contract.write("POST /api/v3/account/transfer", weight(5, 10)),

  "v3-place-order": spot.order("POST /api/v3/order", weight(2, 5)),
  "v3-test-order": spot.write("POST /api/v3/order/test", weight(2, 5)),
  "v3-amend-order": spot.order("PUT /api/v3/order", weight(2, 5)),
  "v3-order": spot.read("GET /api/v3/order", weight(2, 2)),
  "v3-cancel-order": spot.write("DELETE /api/v3/order", weight(1, 1)),
  "v3-cancel-orders": spot.write("DELETE /api/v3/order/batch", weight(5, 10)),
  "v3-open-orders": spot.read("GET /api/v3/openOrders", weight(3, 3)),
  "v3-cancel-open-orders": spot.writeOnce("DELETE /api/v3/openOrders", weight(1, 1)),
  "v3-cancel-all-after": spot.write("POST /api/v3/order/cancelAllAfter", weight(1, 5)),
  "v3-countdowns": spot.read("GET /api/v3/order/cancelAllAfter", weight(1, 1)),
  "v3-faucet": spot.write("POST /api/v3/faucet", weight(5, 10)),
  "v3-all-orders": spot.read("GET /api/v3/allOrders", weight(10, 10)),
  "v3-my-trades": spot.read("GET /api/v3/myTrades", weight(5, 5)),
  "v3-withdraw": withdraw.write("POST /api/v3/withdrawal", weight(10, 20)),
  "v3-withdrawal": withdraw.read("GET /api/v3/withdrawal", weight(2, 2)),
  "v3-cancel-withdrawal": withdraw.write("DELETE /api/v3/withdrawal", weight(2, 5)),
  "v3-withdrawals": withdraw.read("GET /api/v3/withdrawals", weight(5, 5)),
  "v3-deposits": withdraw.read("GET /api/v3/deposits", weight(5, 5)),
  "v3-withdrawal-addresses": withdraw.read("GET /api/v3/withdrawal/addresses", weight(2, 2)),
  "v3-add-withdrawal-address": withdraw.write("POST /api/v3/withdrawal/address", weight(10, 20)),
  "v3-remove-withdrawal-address": withdraw.write("DELETE /api/v3/withdrawal/address", weight(2, 5)),
  "v3-api-keys": keys.read("GET /api/v3/apiKeys", weight(2, 2)),
  "v3-create-api-key": keys.writeOnce("POST /api/v3/apiKey", weight(20, 50)),
  "v3-revoke-api-key": keys.write("DELETE /api/v3/apiKey", weight(5, 10)),

  "v2-affiliate-commissions": affiliate.read(
    `GET ${V2_AFFILIATE}/getAffiliateCommission`,
    perSecond(10),
  ),
  "v3-affiliate-commissions": affiliate.read(
    `GET ${V3_AFFILIATE}/getAffiliateCommission`,
    perSecond(10),
  ),
  "v2-affiliate-referral-activity": affiliate.read(
    `GET ${V2_AFFILIATE}/getChannelUserTradeAndAsset`,
    perSecond(10),
  ),
  "v3-affiliate-referral-activity": affiliate.read(
    `GET ${V3_AFFILIATE}/getChannelUserTradeAndAsset`,
    perSecond(10),
  ),
  "v2-affiliate-referrals": affiliate.read(`GET ${V2_AFFILIATE}/getAffiliateUIDs`, perSecond(10)),
  "v3-affiliate-referrals": affiliate.read(`GET ${V3_AFFILIATE}/getAffiliateUIDs`, perSecond(10)),
  "v2-sub-affiliates": affiliate.read(
    `POST ${V2_AFFILIATE}/querySubChannelTransactions`,
    weight(10, 10),
  ),
  "v3-sub-affiliates": affiliate.read(
    `POST ${V3_AFFILIATE}/querySubChannelTransactions`,
    weight(10, 10),
  ),
  "v3-sub-affiliates-by-get": affiliate.read(
    `GET ${V3_AFFILIATE}/querySubChannelTransactions`,
    weight(10, 10),
  ),
  "v2-internal-withdrawal": affiliate.write(
    `POST ${V2_AFFILIATE}/internalWithdrawal`,
    weight(100, 100),
  ),
  "v3-internal-withdrawal": affiliate.write(
    `POST ${V3_AFFILIATE}/internalWithdrawal`,
    weight(100, 100),
  ),
  "v2-internal-withdrawals": affiliate.read(
    `GET ${V2_AFFILIATE}/getInternalWithdrawalStatus`,
    weight(100, 100),
  ),
  "v3-internal-withdrawals": affiliate.read(
    `GET ${V3_AFFILIATE}/getInternalWithdrawalStatus`,
    weight(100, 100),
  ),
  "v2-affiliate-profile": affiliate.read(`GET ${V2_AFFILIATE}/profile`, weight(20, 20)),
  "v3-affiliate-profile": affiliate.read(`GET ${V3_AFFILIATE}/profile`, weight(20, 20)),
  "v2-affiliate-commission-days": affiliate.read(
    `GET ${V2_AFFILIATE}/commissionDays`,
    weight(20, 20),
  ),
  "v3-affiliate-commission-days": affiliate.read(
    `GET ${V3_AFFILIATE}/commissionDays`,
    weight(20, 20),
  ),
  "v2-explain-commission": affiliate.read(`GET ${V2_AFFILIATE}/explainCommission`, weight(20, 20)),
  "v3-explain-commission": affiliate.read(`GET ${V3_AFFILIATE}/explainCommission`, weight(20, 20)),
  "v2-affiliate-statement": affiliate.read(`GET ${V2_AFFILIATE}/statement`, weight(20, 20)),
  "v3-affiliate-statement": affiliate.read(`GET ${V3_AFFILIATE}/statement`, weight(20, 20)),
  "v2-affiliate-statement-heads": affiliate.read(
    `GET ${V2_AFFILIATE}/statementHeads`,
    weight(20, 20),
  ),
  "v3-affiliate-statement-heads": affiliate.read(
    `GET ${V3_AFFILIATE}/statementHeads`,
    weight(20, 20),
  ),

  "contract-time": market("/capi/v3/market/time", weight(1)),
  "contract-exchange-info": market("/capi/v3/market/exchangeInfo", weight(1)),
  "contract-api-trading-symbols": market("/capi/v3/market/apiTradingSymbols", weight(5)),
  "contract-depth": market("/capi/v3/market/depth", weight(1)),
  "contract-ticker-24hr": market("/capi/v3/market/ticker/24hr", weight(40)),
  "contract-book-ticker": market("/capi/v3/market/ticker/bookTicker", weight(1)),
  "contract-trades": market("/capi/v3/market/trades", weight(5)),
  "contract-klines": market("/capi/v3/market/klines", weight(1)),
  "contract-index-price-klines": market("/capi/v3/market/indexPriceKlines", weight(1)),
  "contract-mark-price-klines": market("/capi/v3/market/markPriceKlines", weight(1)),
  "contract-history-klines": market("/capi/v3/market/historyKlines", weight(5)),
  "contract-symbol-price": market("/capi/v3/market/symbolPrice", weight(1)),
  "contract-open-interest": market("/capi/v3/market/openInterest", weight(2)),
  "contract-premium-index": market("/capi/v3/market/premiumIndex", weight(1)),
  "contract-funding-rate": market("/capi/v3/market/fundingRate", weight(5)),

  "contract-balance": contract.read("GET /capi/v3/account/balance", weight(5, 10)),
  "contract-account-config": contract.read("GET /capi/v3/account/accountConfig", weight(5, 10)),
  "contract-symbol-config": contract.read("GET /capi/v3/account/symbolConfig", weight(5, 10)),
  "contract-commission-rate": contract.read("GET /capi/v3/account/commissionRate", weight(5, 10)),
  "contract-leverage": contract.write("POST /capi/v3/account/leverage", weight(10, 20)),
  "contract-margin-type": contract.write("POST /capi/v3/account/marginType", weight(20, 50)),
  "contract-position-margin": contract.writeOnce(
    "POST /capi/v3/account/positionMargin",
    weight(15, 30),
  ),
  "contract-auto-append-margin": contract.write(
    "POST /capi/v3/account/modifyAutoAppendMargin",
    weight(15, 30),
  ),
  "contract-income": contract.read("POST /capi/v3/account/income", weight(2, 5)),
  "contract-all-positions": contract.read(
    "GET /capi/v3/account/position/allPosition",
    weight(10, 15),
  ),
  "contract-single-position": contract.read(
    "GET /capi/v3/account/position/singlePosition",
    weight(2, 3),
  ),

  "contract-place-order": contract.order("POST /capi/v3/order", weight(2, 5)),
  "contract-place-orders": contract.order("POST /capi/v3/batchOrders", weight(5, 10)),
  "contract-test-order": contract.write("POST /capi/v3/order/test", weight(2, 5)),
  "contract-amend-order": contract.order("PUT /capi/v3/order", weight(2, 5)),
  "contract-order": contract.read("GET /capi/v3/order", weight(2, 3)),
  "contract-cancel-order": contract.write("DELETE /capi/v3/order", weight(2, 3)),
  "contract-cancel-orders": contract.write("DELETE /capi/v3/batchOrders", weight(5, 10)),
  "contract-cancel-all-orders": contract.writeOnce("DELETE /capi/v3/allOpenOrders", weight(5, 10)),
  "contract-cancel-all-after": contract.write("POST /capi/v3/order/cancelAllAfter", weight(1, 5)),
  "contract-countdowns": contract.read("GET /capi/v3/order/cancelAllAfter", weight(1, 1)),
  "contract-close-positions": {
    ...contract.writeOnce("POST /capi/v3/closePositions", weight(40, 50)),
    countsAsOrder: true,
  },
  "contract-open-orders": contract.read("GET /capi/v3/openOrders", weight(2, 3)),
  "contract-order-history": contract.read("GET /capi/v3/order/history", weight(10, 10)),
  "contract-user-trades": contract.read("GET /capi/v3/userTrades", weight(5, 5)),

  "contract-place-algo-order": contract.write("POST /capi/v3/algoOrder", weight(2, 5)),
  "contract-cancel-algo-order": contract.write("DELETE /capi/v3/algoOrder", weight(2, 3)),
  "contract-cancel-all-algo-orders": contract.writeOnce(
    "DELETE /capi/v3/algoOpenOrders",
    weight(5, 10),
  ),
  "contract-place-tp-sl-order": contract.write("POST /capi/v3/placeTpSlOrder", weight(2, 5)),
  "contract-modify-tp-sl-order": contract.write("POST /capi/v3/modifyTpSlOrder", weight(2, 5)),
  "contract-open-algo-orders": contract.read("GET /capi/v3/openAlgoOrders", weight(3, 3)),
  "contract-all-algo-orders": contract.read("GET /capi/v3/allAlgoOrders", weight(5, 10)),

  "contract-demo-balance": contract.read("GET /capi/v3/sim/balance", weight(5, 10)),
  "contract-demo-positions": contract.read("GET /capi/v3/sim/position/allPosition", weight(10, 15)),
  "contract-demo-place-order": contract.order("POST /capi/v3/sim/order", weight(2, 5)),
  "contract-demo-order-history": contract.read("GET /capi/v3/sim/order/history", weight(10, 10)),
} satisfies Readonly<Record<string, Call>>;

export type CallId = keyof typeof CALLS;
