/** The rows of the snapshot's contract sections. A row on disk grows only by appended fields. */
import {
  ALGO_ORDER_TYPES,
  ALGO_STATUSES,
  MARGIN_TYPES,
  ORDER_ORIGINS,
  SEPARATED_TYPES,
  SIDES,
  TIMES_IN_FORCE,
  WORKING_TYPES,
} from "../../domain/index.ts";
import {
  appended,
  big,
  CONTRACT_MARKET_FIELDS,
  CONTRACT_PROTECTION_FIELDS,
  choice,
  flag,
  int,
  list,
  nullable,
  record,
  struct,
  text,
  uint,
} from "../../protocol/index.ts";

/** How a cut cascade continues. */
export const contractMeta = record(20, "contract-meta", {
  unfinishedRisk: flag,
  timersToMs: uint,
  liquidityRevision: uint,
});

const samples = list(struct({ atMs: uint, halfTicks: int }));

/** A listing as first published; later additions have rows of their own. */
const {
  actor: _actor,
  insuranceSlippage: _slippage,
  insuranceDrawLimit: _drawLimit,
  indexStepLimit: _stepLimit,
  ...LISTING
} = CONTRACT_MARKET_FIELDS;

export const contractMarket = record(21, "contract-market", {
  ...LISTING,
  bookVersion: uint,
  lastTicks: uint,
  indexSource: choice(["none", "operator", "spot"]),
  indexTicks: uint,
  indexAtMs: uint,
  indexRevision: uint,
  spotSamples: samples,
  spotBlockedVersion: int,
  markTicks: uint,
  pinnedTicks: uint,
  markSamples: samples,
  nextSlotMs: uint,
  pendingSlotMs: uint,
  premiumSumE12: big,
  premiumSamples: uint,
  lastPremiumE12: big,
  premiumAtMs: uint,
  lastRateE8: int,
  lastSlotMs: uint,
  sampledMs: uint,
  sampledBookVersion: int,
  sampledIndexRevision: int,
  sampledSpotBookVersion: int,
  premiumBookVersion: int,
  premiumIndexTicks: int,
});

/** Only of a market that is listed with others than the defaults. */
export const contractProtection = record(29, "contract-protection", {
  marketIndex: uint,
  ...CONTRACT_PROTECTION_FIELDS,
});

/** Only of a market whose liquidations wait after a stop. */
export const contractRiskWait = record(30, "contract-risk-wait", {
  marketIndex: uint,
  riskFromMs: uint,
});

/** Only of a market whose next funding rate was given in a sandbox. */
export const givenFundingRate = record(31, "given-funding-rate", {
  marketIndex: uint,
  rateE8: int,
});

/** Only of a market for whose liquidations the insurance fund has paid. */
export const insuranceDraws = record(28, "insurance-draws", {
  marketIndex: uint,
  hourEndMs: uint,
  baseMinor: big,
  drawnMinor: big,
});

export const marginAccount = record(22, "margin-account", {
  uid: uint,
  assetIndex: uint,
  heldAtRevision: uint,
});

export const contractSettings = record(23, "contract-settings", {
  uid: uint,
  marketIndex: uint,
  marginType: choice(MARGIN_TYPES),
  separatedType: choice(SEPARATED_TYPES),
  crossLeverage: uint,
  isolatedLongLeverage: uint,
  isolatedShortLeverage: uint,
});

/** `side` is an index into `POSITION_SIDES`. */
export const position = record(24, "position", {
  positionId: uint,
  uid: uint,
  marketIndex: uint,
  side: uint,
  marginType: choice(MARGIN_TYPES),
  separatedOpenOrderId: uint,
  sizeLots: uint,
  openValueMinor: big,
  openFeeMinor: big,
  fundingFeeMinor: big,
  marginMinor: big,
  heldAtRevision: uint,
  autoAppend: flag,
  cumOpenLots: big,
  cumOpenValueMinor: big,
  cumOpenFeeMinor: big,
  cumCloseLots: big,
  cumCloseValueMinor: big,
  cumCloseFeeMinor: big,
  cumFundingFeeMinor: big,
  cumLiquidateFeeMinor: big,
  createdSequence: uint,
  updatedSequence: uint,
  createdMs: uint,
  updatedMs: uint,
  insuredMinor: appended(big, 0n),
});

/**
 * `side` is an index into `SIDES`, `positionSide` one into `POSITION_SIDES`. The client id is ""
 * for an order that no user named.
 */
export const contractOrder = record(25, "contract-order", {
  marketIndex: uint,
  orderId: uint,
  uid: uint,
  clientOrderId: text,
  side: uint,
  timeInForce: choice(TIMES_IN_FORCE),
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledValueMinor: big,
  feeNumerator: big,
  makerFeeRateE8: uint,
  updatedMs: uint,
  createdMs: uint,
  algoId: uint,
  targetPositionId: uint,
  leverage: uint,
  takerFeeRateE8: uint,
  positionSide: uint,
  isClosing: flag,
  origin: choice(ORDER_ORIGINS),
  hasAttached: flag,
});

const preset = nullable(struct({ ticks: uint, workingType: choice(WORKING_TYPES) }));

export const conditionalOrder = record(26, "algo-order", {
  algoId: uint,
  uid: uint,
  marketIndex: uint,
  clientAlgoId: text,
  orderType: choice(ALGO_ORDER_TYPES),
  side: choice(SIDES),
  positionSide: uint,
  quantityLots: uint,
  closePosition: flag,
  reduceOnly: flag,
  status: choice(ALGO_STATUSES),
  parentOrderId: uint,
  actualOrderId: uint,
  triggerTicks: uint,
  priceTicks: uint,
  workingType: choice(WORKING_TYPES),
  takeProfit: preset,
  stopLoss: preset,
  callbackRateE8: uint,
  activationTicks: uint,
  extremeTicks: uint,
  createdMs: uint,
  updatedMs: uint,
  triggeredMs: uint,
});
