/**
 * The calls of the API as they are published, written down a second time: who may make each, and
 * what it takes of the limits of its address and its user. A test that read the exchange's own
 * table would take a mistake in it for what is meant.
 */

const TABLE = `
GET /api/v2/public/time | anybody | weight 1/0
GET /api/v2/public/currencies | anybody | weight 1/0
GET /api/v2/public/products | anybody | weight 1/0
GET /api/v2/public/exchangeInfo | anybody | weight 10/0
GET /api/v2/market/ticker | anybody | 20 a second
GET /api/v2/market/tickers | anybody | weight 20/0
GET /api/v2/market/fills | anybody | weight 5/0
GET /api/v2/market/candles | anybody | weight 1/0
GET /api/v2/market/depth | anybody | weight 1/0
POST /api/v2/trade/orders | spot | 10 a second | order
POST /api/v2/trade/batch-orders | spot | weight 5/10 | order
POST /api/v2/trade/orders/test | spot | 10 a second
POST /api/v2/trade/amend-order | spot | 10 a second | order
POST /api/v2/trade/cancel-order | spot | weight 2/3
POST /api/v2/trade/cancel-batch-orders | spot | weight 0/10
POST /api/v2/trade/cancel-symbol-order | spot | weight 5/8
POST /api/v2/trade/orderInfo | read or spot | weight 2/2
POST /api/v2/trade/open-orders | read or spot | weight 3/3
POST /api/v2/trade/history | read or spot | weight 10/10
POST /api/v2/trade/fills | read or spot | weight 5/5
GET /api/v2/account/assets | read or spot | 10 a second
POST /api/v2/account/bills | read or spot | weight 5/5
POST /api/v2/account/fundingBills | read or spot | weight 5/5
GET /api/v2/account/transferRecords | read or spot | weight 3/3
GET /api/v3/time | anybody | weight 1/0
GET /api/v3/ping | anybody | weight 1/0
GET /api/v3/coins | anybody | weight 5/0
GET /api/v3/exchangeInfo | anybody | weight 20/0
GET /api/v3/apiTradingSymbols | anybody | weight 5/0
GET /api/v3/market/ticker/price | anybody | weight 4/0
GET /api/v3/market/ticker/24hr | anybody | weight 2/0
GET /api/v3/market/ticker/bookTicker | anybody | weight 4/0
GET /api/v3/market/depth | anybody | weight 5/0
GET /api/v3/market/klines | anybody | weight 2/0
GET /api/v3/market/trades | anybody | weight 25/0
GET /api/v3/account/ | read or spot | weight 5/5
POST /api/v3/account/bills | read or spot | weight 5/5
POST /api/v3/account/fundingBills | read or spot | weight 5/5
GET /api/v3/account/transferRecords | read or spot | weight 3/3
POST /api/v3/account/transfer | contract | weight 5/10
POST /api/v3/order | spot | weight 2/5 | order
POST /api/v3/order/test | spot | weight 2/5
PUT /api/v3/order | spot | weight 2/5 | order
GET /api/v3/order | read or spot | weight 2/2
DELETE /api/v3/order | spot | weight 1/1
DELETE /api/v3/order/batch | spot | weight 5/10
GET /api/v3/openOrders | read or spot | weight 3/3
DELETE /api/v3/openOrders | spot | weight 1/1
POST /api/v3/order/cancelAllAfter | spot | weight 1/5
GET /api/v3/order/cancelAllAfter | read or spot | weight 1/1
POST /api/v3/faucet | spot | weight 5/10
GET /api/v3/allOrders | read or spot | weight 10/10
GET /api/v3/myTrades | read or spot | weight 5/5
POST /api/v3/withdrawal | withdraw | weight 10/20
GET /api/v3/withdrawal | read or withdraw | weight 2/2
DELETE /api/v3/withdrawal | withdraw | weight 2/5
GET /api/v3/withdrawals | read or withdraw | weight 5/5
GET /api/v3/deposits | read or withdraw | weight 5/5
GET /api/v3/withdrawal/addresses | read or withdraw | weight 2/2
POST /api/v3/withdrawal/address | withdraw | weight 10/20
DELETE /api/v3/withdrawal/address | withdraw | weight 2/5
GET /api/v3/apiKeys | read or keys | weight 2/2
POST /api/v3/apiKey | keys | weight 20/50
DELETE /api/v3/apiKey | keys | weight 5/10
GET /api/v2/rebate/affiliate/getAffiliateCommission | read or affiliate | 10 a second
GET /api/v3/rebate/affiliate/getAffiliateCommission | read or affiliate | 10 a second
GET /api/v2/rebate/affiliate/getChannelUserTradeAndAsset | read or affiliate | 10 a second
GET /api/v3/rebate/affiliate/getChannelUserTradeAndAsset | read or affiliate | 10 a second
GET /api/v2/rebate/affiliate/getAffiliateUIDs | read or affiliate | 10 a second
GET /api/v3/rebate/affiliate/getAffiliateUIDs | read or affiliate | 10 a second
POST /api/v2/rebate/affiliate/querySubChannelTransactions | read or affiliate | weight 10/10
POST /api/v3/rebate/affiliate/querySubChannelTransactions | read or affiliate | weight 10/10
GET /api/v3/rebate/affiliate/querySubChannelTransactions | read or affiliate | weight 10/10
POST /api/v2/rebate/affiliate/internalWithdrawal | affiliate | weight 100/100
POST /api/v3/rebate/affiliate/internalWithdrawal | affiliate | weight 100/100
GET /api/v2/rebate/affiliate/getInternalWithdrawalStatus | read or affiliate | weight 100/100
GET /api/v3/rebate/affiliate/getInternalWithdrawalStatus | read or affiliate | weight 100/100
GET /api/v2/rebate/affiliate/profile | read or affiliate | weight 20/20
GET /api/v3/rebate/affiliate/profile | read or affiliate | weight 20/20
GET /api/v2/rebate/affiliate/commissionDays | read or affiliate | weight 20/20
GET /api/v3/rebate/affiliate/commissionDays | read or affiliate | weight 20/20
GET /api/v2/rebate/affiliate/explainCommission | read or affiliate | weight 20/20
GET /api/v3/rebate/affiliate/explainCommission | read or affiliate | weight 20/20
GET /api/v2/rebate/affiliate/statement | read or affiliate | weight 20/20
GET /api/v3/rebate/affiliate/statement | read or affiliate | weight 20/20
GET /api/v2/rebate/affiliate/statementHeads | read or affiliate | weight 20/20
GET /api/v3/rebate/affiliate/statementHeads | read or affiliate | weight 20/20
GET /capi/v3/market/time | anybody | weight 1/0
GET /capi/v3/market/exchangeInfo | anybody | weight 1/0
GET /capi/v3/market/apiTradingSymbols | anybody | weight 5/0
GET /capi/v3/market/depth | anybody | weight 1/0
GET /capi/v3/market/ticker/24hr | anybody | weight 40/0
GET /capi/v3/market/ticker/bookTicker | anybody | weight 1/0
GET /capi/v3/market/trades | anybody | weight 5/0
GET /capi/v3/market/klines | anybody | weight 1/0
GET /capi/v3/market/indexPriceKlines | anybody | weight 1/0
GET /capi/v3/market/markPriceKlines | anybody | weight 1/0
GET /capi/v3/market/historyKlines | anybody | weight 5/0
GET /capi/v3/market/symbolPrice | anybody | weight 1/0
GET /capi/v3/market/openInterest | anybody | weight 2/0
GET /capi/v3/market/premiumIndex | anybody | weight 1/0
GET /capi/v3/market/fundingRate | anybody | weight 5/0
GET /capi/v3/account/balance | read or contract | weight 5/10
GET /capi/v3/account/accountConfig | read or contract | weight 5/10
GET /capi/v3/account/symbolConfig | read or contract | weight 5/10
GET /capi/v3/account/commissionRate | read or contract | weight 5/10
POST /capi/v3/account/leverage | contract | weight 10/20
POST /capi/v3/account/marginType | contract | weight 20/50
POST /capi/v3/account/positionMargin | contract | weight 15/30
POST /capi/v3/account/modifyAutoAppendMargin | contract | weight 15/30
POST /capi/v3/account/income | read or contract | weight 2/5
GET /capi/v3/account/position/allPosition | read or contract | weight 10/15
GET /capi/v3/account/position/singlePosition | read or contract | weight 2/3
POST /capi/v3/order | contract | weight 2/5 | order
POST /capi/v3/batchOrders | contract | weight 5/10 | order
POST /capi/v3/order/test | contract | weight 2/5
PUT /capi/v3/order | contract | weight 2/5 | order
GET /capi/v3/order | read or contract | weight 2/3
DELETE /capi/v3/order | contract | weight 2/3
DELETE /capi/v3/batchOrders | contract | weight 5/10
DELETE /capi/v3/allOpenOrders | contract | weight 5/10
POST /capi/v3/order/cancelAllAfter | contract | weight 1/5
GET /capi/v3/order/cancelAllAfter | read or contract | weight 1/1
POST /capi/v3/closePositions | contract | weight 40/50 | order
GET /capi/v3/openOrders | read or contract | weight 2/3
GET /capi/v3/order/history | read or contract | weight 10/10
GET /capi/v3/userTrades | read or contract | weight 5/5
POST /capi/v3/algoOrder | contract | weight 2/5
DELETE /capi/v3/algoOrder | contract | weight 2/3
DELETE /capi/v3/algoOpenOrders | contract | weight 5/10
POST /capi/v3/placeTpSlOrder | contract | weight 2/5
POST /capi/v3/modifyTpSlOrder | contract | weight 2/5
GET /capi/v3/openAlgoOrders | read or contract | weight 3/3
GET /capi/v3/allAlgoOrders | read or contract | weight 5/10
GET /capi/v3/sim/balance | read or contract | weight 5/10
GET /capi/v3/sim/position/allPosition | read or contract | weight 10/15
POST /capi/v3/sim/order | contract | weight 2/5 | order
GET /capi/v3/sim/order/history | read or contract | weight 10/10
`;

export type Need = readonly string[] | null;

export interface PublishedCall {
  readonly method: string;
  readonly path: string;
  /** Permissions of which a key needs one; null for whoever asks, unsigned. */
  readonly anyOf: Need;
  /** Of an address and of a user, all that there is and in which time it comes back. */
  readonly capacity: number;
  readonly windowMs: number;
  readonly ip: number;
  readonly uid: number;
  readonly isOrder: boolean;
}

export const PUBLISHED_CALLS: readonly PublishedCall[] = TABLE.trim().split("\n").map(readCall);

function readCall(line: string): PublishedCall {
  const [target = "", who = "", limit = "", order] = line.split(" | ");
  const [method = "", path = ""] = target.split(" ");
  const anyOf = who === "anybody" ? null : who.split(" or ");
  return { method, path, anyOf, ...readLimit(limit, anyOf), isOrder: order === "order" };
}

function readLimit(limit: string, anyOf: Need) {
  const weights = /^weight (\d+)\/(\d+)$/.exec(limit);
  if (weights === null) {
    const capacity = Number(limit.split(" ")[0]);
    return { capacity, windowMs: 1_000, ip: anyOf === null ? 1 : 0, uid: anyOf === null ? 0 : 1 };
  }
  const [ip, uid] = weights.slice(1).map(Number);
  return { capacity: 500, windowMs: 10_000, ip: ip ?? 0, uid: uid ?? 0 };
}
