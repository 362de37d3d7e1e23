/**
 * The state of the reference exchange of contracts: plain rows, amounts as whole numbers of 10^-18,
 * nothing that can be computed from something else.
 */
import type {
  AlgoOrderType,
  AlgoStatus,
  EndReason,
  MarginType,
  MarketState,
  OrderOrigin,
  OrderType,
  PositionSide,
  SeparatedType,
  Side,
  TimeInForce,
  WorkingType,
} from "../../../src/domain/index.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact } from "../../support/exact.ts";
import type { NaiveAsset } from "../naive-rules.ts";

export interface NaiveTier {
  readonly maxNotional: bigint;
  readonly rate: bigint;
  readonly maxLeverage: number;
}

export interface NaiveContractRules {
  readonly base: NaiveAsset;
  readonly quote: NaiveAsset;
  readonly tick: bigint;
  readonly step: bigint;
  /** As listed; no arithmetic has them. */
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  readonly contractVal: string;
  readonly minSize: bigint;
  readonly maxSize: bigint;
  readonly maxPosition: bigint;
  readonly marketOpenLimit: bigint;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  readonly defaultLeverage: number;
  readonly buyRatio: bigint;
  readonly sellRatio: bigint;
  readonly maker: bigint;
  readonly taker: bigint;
  readonly liquidateFee: bigint;
  readonly interest: bigint;
  readonly innerClamp: bigint;
  readonly rateCap: bigint;
  readonly buffer: bigint;
  readonly impactNotional: bigint;
  readonly intervalMs: number;
  readonly staleMs: number;
  readonly maxOpenOrders: number;
  readonly tiers: readonly NaiveTier[];
  readonly insuranceSlippage: bigint;
  /** Of the fund's balance an hour; null: all of it. */
  readonly drawLimit: bigint | null;
  readonly indexStepLimit: bigint;
}

export interface NaiveContractMarket {
  readonly symbol: string;
  rules: NaiveContractRules;
  state: MarketState;
  /** Price of the last trade in the book; 0 before the first. */
  last: bigint;
  indexPrice: bigint;
  indexMs: number;
  indexSource: "none" | "spot" | "operator";
  /** Both sides of the spot market of the same pair added, one a second. */
  spotMids: { readonly ms: number; readonly mid: bigint }[];
  /** The spot book as it stood at a restart; while it stands so it says nothing. */
  staleBook: string | null;
  pinned: bigint;
  mark: bigint;
  /** How far both sides of the book together were above twice the index, one a second. */
  samples: { readonly ms: number; readonly basis: bigint }[];
  /** Before this the samples after a restart are of too short a time. */
  liquidatesFromMs: number;
  /** What the fund paid for this market in an hour, and had when it began to; null: nothing. */
  draw: { readonly hour: number; readonly base: bigint; readonly paid: bigint } | null;
  /** Premiums since the last settlement, in 10^-12. */
  premiums: { readonly ms: number; readonly premium: bigint }[];
  lastRate: bigint;
  /** Of the next settlement, whatever the premiums are. */
  givenRate: bigint | null;
  nextSlotMs: number;
  /** A slot missed while the exchange was down; 0 when there is none. */
  pendingSlotMs: number;
  /** Open orders in order of arrival. */
  resting: NaiveContractOrder[];
}

export interface NaivePosition {
  readonly id: number;
  readonly uid: number;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly marginType: MarginType;
  readonly separatedOpenOrderId: number;
  readonly createdSequence: number;
  readonly createdMs: number;
  updatedSequence: number;
  updatedMs: number;
  size: bigint;
  openValue: bigint;
  openFee: bigint;
  fundingFee: bigint;
  margin: bigint;
  autoAppend: boolean;
  cumOpenSize: bigint;
  cumOpenValue: bigint;
  cumOpenFee: bigint;
  cumCloseSize: bigint;
  cumCloseValue: bigint;
  cumCloseFee: bigint;
  cumFundingFee: bigint;
  cumLiquidateFee: bigint;
  /** Fees and slippage of its liquidation, for which its own fees have to stand. */
  insured: bigint;
  /** A liquidation that found nobody waits while `liquidity` is still this; −1: it does not. */
  heldAt: number;
}

export interface NaiveSettings {
  marginType: MarginType;
  separatedType: SeparatedType;
  cross: number;
  LONG: number;
  SHORT: number;
}

/** What an order asks for, read and found in order. */
export interface NaiveOrderTerms {
  readonly uid: number;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  /** 0 for a market order. */
  readonly price: bigint;
  readonly quantity: bigint;
  readonly origin: OrderOrigin;
  readonly algoId: number;
  /** The one position that it closes; 0: the side, first in, first out. */
  readonly targetPositionId: number;
}

export interface NaiveContractOrder extends NaiveOrderTerms {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly isClosing: boolean;
  readonly leverage: number;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly createdMs: number;
  updatedMs: number;
  /** At which its rest is frozen: what it was assumed to pay, then its own. */
  frozenPrice: bigint;
  filled: bigint;
  filledValue: bigint;
  /** Exact fee so far, in 10^-36. */
  exactFee: bigint;
  feeCharged: bigint;
  endReason: EndReason | null;
}

export interface NaivePreset {
  readonly price: bigint;
  readonly workingType: WorkingType;
}

export interface NaiveConditionalOrder {
  readonly algoId: number;
  readonly uid: number;
  readonly symbol: string;
  readonly clientAlgoId: string;
  orderType: AlgoOrderType;
  readonly side: Side;
  readonly positionSide: PositionSide;
  /** 0 for the whole position. */
  quantity: bigint;
  readonly closePosition: boolean;
  readonly reduceOnly: boolean;
  status: AlgoStatus;
  readonly parentOrderId: number;
  actualOrderId: number;
  actualPrice: bigint;
  triggerPrice: bigint;
  price: bigint;
  readonly takeProfit: NaivePreset | null;
  readonly stopLoss: NaivePreset | null;
  readonly tpWorkingType: WorkingType;
  readonly slWorkingType: WorkingType;
  workingType: WorkingType;
  /** Of a trailing stop: distance, price from which it follows (0: at once), extreme. */
  readonly callbackRate: bigint;
  readonly activation: bigint;
  extreme: bigint;
  readonly createdMs: number;
  updatedMs: number;
  triggeredMs: number;
}

export function readContractRules(
  command: CommandOf<"set-contract-market">,
  assets: ReadonlyMap<string, NaiveAsset>,
): NaiveContractRules {
  const base = assets.get(command.baseAsset);
  const quote = assets.get(command.quoteAsset);
  if (base === undefined || quote === undefined) throw new Error("rules name assets");
  return {
    base,
    quote,
    tick: exact(command.tickSize),
    step: exact(command.stepSize),
    pricePrecision: command.pricePrecision,
    quantityPrecision: command.quantityPrecision,
    contractVal: command.contractVal,
    minSize: exact(command.minOrderSize),
    maxSize: exact(command.maxOrderSize),
    maxPosition: exact(command.maxPositionSize),
    marketOpenLimit: exact(command.marketOpenLimitSize),
    minLeverage: command.minLeverage,
    maxLeverage: command.maxLeverage,
    defaultLeverage: command.defaultLeverage,
    buyRatio: exact(command.buyLimitPriceRatio),
    sellRatio: exact(command.sellLimitPriceRatio),
    maker: exact(command.makerFeeRate),
    taker: exact(command.takerFeeRate),
    liquidateFee: exact(command.liquidateFeeRate),
    interest: exact(command.interestRate),
    innerClamp: exact(command.fundingInnerClamp),
    rateCap: exact(command.fundingRateCap),
    buffer: exact(command.fundingBufferRate),
    impactNotional: exact(command.impactNotional),
    intervalMs: command.fundingIntervalMinutes * 60_000,
    staleMs: command.indexStaleMs,
    maxOpenOrders: command.maxOpenOrders,
    insuranceSlippage: exact(command.insuranceSlippage),
    drawLimit: command.insuranceDrawLimit === null ? null : exact(command.insuranceDrawLimit),
    indexStepLimit: exact(command.indexStepLimit),
    tiers: command.tiers.map((tier) => ({
      maxNotional: exact(tier.maxNotional),
      rate: exact(tier.maintenanceMarginRate),
      maxLeverage: tier.maxLeverage,
    })),
  };
}
