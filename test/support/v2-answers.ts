/** The envelopes of the v2 family, and the checks that tests of it share. */
import assert from "node:assert/strict";
import type { HttpAnswer } from "./http-exchange.ts";
import { assertShape, assertV2Refusal, type FieldShape, type Shape } from "./wire-shape.ts";

export const PLACED_ORDER: Shape = { orderId: "integer", clientOrderId: "string" };
export const CANCEL_RESULT: Shape = {
  order_id: "digits",
  client_oid: "?string",
  symbol: "string",
  result: "boolean",
  err_code: "?string",
  err_msg: "?string",
};
export const ASSET: Shape = {
  coinId: "integer",
  coinName: "string",
  available: "decimal",
  frozen: "decimal",
  equity: "decimal",
};
/** Of one among all tickers. */
export const LISTED_TICKER: Shape = {
  symbol: "string",
  priceChange: "decimal",
  priceChangePercent: "decimal",
  trades: "integer",
  size: "decimal",
  value: "decimal",
  high: "decimal",
  low: "decimal",
  open: "decimal",
  close: "decimal",
  highTime: "integer",
  lowTime: "integer",
  startTime: "integer",
  endTime: "integer",
  lastPrice: "decimal",
  openInterest: "decimal",
  ts: "integer",
};
export const TICKER: Shape = { ...LISTED_TICKER, markPrice: "decimal", indexPrice: "decimal" };

export const CURRENCY: Shape = {
  coinId: "digits",
  coinName: "string",
  transfer: "string",
  chains: ["string"],
};
export const SYMBOL_INFO: Shape = {
  symbol: "string",
  baseCoin: "string",
  quoteCoin: "string",
  tickSize: "decimal",
  stepSize: "decimal",
  minTradeAmount: "decimal",
  maxTradeAmount: "decimal",
  takerFeeRate: "decimal",
  makerFeeRate: "decimal",
  buyLimitPriceRatio: "decimal",
  sellLimitPriceRatio: "decimal",
  marketBuyLimitSize: "decimal",
  marketSellLimitSize: "decimal",
  marketFallbackPriceRatio: "decimal",
  enableTrade: "boolean",
  enableDisplay: "boolean",
  displayDigitMerge: "string",
  displayNew: "boolean",
  displayHot: "boolean",
  supportTracing: "boolean",
  supportPlanMarket: "boolean",
};
export const PUBLIC_FILL: Shape = {
  symbol: "string",
  tradeId: "digits",
  fillTime: "integer",
  fillPrice: "decimal",
  fillQuantity: "decimal",
  tradeValue: "decimal",
  bestMatch: "boolean",
  buyerMaker: "boolean",
};
export const BOOK: Shape = { asks: [["decimal"]], bids: [["decimal"]], timestamp: "digits" };

export const BATCH: Shape = {
  resultList: [
    { orderId: "?integer", clientOrderId: "string", err_code: "?digits", err_msg: "?string" },
  ],
};
export const CANCELLED: Shape = {
  successList: ["digits"],
  failureList: [{ orderId: "digits", errMsg: "string" }],
};
export const ORDER: Shape = {
  accountId: "digits",
  symbol: "string",
  orderId: "digits",
  clientOrderId: "string",
  price: "decimal",
  quantity: "decimal",
  orderType: "string",
  side: "string",
  status: "string",
  latestFillPrice: "decimal",
  maxFillPrice: "decimal",
  minFillPrice: "decimal",
  fillQuantity: "decimal",
  fillTotalAmount: "decimal",
  cTime: "digits",
  uTime: "digits",
};
export const OPEN_ORDERS: Shape = {
  orderInfoResultList: [ORDER],
  nextPage: "boolean",
  totals: "integer",
};
export const ORDER_HISTORY: Shape = {
  orderInfoResultList: [ORDER],
  nextPage: "boolean",
  totals: null,
};
export const FILLS: Shape = {
  fillsOrderResultList: [
    {
      accountId: "digits",
      symbol: "string",
      baseCoin: "string",
      quoteCoin: "string",
      orderId: "digits",
      fillId: "digits",
      orderType: "string",
      side: "string",
      fillPrice: "decimal",
      fillQuantity: "decimal",
      fillTotalAmount: "decimal",
      fees: "decimal",
      cTime: "digits",
    },
  ],
  nextPage: "boolean",
  totals: null,
};
export const BILL: Shape = {
  billId: "digits",
  coinId: "integer",
  coinName: "string",
  bizType: "string",
  fillSize: "decimal",
  fillValue: "decimal",
  deltaAmount: "decimal",
  afterAmount: "decimal",
  fees: "decimal",
  cTime: "digits",
};
export const FUNDING_BILLS: Shape = {
  total: "integer",
  pageSize: "integer",
  pages: "integer",
  page: "integer",
  hasNextPage: "boolean",
  items: [{ ...BILL, fillSize: null, fillValue: null }],
};
export const TRANSFER: Shape = {
  coinName: "string",
  status: "string",
  toType: "string",
  toSymbol: "string",
  fromType: "string",
  fromSymbol: "string",
  amount: "decimal",
  tradeTime: "digits",
};

/** The success envelope, whole: four names, no more. */
export function assertSuccess(answer: HttpAnswer, data: FieldShape): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  const envelope = answer.body as { code: unknown; msg: unknown };
  assertShape(envelope, { code: "string", msg: "string", requestTime: "integer", data });
  assert.equal(envelope.code, "00000");
  assert.equal(envelope.msg, "success");
}

/** The refusal envelope, whole; `data` is null. */
export function assertRefused(answer: HttpAnswer, code: string, status = 400): void {
  const envelope = answer.body as { code: unknown };
  assert.equal(envelope?.code, code, answer.text);
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assertV2Refusal(envelope);
  assert.ok((answer.body as { msg: string }).msg.length > 0);
}
