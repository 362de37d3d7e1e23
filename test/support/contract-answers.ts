/** The shapes of the contract family, name by name, as the specification and clients have them. */
import assert from "node:assert/strict";
import type { HttpAnswer } from "./http-exchange.ts";
import { assertShape, type FieldShape, type Shape } from "./wire-shape.ts";

/** The names that a row of order history has: 15, and no more. */
export const HISTORY_ORDER: Shape = {
  orderId: "integer",
  symbol: "string",
  side: "string",
  positionSide: "string",
  status: "string",
  type: "string",
  time: "integer",
  price: "decimal",
  origQty: "decimal",
  executedQty: "decimal",
  avgPrice: "decimal",
  updateTime: "integer",
  clientOrderId: "string",
  cumQuote: "decimal",
  timeInForce: "string",
};

/** An order of openOrders, and the single order. */
export const ORDER: Shape = {
  ...HISTORY_ORDER,
  stopPrice: "decimal",
  reduceOnly: "boolean",
  workingType: "string",
  priceProtect: "boolean",
  priceMatch: "string",
  selfTradePreventionMode: "string",
  goodTillDate: "integer",
};

/** The names that a row of conditional order history has. */
export const HISTORY_ALGO: Shape = {
  algoId: "integer",
  clientAlgoId: "string",
  algoType: "string",
  orderType: "string",
  symbol: "string",
  side: "string",
  positionSide: "string",
  timeInForce: "string",
  quantity: "decimal",
  algoStatus: "string",
  actualOrderId: "?integer",
  actualPrice: "decimal",
  triggerPrice: "decimal",
  price: "decimal",
  workingType: "string",
  createTime: "integer",
  updateTime: "integer",
  triggerTime: "integer",
};

export const ALGO: Shape = {
  ...HISTORY_ALGO,
  tpTriggerPrice: "decimal-or-empty",
  tpPrice: "decimal-or-empty",
  slTriggerPrice: "decimal-or-empty",
  slPrice: "decimal-or-empty",
  tpOrderType: "string",
  closePosition: "boolean",
  reduceOnly: "boolean",
};

export const USER_TRADE: Shape = {
  id: "integer",
  orderId: "integer",
  symbol: "string",
  buyer: "boolean",
  commission: "decimal",
  commissionAsset: "string",
  maker: "boolean",
  price: "decimal",
  qty: "decimal",
  quoteQty: "decimal",
  realizedPnl: "decimal",
  side: "string",
  positionSide: "string",
  time: "integer",
};

export const POSITION: Shape = {
  id: "integer",
  asset: "string",
  symbol: "string",
  side: "string",
  marginType: "string",
  separatedMode: "string",
  separatedOpenOrderId: "integer",
  leverage: "digits",
  size: "decimal",
  openValue: "decimal",
  openFee: "decimal",
  fundingFee: "decimal",
  marginSize: "decimal",
  isolatedMargin: "decimal",
  isAutoAppendIsolatedMargin: "boolean",
  cumOpenSize: "decimal",
  cumOpenValue: "decimal",
  cumOpenFee: "decimal",
  cumCloseSize: "decimal",
  cumCloseValue: "decimal",
  cumCloseFee: "decimal",
  cumFundingFee: "decimal",
  cumLiquidateFee: "decimal",
  createdMatchSequenceId: "integer",
  updatedMatchSequenceId: "integer",
  createdTime: "integer",
  updatedTime: "integer",
  unrealizePnl: "decimal",
  liquidatePrice: "decimal",
};

/** Of POST order, a row of POST batchOrders, and POST algoOrder: the id is text here. */
export const PLACED: Shape = {
  orderId: "digits",
  clientOrderId: "string",
  success: "boolean",
  errorCode: "string",
  errorMessage: "string",
};
export const CANCELLED: Shape = {
  orderId: "digits",
  origClientOrderId: "string",
  success: "boolean",
  errorCode: "string",
  errorMessage: "string",
};
/** Of orders in the book: with its version. */
const IN_BOOK: Shape = { lastUpdateId: "integer" };
export const PLACED_IN_BOOK: Shape = { ...PLACED, ...IN_BOOK };
export const CANCELLED_IN_BOOK: Shape = { ...CANCELLED, ...IN_BOOK };
/** Of allOpenOrders, algoOpenOrders and placeTpSlOrder: the id is a number here. */
export const NUMBERED_RESULT: Shape = {
  orderId: "integer",
  success: "boolean",
  errorCode: "string",
  errorMessage: "string",
};
export const NUMBERED_IN_BOOK: Shape = { ...NUMBERED_RESULT, ...IN_BOOK };
export const CLOSED_POSITION: Shape = {
  positionId: "integer",
  success: "boolean",
  successOrderId: "integer",
  errorMessage: "string",
};
/** What settings answer: no text that a client would take for an error. */
export const DONE: Shape = { code: "digits", requestTime: "integer" };

export const BALANCE: Shape = {
  asset: "string",
  balance: "decimal",
  availableBalance: "decimal",
  frozen: "decimal",
  unrealizePnl: "decimal",
};
export const ACCOUNT_CONFIG: Shape = {
  canTrade: "boolean",
  canDeposit: "boolean",
  canWithdraw: "boolean",
  dualSidePosition: "boolean",
  updateTime: "integer",
};
export const LEVERAGES: Shape = {
  symbol: "string",
  marginType: "string",
  crossLeverage: "digits",
  isolatedLongLeverage: "digits",
  isolatedShortLeverage: "digits",
};
export const SYMBOL_CONFIG: Shape = { ...LEVERAGES, separatedType: "string" };
export const COMMISSION_RATE: Shape = {
  symbol: "string",
  makerCommissionRate: "decimal",
  takerCommissionRate: "decimal",
};
export const INCOME_ITEM: Shape = {
  billId: "integer",
  asset: "string",
  symbol: "?string",
  income: "decimal",
  incomeType: "string",
  balance: "decimal",
  fillFee: "decimal",
  time: "integer",
  transferReason: "string",
};
export const TRANSFER: Shape = {
  clientTransferId: "string",
  status: "string",
  coinName: "string",
  amount: "decimal",
  fromType: "string",
  toType: "string",
  balance: "decimal",
};

export const TICKER_24HR: Shape = {
  symbol: "string",
  priceChange: "decimal",
  priceChangePercent: "decimal",
  lastPrice: "decimal",
  openPrice: "decimal",
  highPrice: "decimal",
  lowPrice: "decimal",
  volume: "decimal",
  quoteVolume: "decimal",
  markPrice: "decimal",
  indexPrice: "decimal",
  openTime: "integer",
  closeTime: "integer",
};
export const BOOK_TICKER: Shape = {
  symbol: "string",
  bidPrice: "decimal",
  bidQty: "decimal",
  askPrice: "decimal",
  askQty: "decimal",
  time: "integer",
};
export const PUBLIC_TRADE: Shape = {
  id: "digits",
  time: "integer",
  price: "decimal",
  qty: "decimal",
  quoteQty: "decimal",
  isBestMatch: "boolean",
  isBuyerMaker: "boolean",
};
export const PREMIUM_INDEX: Shape = {
  symbol: "string",
  markPrice: "decimal",
  indexPrice: "decimal",
  forecastFundingRate: "decimal",
  lastFundingRate: "decimal",
  interestRate: "decimal",
  nextFundingTime: "integer",
  time: "integer",
  collectCycle: "integer",
};
export const FUNDING_RATE: Shape = {
  symbol: "string",
  fundingRate: "decimal",
  fundingTime: "integer",
  markPrice: "decimal",
};
/** A symbol of the exchange information; `delivery` lists the times of a day. */
export const CONTRACT_SYMBOL: Shape = {
  symbol: "string",
  displaySymbol: "string",
  baseAsset: "string",
  quoteAsset: "string",
  marginAsset: "string",
  pricePrecision: "integer",
  quantityPrecision: "integer",
  baseAssetPrecision: "integer",
  quotePrecision: "integer",
  contractVal: "decimal",
  delivery: ["string"],
  forwardContractFlag: "boolean",
  minLeverage: "integer",
  maxLeverage: "integer",
  buyLimitPriceRatio: "decimal",
  sellLimitPriceRatio: "decimal",
  makerFeeRate: "decimal",
  takerFeeRate: "decimal",
  minOrderSize: "decimal",
  maxOrderSize: "decimal",
  maxPositionSize: "decimal",
  marketOpenLimitSize: "decimal",
  liquidateFeeRate: "decimal",
  riskTiers: [{ maxNotional: "decimal", maintenanceMarginRate: "decimal", maxLeverage: "integer" }],
};

/** Eleven places of a candle: opening time, four prices, volumes, closing time, counts. */
export const CANDLE: readonly FieldShape[] = [
  "integer",
  "decimal",
  "decimal",
  "decimal",
  "decimal",
  "decimal",
  "integer",
  "decimal",
  "integer",
  "decimal",
  "decimal",
];

/** A success has no text that says so. */
export function assertAnswer(answer: HttpAnswer, shape: FieldShape): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assert.ok(!Object.hasOwn(answer.body as object, "msg"), answer.text);
  assertShape(answer.body, shape);
}

/** The same, where an empty list would prove nothing. */
export function assertRows(answer: HttpAnswer, row: FieldShape): void {
  assertAnswer(answer, [row]);
  assert.ok((answer.body as unknown[]).length > 0, answer.text);
}

export function assertRefused(answer: HttpAnswer, code: number, status = 400): void {
  assert.equal(answer.status, status, answer.text);
  assertShape(answer.body, { code: "integer", msg: "string" });
  assert.equal((answer.body as { code: number }).code, code, answer.text);
}
