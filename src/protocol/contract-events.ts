/**
 * Events of contracts. Prices are ticks, quantities lots, amounts minor units of the margin asset.
 * A wallet is the sum of a user's contract ledger accounts in one asset: available, order margin
 * and position margin, without unrealised profit.
 */
import {
  ALGO_ORDER_TYPES,
  ALGO_STATUSES,
  END_REASONS,
  MARGIN_TYPES,
  MARKET_STATES,
  MATCH_KINDS,
  ORDER_ORIGINS,
  ORDER_STATUSES,
  ORDER_TYPES,
  POSITION_SIDES,
  SEPARATED_TYPES,
  SIDES,
  TIMES_IN_FORCE,
  WORKING_TYPES,
} from "../domain/index.ts";
import { CONTRACT_MARKET_FIELDS } from "./contract-commands.ts";
import {
  big,
  choice,
  flag,
  nullable,
  record,
  recurringText,
  struct,
  text,
  uint,
} from "./record.ts";

const MARGIN_CAUSES = ["user", "auto-append"] as const;

const contractMarketSet = record(60, "contract-market-set", CONTRACT_MARKET_FIELDS);

const contractMarketStateSet = record(61, "contract-market-state-set", {
  actor: text,
  symbol: recurringText,
  state: choice(MARKET_STATES),
});

const indexPriceSet = record(62, "index-price-set", {
  actor: text,
  symbol: recurringText,
  indexTicks: uint,
});

/** `markTicks` is 0 when the mark was unpinned. */
const markPricePinned = record(63, "mark-price-pinned", {
  actor: text,
  symbol: recurringText,
  markTicks: uint,
});

/** The index or mark price changed; the last event of the step that changed it. */
const contractPricesChanged = record(64, "contract-prices-changed", {
  symbol: recurringText,
  indexTicks: uint,
  markTicks: uint,
});

/**
 * The events after this one happened at this time, up to the next such event or the command's end.
 */
const timerFired = record(65, "timer-fired", { timestampMs: uint });

const resumed = record(66, "resumed", { downMs: uint });

const premiumSampled = record(67, "premium-sampled", {
  symbol: recurringText,
  premiumE12: big,
  samples: uint,
});

const fundingSettled = record(68, "funding-settled", {
  symbol: recurringText,
  slotMs: uint,
  rateE8: big,
  indexTicks: uint,
  markTicks: uint,
  premiumSamples: uint,
  collectedMinor: big,
  receivedMinor: big,
  roundingMinor: big,
  waivedMinor: big,
});

/** `deltaMinor` is what the wallet received; negative for a payment. */
const fundingMoved = record(69, "funding-moved", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  positionSide: choice(POSITION_SIDES),
  asset: text,
  slotMs: uint,
  deltaMinor: big,
  walletMinor: big,
});

/** An order now rests in the book, perhaps after fills. */
const contractOrderOpened = record(70, "contract-order-opened", {
  orderId: uint,
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  side: choice(SIDES),
  positionSide: choice(POSITION_SIDES),
  timeInForce: choice(TIMES_IN_FORCE),
  origin: choice(ORDER_ORIGINS),
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledValueMinor: big,
  leverage: uint,
});

/** One side of a match. `positionId` is the first position changed; `walletMinor` is afterwards. */
const FILL = {
  uid: uint,
  orderId: uint,
  positionSide: choice(POSITION_SIDES),
  positionId: uint,
  isClosing: flag,
  feeMinor: big,
  realizedPnlMinor: big,
  walletMinor: big,
} as const;

/** One match. `openInterestLots` is afterwards. */
const contractTrade = record(71, "contract-trade", {
  tradeId: uint,
  symbol: recurringText,
  kind: choice(MATCH_KINDS),
  takerSide: choice(SIDES),
  priceTicks: uint,
  quantityLots: uint,
  valueMinor: big,
  asset: text,
  maker: struct(FILL),
  taker: struct(FILL),
  openInterestLots: uint,
});

/** `priceTicks` is 0 for a market order; `algoId` is 0 unless a conditional order placed it. */
const contractOrderEnded = record(72, "contract-order-ended", {
  orderId: uint,
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  side: choice(SIDES),
  positionSide: choice(POSITION_SIDES),
  orderType: choice(ORDER_TYPES),
  timeInForce: choice(TIMES_IN_FORCE),
  origin: choice(ORDER_ORIGINS),
  algoId: uint,
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledValueMinor: big,
  status: choice(ORDER_STATUSES),
  reason: choice(END_REASONS),
  createdMs: uint,
});

/**
 * The complete conditional order after each change. 0 means none or not applicable: quantity (the
 * whole position), parent, child, prices. `actualPriceE8` is the child's average price in 10^-8.
 */
const algoOrderChanged = record(73, "algo-order-changed", {
  algoId: uint,
  uid: uint,
  symbol: recurringText,
  clientAlgoId: text,
  orderType: choice(ALGO_ORDER_TYPES),
  side: choice(SIDES),
  positionSide: choice(POSITION_SIDES),
  timeInForce: choice(TIMES_IN_FORCE),
  quantityLots: uint,
  closePosition: flag,
  reduceOnly: flag,
  status: choice(ALGO_STATUSES),
  parentOrderId: uint,
  actualOrderId: uint,
  actualPriceE8: big,
  triggerTicks: uint,
  priceTicks: uint,
  tpTriggerTicks: uint,
  slTriggerTicks: uint,
  tpWorkingType: choice(WORKING_TYPES),
  slWorkingType: choice(WORKING_TYPES),
  workingType: choice(WORKING_TYPES),
  createdMs: uint,
  updatedMs: uint,
  triggeredMs: uint,
});

const contractSettingsChanged = record(74, "contract-settings-changed", {
  symbol: recurringText,
  uid: uint,
  marginType: choice(MARGIN_TYPES),
  separatedType: choice(SEPARATED_TYPES),
  crossLeverage: uint,
  isolatedLongLeverage: uint,
  isolatedShortLeverage: uint,
});

/** `deltaMinor` is what was added to the position's margin. The wallet's total does not change. */
const positionMarginMoved = record(75, "position-margin-moved", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  positionSide: choice(POSITION_SIDES),
  asset: text,
  deltaMinor: big,
  cause: choice(MARGIN_CAUSES),
  marginMinor: big,
  walletMinor: big,
});

const autoAppendSet = record(76, "auto-append-set", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  enabled: flag,
});

/**
 * A position, or with `positionId` 0 and `symbol` "" a whole cross account, is taken over for
 * liquidation. The maintenance margin is scaled by 10^8 to be exact.
 */
const liquidationStarted = record(77, "liquidation-started", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  positionSide: choice(POSITION_SIDES),
  marginType: choice(MARGIN_TYPES),
  markTicks: uint,
  equityMinor: big,
  maintenanceE8Minor: big,
  asset: text,
  walletMinor: big,
});

/**
 * The money of one liquidation fill, directly after its trade event. The trade's wallet is the one
 * after profit and fee; `walletAfterFixMinor` also includes what the insurance fund paid in;
 * `walletMinor` also includes the liquidation fee. `insuranceMinor` is the fund afterwards.
 */
const liquidationSettled = record(78, "liquidation-settled", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  positionSide: choice(POSITION_SIDES),
  asset: text,
  tradeId: uint,
  residueMinor: big,
  feeMinor: big,
  liquidationFeeMinor: big,
  insurancePaidMinor: big,
  walletAfterFixMinor: big,
  walletMinor: big,
  insuranceMinor: big,
});

const liquidationFinished = record(79, "liquidation-finished", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  marginType: choice(MARGIN_TYPES),
  asset: text,
  walletMinor: big,
});

const positionOpened = record(80, "position-opened", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  positionSide: choice(POSITION_SIDES),
  marginType: choice(MARGIN_TYPES),
  separatedOpenOrderId: uint,
  leverage: uint,
});

/** The totals of a closed position. */
const positionClosed = record(81, "position-closed", {
  symbol: recurringText,
  uid: uint,
  positionId: uint,
  positionSide: choice(POSITION_SIDES),
  marginType: choice(MARGIN_TYPES),
  asset: text,
  cumOpenLots: big,
  cumOpenValueMinor: big,
  cumOpenFeeMinor: big,
  cumCloseLots: big,
  cumCloseValueMinor: big,
  cumCloseFeeMinor: big,
  cumFundingFeeMinor: big,
  cumLiquidateFeeMinor: big,
  openedMs: uint,
});

/** Same as `spot-order-amended`. */
const contractOrderAmended = record(82, "contract-order-amended", {
  orderId: uint,
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  side: choice(SIDES),
  positionSide: choice(POSITION_SIDES),
  timeInForce: choice(TIMES_IN_FORCE),
  origin: choice(ORDER_ORIGINS),
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledValueMinor: big,
  leverage: uint,
  keptPriority: flag,
  createdMs: uint,
});

/** The rate of the next funding, whatever its premiums are; null for the one that they give. */
const fundingRateSet = record(83, "funding-rate-set", {
  actor: text,
  symbol: recurringText,
  rateE8: nullable(big),
});

export const CONTRACT_EVENTS = [
  contractMarketSet,
  contractMarketStateSet,
  indexPriceSet,
  markPricePinned,
  fundingRateSet,
  contractPricesChanged,
  timerFired,
  resumed,
  premiumSampled,
  fundingSettled,
  fundingMoved,
  contractOrderOpened,
  contractTrade,
  contractOrderEnded,
  algoOrderChanged,
  contractSettingsChanged,
  positionMarginMoved,
  autoAppendSet,
  liquidationStarted,
  liquidationSettled,
  liquidationFinished,
  positionOpened,
  positionClosed,
  contractOrderAmended,
] as const;
