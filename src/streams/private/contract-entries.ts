/**
 * Entries of the private channels on contracts, with the names that public clients read. Ids and
 * times are text. Every order and fill has `positionSide`, by which clients recognise a contract.
 */
import { cancelReason, type OrderSource } from "../../api/order-words.ts";
import {
  type AlgoStatus,
  formatDecimal,
  type PositionSide,
  type Side,
  type TimeInForce,
} from "../../domain/index.ts";
import type {
  ContractBalanceView,
  ContractSettingsView,
  EventOf,
  PositionView,
} from "../../protocol/index.ts";
import {
  type Instruments,
  type Listing,
  priceText,
  quantityText,
} from "../channels/instruments.ts";
import type { OrderState } from "./order-tracker.ts";
import { fillPrices, UNCONDITIONAL } from "./spot-entries.ts";
import type { FeeRates } from "./user-fee-rates.ts";

export interface ContractTerms {
  readonly orderId: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly orderType: string;
  readonly timeInForce: TimeInForce;
  readonly source: OrderSource;
  readonly price: string;
  readonly size: string;
  readonly leverage: number;
  readonly createdMs: number;
}

/** How the user holds positions in a market. */
export type Holding = Pick<
  ContractSettingsView,
  | "marginType"
  | "separatedType"
  | "crossLeverage"
  | "isolatedLongLeverage"
  | "isolatedShortLeverage"
>;

export function leverageOf(holding: Holding, positionSide: PositionSide): number {
  if (holding.marginType === "CROSSED") return holding.crossLeverage;
  return positionSide === "LONG" ? holding.isolatedLongLeverage : holding.isolatedShortLeverage;
}

function isClosing(side: Side, positionSide: PositionSide): boolean {
  return (side === "SELL") === (positionSide === "LONG");
}

export function contractOrderEntry(
  { terms, totals, status, reason, updatedMs }: OrderState<ContractTerms>,
  listing: Listing,
  instruments: Instruments,
  holding: Holding,
  { makerFeeRate, takerFeeRate }: FeeRates,
) {
  const amount = (minor: bigint): string => instruments.amountText(listing.quoteAsset, minor);
  return {
    id: String(terms.orderId),
    symbol: terms.symbol,
    coin: listing.quoteAsset,
    marginMode: holding.marginType,
    separatedMode: holding.separatedType,
    separatedOpenOrderId: "0",
    positionSide: terms.positionSide,
    orderSide: terms.side,
    price: terms.price,
    size: terms.size,
    clientOrderId: terms.clientOrderId,
    type: terms.orderType,
    timeInForce: terms.timeInForce,
    reduceOnly: isClosing(terms.side, terms.positionSide),
    orderSource: terms.source,
    ...UNCONDITIONAL,
    triggerPriceType: "UNKNOWN_PRICE_TYPE",
    positionTpsl: false,
    leverage: String(terms.leverage),
    takerFeeRate,
    makerFeeRate,
    feeDiscount: "1",
    liquidateFeeRate: listing.liquidateFeeRate,
    status,
    cancelReason: cancelReason(reason),
    ...fillPrices(totals, listing),
    cumFillSize: quantityText(listing, totals.lots),
    cumFillValue: amount(totals.valueMinor),
    cumFillFee: amount(totals.feeMinor),
    cumLiquidateFee: amount(totals.liquidateFeeMinor),
    cumRealizePnl: amount(totals.realizedMinor),
    createdTime: String(terms.createdMs),
    updatedTime: String(updatedMs),
  };
}

/** What is known of a position beside its amounts. */
export interface PositionTerms {
  readonly marginMode: string;
  readonly separatedOpenOrderId: number;
  readonly leverage: string;
  readonly createdSequence: number;
}

/** One side of a match; its id is that of the trade. */
export function contractFillEntry(
  trade: EventOf<"contract-trade">,
  role: "maker" | "taker",
  listing: Listing,
  instruments: Instruments,
  timestampMs: number,
) {
  const fill = trade[role];
  const isBuy = (trade.takerSide === "BUY") === (role === "taker");
  const amount = (minor: bigint): string => instruments.amountText(trade.asset, minor);
  // A deleveraging or netting has no resting order.
  const isMaker = role === "maker" && (trade.kind === "book" || trade.kind === "liquidation");
  return {
    id: String(trade.tradeId),
    symbol: trade.symbol,
    coin: trade.asset,
    orderId: String(fill.orderId),
    positionSide: fill.positionSide,
    orderSide: isBuy ? "BUY" : "SELL",
    fillSize: quantityText(listing, trade.quantityLots),
    fillValue: amount(trade.valueMinor),
    fillFee: amount(fill.feeMinor),
    liquidateFee: "0",
    realizePnl: amount(fill.realizedPnlMinor),
    direction: isMaker ? "MAKER" : "TAKER",
    createdTime: String(timestampMs),
    updatedTime: String(timestampMs),
  };
}

export type ContractFillEntry = ReturnType<typeof contractFillEntry>;

/** The position that a fill touched, as far as it is known. */
export function heldAs(holding: Holding, position: PositionTerms | undefined) {
  const separatedOpenOrderId = position?.separatedOpenOrderId ?? 0;
  return {
    marginMode: position?.marginMode ?? holding.marginType,
    separatedMode: separatedOpenOrderId === 0 ? "COMBINED" : "SEPARATED",
    separatedOpenOrderId: String(separatedOpenOrderId),
  };
}

/** In the states that clients know. A triggered one has an order in the book. */
const ALGO_WORDS: Readonly<Record<AlgoStatus, string>> = {
  NEW: "UNTRIGGERED",
  UNTRIGGERED: "UNTRIGGERED",
  PENDING: "NEW",
  TRIGGERED: "NEW",
  FILLED: "FILLED",
  CANCELED: "CANCELED",
  CANCELING: "CANCELED",
};

export function algoOrderEntry(
  algo: EventOf<"algo-order-changed">,
  listing: Listing,
  holding: Holding,
) {
  const { positionSide, orderType, timeInForce, clientAlgoId: clientOrderId } = algo;
  const terms: ContractTerms = {
    orderId: algo.algoId,
    symbol: algo.symbol,
    clientOrderId,
    side: algo.side,
    positionSide,
    orderType,
    timeInForce,
    source: "API",
    price: priceText(listing, algo.priceTicks),
    size: quantityText(listing, algo.quantityLots),
    leverage: leverageOf(holding, positionSide),
    createdMs: algo.createdMs,
  };
  return {
    terms,
    wire: {
      status: ALGO_WORDS[algo.status],
      triggerPrice: priceText(listing, algo.triggerTicks),
      triggerPriceType: algo.workingType,
      triggerTime: String(algo.triggeredMs),
      positionTpsl: algo.closePosition,
      openTpslParentOrderId: String(algo.parentOrderId),
      setOpenTp: algo.tpTriggerTicks > 0,
      setOpenSl: algo.slTriggerTicks > 0,
    },
  };
}

const ACCOUNT_TOTALS = {
  pendingDepositAmount: "0",
  pendingWithdrawAmount: "0",
  pendingTransferInAmount: "0",
  pendingTransferOutAmount: "0",
  liquidating: false,
} as const;

/** Sums over the life of an account, which are not kept here: "0". */
const UNKEPT_TOTALS = {
  cumDepositAmount: "0",
  cumWithdrawAmount: "0",
  cumTransferInAmount: "0",
  cumTransferOutAmount: "0",
  cumMarginMoveInAmount: "0",
  cumMarginMoveOutAmount: "0",
  cumPositionOpenLongAmount: "0",
  cumPositionOpenShortAmount: "0",
  cumPositionCloseLongAmount: "0",
  cumPositionCloseShortAmount: "0",
  cumPositionFillFeeAmount: "0",
  cumPositionLiquidateFeeAmount: "0",
  cumPositionFundingAmount: "0",
  cumOrderFillFeeIncomeAmount: "0",
  cumOrderLiquidateFeeIncomeAmount: "0",
} as const;

/** Clients read `amount` as the free balance and `legacyAmount` as the whole balance. */
export function contractBalanceEntry(balance: ContractBalanceView) {
  return {
    coin: balance.asset,
    marginMode: "CROSSED",
    crossSymbol: "",
    isolatedPositionId: "0",
    amount: balance.availableBalance,
    ...ACCOUNT_TOTALS,
    legacyAmount: balance.balance,
    ...UNKEPT_TOTALS,
    createdTime: "0",
    updatedTime: "0",
  };
}

export function positionEntry(position: PositionView) {
  return {
    id: String(position.id),
    coin: position.asset,
    symbol: position.symbol,
    side: position.side,
    marginMode: position.marginType,
    separatedMode: position.separatedMode,
    separatedOpenOrderId: String(position.separatedOpenOrderId),
    leverage: position.leverage,
    size: position.size,
    openValue: position.openValue,
    openFee: position.openFee,
    fundingFee: position.fundingFee,
    isolatedMargin: position.isolatedMargin,
    autoAppendIsolatedMargin: position.isAutoAppendIsolatedMargin,
    cumOpenSize: position.cumOpenSize,
    cumOpenValue: position.cumOpenValue,
    cumOpenFee: position.cumOpenFee,
    cumCloseSize: position.cumCloseSize,
    cumCloseValue: position.cumCloseValue,
    cumCloseFee: position.cumCloseFee,
    cumFundingFee: position.cumFundingFee,
    cumLiquidateFee: position.cumLiquidateFee,
    createdMatchSequenceId: String(position.createdMatchSequenceId),
    updatedMatchSequenceId: String(position.updatedMatchSequenceId),
    createdTime: String(position.createdTime),
    updatedTime: String(position.updatedTime),
  };
}

/** A closed position with its totals: sent once more, with size "0". */
export function closedPositionEntry(
  closed: EventOf<"position-closed">,
  { leverage, separatedOpenOrderId, createdSequence }: PositionTerms,
  listing: Listing,
  instruments: Instruments,
  { sequence, timestampMs }: { readonly sequence: number; readonly timestampMs: number },
) {
  const amount = (minor: bigint): string => instruments.amountText(closed.asset, minor);
  const { step } = listing;
  const size = (lots: bigint): string => formatDecimal(lots * BigInt(step.step), step.scale);
  return {
    id: String(closed.positionId),
    coin: closed.asset,
    symbol: closed.symbol,
    side: closed.positionSide,
    marginMode: closed.marginType,
    separatedMode: separatedOpenOrderId === 0 ? "COMBINED" : "SEPARATED",
    separatedOpenOrderId: String(separatedOpenOrderId),
    leverage,
    size: "0",
    openValue: "0",
    openFee: "0",
    fundingFee: "0",
    isolatedMargin: "0",
    autoAppendIsolatedMargin: false,
    cumOpenSize: size(closed.cumOpenLots),
    cumOpenValue: amount(closed.cumOpenValueMinor),
    cumOpenFee: amount(closed.cumOpenFeeMinor),
    cumCloseSize: size(closed.cumCloseLots),
    cumCloseValue: amount(closed.cumCloseValueMinor),
    cumCloseFee: amount(closed.cumCloseFeeMinor),
    cumFundingFee: amount(closed.cumFundingFeeMinor),
    cumLiquidateFee: amount(closed.cumLiquidateFeeMinor),
    createdMatchSequenceId: String(createdSequence),
    updatedMatchSequenceId: String(sequence),
    createdTime: String(closed.openedMs),
    updatedTime: String(timestampMs),
  };
}
