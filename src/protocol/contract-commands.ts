/**
 * Commands of contracts: listing, prices, time, orders, conditional orders, settings. Only the
 * sequencer makes `advance-time`, `resume` and `continue-risk`; they are journaled like any other
 * command, so a replay needs no clock.
 */
import {
  ALGO_ORDER_TYPES,
  MARGIN_TYPES,
  MARKET_STATES,
  ORDER_TYPES,
  POSITION_SIDES,
  SEPARATED_TYPES,
  SIDES,
  TIMES_IN_FORCE,
  WALLETS,
  WORKING_TYPES,
} from "../domain/index.ts";
import {
  appended,
  choice,
  type Decoded,
  flag,
  list,
  nullable,
  record,
  recurringText,
  struct,
  text,
  uint,
} from "./record.ts";

const MARGIN_DIRECTIONS = ["add", "remove"] as const;

/** Exchange time reached `toMs`: everything due by then happens, in order of time. */
const advanceTime = record(12, "advance-time", { toMs: uint });

/** The exchange restarts after a stop: what was due in the meantime is made up for or skipped. */
const resume = record(13, "resume", {});

/** Continues a cascade of triggers and liquidations that was cut into slices. */
const continueRisk = record(14, "continue-risk", {});

const setIndexPrice = record(15, "set-index-price", {
  actor: text,
  symbol: recurringText,
  price: text,
  /** Accepts any distance from the previous price. */
  force: appended(flag, false),
});

/** Sandbox only. A null price unpins the mark. */
const pinMarkPrice = record(16, "pin-mark-price", {
  actor: text,
  symbol: recurringText,
  price: nullable(text),
});

/** Sandbox only: the rate of the next funding; null for the one that its premiums give. */
const setFundingRate = record(19, "set-funding-rate", {
  actor: text,
  symbol: recurringText,
  rate: nullable(text),
});

/**
 * What protects a contract's insurance fund and index, with the values that older records imply:
 * how far beyond bankruptcy the fund pays, which share of it may be spent in an hour, and how far
 * an operator's index price may jump.
 */
export const CONTRACT_PROTECTION_DEFAULTS = {
  insuranceSlippage: "0.002",
  insuranceDrawLimit: null,
  indexStepLimit: "0.1",
} as const;

export const CONTRACT_PROTECTION_FIELDS = {
  insuranceSlippage: appended(text, CONTRACT_PROTECTION_DEFAULTS.insuranceSlippage),
  /** A fraction of the fund; null for no limit. */
  insuranceDrawLimit: appended(nullable(text), CONTRACT_PROTECTION_DEFAULTS.insuranceDrawLimit),
  indexStepLimit: appended(text, CONTRACT_PROTECTION_DEFAULTS.indexStepLimit),
} as const;

/** The fields of a contract market, in its command and its event. */
export const CONTRACT_MARKET_FIELDS = {
  actor: text,
  symbol: recurringText,
  baseAsset: text,
  quoteAsset: text,
  marginAsset: text,
  tickSize: text,
  stepSize: text,
  pricePrecision: uint,
  quantityPrecision: uint,
  contractVal: text,
  minOrderSize: text,
  maxOrderSize: text,
  maxPositionSize: text,
  marketOpenLimitSize: text,
  minLeverage: uint,
  maxLeverage: uint,
  defaultLeverage: uint,
  buyLimitPriceRatio: text,
  sellLimitPriceRatio: text,
  makerFeeRate: text,
  takerFeeRate: text,
  liquidateFeeRate: text,
  /** The only rate that may be negative. */
  interestRate: text,
  fundingInnerClamp: text,
  fundingRateCap: text,
  fundingBufferRate: text,
  impactNotional: text,
  fundingIntervalMinutes: uint,
  indexStaleMs: uint,
  maxOpenOrders: uint,
  /** A position of exactly `maxNotional`, in the quote asset, still belongs to the tier. */
  tiers: list(struct({ maxNotional: text, maintenanceMarginRate: text, maxLeverage: uint })),
  state: choice(MARKET_STATES),
  ...CONTRACT_PROTECTION_FIELDS,
} as const;

const setContractMarket = record(23, "set-contract-market", CONTRACT_MARKET_FIELDS);

export const setContractMarketState = record(24, "set-contract-market-state", {
  actor: text,
  symbol: recurringText,
  state: choice(MARKET_STATES),
});

/** Moves a user's own funds between wallets; the request ids are the user's own. */
const transferOwnFunds = record(55, "transfer-own-funds", {
  requestId: text,
  uid: uint,
  from: choice(WALLETS),
  to: choice(WALLETS),
  asset: text,
  amount: text,
});

/** `price` is "" for a market order; its time in force is always IOC. */
const placeContractOrder = record(60, "place-contract-order", {
  uid: uint,
  symbol: recurringText,
  side: choice(SIDES),
  positionSide: choice(POSITION_SIDES),
  orderType: choice(ORDER_TYPES),
  timeInForce: choice(TIMES_IN_FORCE),
  price: text,
  quantity: text,
  clientOrderId: text,
  tpTriggerPrice: nullable(text),
  slTriggerPrice: nullable(text),
  tpWorkingType: choice(WORKING_TYPES),
  slWorkingType: choice(WORKING_TYPES),
});

/** One of the two ids is required; if both are given, `orderId` decides. */
const cancelContractOrder = record(61, "cancel-contract-order", {
  uid: uint,
  orderId: nullable(uint),
  clientOrderId: nullable(text),
});

/** A null symbol means every market. */
const cancelAllContractOrders = record(62, "cancel-all-contract-orders", {
  uid: uint,
  symbol: nullable(recurringText),
});

/** Closes at market price: one position, those of one symbol, or all. */
const closePositions = record(63, "close-positions", {
  uid: uint,
  symbol: nullable(recurringText),
  positionId: nullable(uint),
});

/**
 * Text that a kind of order does not use is "": `quantity` with `closePosition`, `triggerPrice` of
 * a trailing stop, `price` of the market types, `callbackRate` (percent) of all but trailing stops.
 */
const placeAlgoOrder = record(64, "place-algo-order", {
  uid: uint,
  symbol: recurringText,
  side: choice(SIDES),
  positionSide: choice(POSITION_SIDES),
  orderType: choice(ALGO_ORDER_TYPES),
  quantity: text,
  /** The child closes the whole position, whatever its size by then. */
  closePosition: flag,
  /** Take-profit or stop-loss of a position; never larger than the position. */
  isTpSl: flag,
  triggerPrice: text,
  price: text,
  workingType: choice(WORKING_TYPES),
  clientAlgoId: text,
  presetTakeProfitPrice: nullable(text),
  presetStopLossPrice: nullable(text),
  tpWorkingType: choice(WORKING_TYPES),
  slWorkingType: choice(WORKING_TYPES),
  callbackRate: text,
  activationPrice: nullable(text),
});

const cancelAlgoOrder = record(65, "cancel-algo-order", { uid: uint, algoId: uint });

/** A null symbol means every market. */
const cancelAllAlgoOrders = record(66, "cancel-all-algo-orders", {
  uid: uint,
  symbol: nullable(recurringText),
});

/** `executePrice` null or "0" makes the child a market order. A null working type is unchanged. */
const modifyAlgoOrder = record(67, "modify-algo-order", {
  uid: uint,
  algoId: uint,
  triggerPrice: text,
  executePrice: nullable(text),
  workingType: nullable(choice(WORKING_TYPES)),
});

/** A null leverage is unchanged. A margin type, if given, must be the current one. */
const setLeverage = record(68, "set-leverage", {
  uid: uint,
  symbol: recurringText,
  marginType: nullable(choice(MARGIN_TYPES)),
  crossLeverage: nullable(uint),
  isolatedLongLeverage: nullable(uint),
  isolatedShortLeverage: nullable(uint),
});

const setMarginType = record(69, "set-margin-type", {
  uid: uint,
  symbol: recurringText,
  marginType: choice(MARGIN_TYPES),
  separatedType: nullable(choice(SEPARATED_TYPES)),
});

const movePositionMargin = record(70, "move-position-margin", {
  uid: uint,
  positionId: uint,
  amount: text,
  direction: choice(MARGIN_DIRECTIONS),
});

const setAutoAppendMargin = record(71, "set-auto-append-margin", {
  uid: uint,
  positionId: uint,
  enabled: flag,
});

/**
 * One of the two ids is required; if both are given, `orderId` decides. A null price or quantity is
 * unchanged. The quantity is the order's total, including the filled part.
 */
const amendContractOrder = record(72, "amend-contract-order", {
  uid: uint,
  orderId: nullable(uint),
  clientOrderId: nullable(text),
  price: nullable(text),
  quantity: nullable(text),
});

/**
 * Changes carried by `do-once`: they have no id of their own, so a retry would apply them twice.
 */
export const CONTRACT_CHANGES = [
  closePositions,
  modifyAlgoOrder,
  setLeverage,
  setMarginType,
  movePositionMargin,
  setAutoAppendMargin,
  amendContractOrder,
] as const;

export const CONTRACT_COMMANDS = [
  advanceTime,
  resume,
  continueRisk,
  setIndexPrice,
  pinMarkPrice,
  setFundingRate,
  setContractMarket,
  setContractMarketState,
  transferOwnFunds,
  placeContractOrder,
  cancelContractOrder,
  cancelAllContractOrders,
  placeAlgoOrder,
  cancelAlgoOrder,
  cancelAllAlgoOrders,
  ...CONTRACT_CHANGES,
] as const;

export type ContractCommand = Decoded<(typeof CONTRACT_COMMANDS)[number]>;
