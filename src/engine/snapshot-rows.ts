/**
 * The rows of a snapshot's sections. As everywhere on disk, a row grows by appending fields only.
 */
import {
  PERMISSIONS,
  SELF_TRADE_PREVENTIONS,
  TIMES_IN_FORCE,
  USER_STATES,
} from "../domain/index.ts";
import {
  big,
  choice,
  FUNDS_COMMANDS,
  flag,
  list,
  nullable,
  record,
  SPOT_MARKET_FIELDS,
  text,
  uint,
} from "../protocol/index.ts";

export const meta = record(1, "meta", {
  rulesVersion: uint,
  clockOffsetMs: uint,
  nextOrderId: uint,
  nextTradeId: uint,
  nextUid: uint,
});

/** Absent while exchange time follows the wall clock. */
export const clock = record(14, "clock", { speedE3: uint });

export const asset = record(2, "asset", { asset: text, coinId: uint, name: text, scale: uint });

/** In the order of `HOUSE_ACCOUNTS`. */
export const houseBalances = record(3, "house-balances", {
  assetIndex: uint,
  balancesMinor: list(big),
});

export const user = record(4, "user", {
  uid: uint,
  inviteCode: text,
  inviterUid: nullable(uint),
  registeredMs: uint,
  kyc: flag,
  state: choice(USER_STATES),
  selfTradePrevention: choice(SELF_TRADE_PREVENTIONS),
});

export const userFeeRates = record(5, "user-fee-rates", {
  uid: uint,
  key: text,
  makerFeeRateE8: uint,
  takerFeeRateE8: uint,
});

/** In the order of `USER_ACCOUNTS`. */
export const userBalances = record(6, "user-balances", {
  uid: uint,
  assetIndex: uint,
  balancesMinor: list(big),
});

export const spotMarket = record(7, "spot-market", {
  ...SPOT_MARKET_FIELDS,
  priceScale: uint,
  lastPriceUnits: uint,
  bookVersion: uint,
});

export const tickerBucket = record(8, "ticker-bucket", {
  marketIndex: uint,
  startMs: uint,
  openPrice: uint,
  highPrice: uint,
  highMs: uint,
  lowPrice: uint,
  lowMs: uint,
  closePrice: uint,
  lastMs: uint,
  baseMinor: big,
  quoteMinor: big,
  trades: uint,
});

/** A null `endedMs` is an open order. */
export const clientOrder = record(9, "client-order", {
  uid: uint,
  clientOrderId: text,
  orderId: uint,
  fingerprintHigh: uint,
  fingerprintLow: uint,
  createdMs: uint,
  endedMs: nullable(uint),
});

/** `side` is an index into `SIDES`. */
export const spotOrder = record(10, "spot-order", {
  marketIndex: uint,
  orderId: uint,
  uid: uint,
  clientOrderId: text,
  side: uint,
  timeInForce: choice(TIMES_IN_FORCE),
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledQuoteMinor: big,
  feeNumerator: big,
  makerFeeRateE8: uint,
  createdMs: uint,
  updatedMs: uint,
});

export const apiKey = record(11, "api-key", {
  apiKey: text,
  uid: uint,
  label: text,
  permissions: list(choice(PERMISSIONS)),
  ipAllowList: list(text),
  expiresAtMs: nullable(uint),
});

export const fundsMovement = record(12, "funds-movement", {
  command: choice(FUNDS_COMMANDS),
  uid: uint,
  requestId: text,
  asset: text,
  amountMinor: big,
  from: text,
  to: text,
  balanceMinor: big,
  timestampMs: uint,
});
