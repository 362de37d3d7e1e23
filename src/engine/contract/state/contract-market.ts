/**
 * A perpetual contract with its rules, book, prices and funding, and who has what on it: accounts
 * per margin asset, settings per symbol, positions and conditional orders. All prices are whole
 * ticks of the contract, index and mark included. Money is in the ledger only.
 */
import type {
  AlgoOrderType,
  AlgoStatus,
  Grid,
  MarginType,
  MarketState,
  SeparatedType,
  Side,
  WorkingType,
} from "../../../domain/index.ts";
import type { Asset, User } from "../../accounts/user.ts";
import type { AccountNumber } from "../../ledger/ledger.ts";
import type { RollingTicker } from "../../market-data/rolling-ticker.ts";
import type { OrderBook } from "../../matching/order-book.ts";
import { NONE } from "../../matching/slot.ts";

/** Up to a notional: the maintenance margin rate and the highest leverage. */
export interface RiskTier {
  readonly maxNotionalMinor: bigint;
  readonly maintenanceMarginRateE8: number;
  readonly maxLeverage: number;
}

/** The rules of a market, parsed. The margin asset is the quote asset. */
export interface ContractMarketRules {
  readonly baseAsset: Asset;
  readonly quoteAsset: Asset;
  readonly marginAsset: Asset;
  readonly tick: Grid;
  readonly step: Grid;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  /** Published, and no part of any calculation: quantities are in the base asset. */
  readonly contractVal: string;
  readonly minLots: number;
  readonly maxLots: number;
  readonly maxPositionLots: number;
  readonly marketOpenLimitLots: number;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  readonly defaultLeverage: number;
  readonly buyLimitPriceRatioE8: number;
  readonly sellLimitPriceRatioE8: number;
  readonly makerFeeRateE8: number;
  readonly takerFeeRateE8: number;
  readonly liquidateFeeRateE8: number;
  /** The only rate that may be negative. */
  readonly interestRateE8: number;
  readonly fundingInnerClampE8: number;
  readonly fundingRateCapE8: number;
  readonly fundingBufferRateE8: number;
  readonly impactNotionalMinor: bigint;
  readonly fundingIntervalMs: number;
  readonly indexStaleMs: number;
  readonly maxOpenOrders: number;
  /** How far beyond bankruptcy price and mark the insurance fund pays. */
  readonly insuranceSlippageE8: number;
  /** Which share of the insurance fund an hour may cost; null for no limit. */
  readonly insuranceDrawLimitE8: number | null;
  /** How far from the last index an operator's price may be. */
  readonly indexStepLimitE8: number;
  /** By ascending notional; a notional above the last belongs to the last. */
  readonly tiers: readonly RiskTier[];
  readonly baseMinorPerLot: bigint;
  /** Minor units of the margin asset for one lot at one tick: every trade value is whole. */
  readonly minorPerTickLot: bigint;
  /** How far the mark may be from the index, as a fraction of it: see `markBoundE8`. */
  readonly markBoundE8: number;
}

/** A price at a whole second, in half ticks: the middle of two ticks is one of them. */
export interface PriceSample {
  readonly atMs: number;
  readonly halfTicks: number;
}

export type IndexSource = "none" | "operator" | "spot";

export interface IndexPrice {
  source: IndexSource;
  /** 0 before the first one. */
  ticks: number;
  atMs: number;
  /** Grows with every price that was set. */
  revision: number;
  /** Prices of the spot market of the same pair, newest last: see `sampling`. */
  readonly spotSamples: PriceSample[];
  /**
   * Version of the spot book that gives no samples, because it may be as old as the last run of the
   * exchange; -1 for none.
   */
  spotBlockedVersion: number;
}

export interface MarkPrice {
  /** 0 before the first index. */
  ticks: number;
  /** 0 when not pinned. */
  pinnedTicks: number;
  /** Bid + ask - 2 × index, signed; newest last, at most 30. */
  readonly samples: PriceSample[];
  /** Liquidations wait until then, because a stop left no samples; 0 for no wait. */
  riskFromMs: number;
}

export interface FundingState {
  nextSlotMs: number;
  /** A slot that waits for the first fresh mark; 0 for none. */
  pendingSlotMs: number;
  /** Of the samples since the last slot, over 10^12. */
  premiumSumE12: bigint;
  premiumSamples: number;
  lastPremiumE12: bigint;
  /** The last full minute that is accounted for. */
  premiumAtMs: number;
  lastRateE8: number;
  lastSlotMs: number;
  /** Of the next funding in a sandbox; null for the one that the samples give. */
  givenRateE8: number | null;
}

/** What the last sampling saw: while it is the same, so are the samples. */
export interface SamplerState {
  /** The last whole second that is accounted for. */
  sampledMs: number;
  /** -1 when the next second has to be sampled whatever the book is. */
  bookVersion: number;
  indexRevision: number;
  /** -1 while the spot market does not trade. */
  spotBookVersion: number;
  premiumBookVersion: number;
  premiumIndexTicks: number;
}

/** What the insurance fund paid for liquidations of a market, in the hour of the last payment. */
export interface InsuranceDraws {
  /** 0 before the first payment. */
  hourEndMs: number;
  /** The fund before the first payment of the hour. */
  baseMinor: bigint;
  drawnMinor: bigint;
}

/** Between which prices orders are taken, by a mark and rules that may have changed since. */
export interface BandByMark {
  readonly buyMaxTicks: number;
  readonly sellMinTicks: number;
  readonly markTicks: number;
  readonly rules: ContractMarketRules;
}

/**
 * Counters since the process started, for monitoring. Not part of the state: no snapshot has them
 * and nothing depends on them.
 */
export interface MarketTallies {
  /** Closings of positions in liquidation of which at least a part was done. */
  liquidations: number;
  /** Positions that gave up size to a liquidation. */
  deleveragings: number;
  /** Orders that ended because their fill would have made something due, or a debt. */
  refusedFills: number;
  /** Orders that were not taken because filled they would have made something due. */
  refusedOrders: number;
  /** What the insurance fund paid. */
  insurancePaidMinor: bigint;
}

export interface ContractMarket {
  /** Place in the list of markets. */
  readonly index: number;
  readonly symbol: string;
  rules: ContractMarketRules;
  state: MarketState;
  readonly book: OrderBook;
  /** Changes of the book before this process filled it: see `contractBookVersion`. */
  bookVersionBase: number;
  /** In ticks. */
  ticker: RollingTicker;
  /** Price of the last trade in the book; 0 before the first. */
  lastTicks: number;
  readonly indexPrice: IndexPrice;
  readonly mark: MarkPrice;
  /** Derived: see `contractPriceBand`; null before the first order. */
  band: BandByMark | null;
  readonly funding: FundingState;
  readonly sampler: SamplerState;
  readonly insuranceDraws: InsuranceDraws;
  readonly tallies: MarketTallies;
  /** Sum of the sizes of all positions, long and short: always equal. */
  readonly openLots: [long: bigint, short: bigint];
  readonly openValueMinor: [long: bigint, short: bigint];
  /** In the order of their ids. */
  readonly positions: Set<Position>;
}

/** Grows with every change of the book, over restarts too. */
export function contractBookVersion(market: ContractMarket): number {
  return market.bookVersionBase + market.book.version;
}

/** Index into `POSITION_SIDES`. */
export const LONG = 0;
export const SHORT = 1;
export type PositionSideIndex = typeof LONG | typeof SHORT;

/** A user's account of one margin asset, opened by the first contract action or contract funds. */
export class MarginAccount {
  readonly user: User;
  readonly assetIndex: number;
  /** First of the user's ledger accounts in the asset. */
  readonly base: AccountNumber;
  /** By the market's index. */
  readonly symbols = new Map<number, SymbolAccount>();
  /** By position id. */
  readonly crossPositions: Position[] = [];
  /** Running sum of the margins of isolated positions. */
  isolatedMarginMinor = 0n;
  /** Handle in the risk index. */
  crossSlot = NONE;
  /** See `ContractState.liquidityRevision`; 0 when the account's liquidation waits for nothing. */
  heldAtRevision = 0;
  /** Is in `ContractState.dirtyAccounts`. */
  isDirty = false;
  /** Has to be looked at by the risk index. */
  isSuspect = false;

  constructor(user: User, assetIndex: number, base: AccountNumber) {
    this.user = user;
    this.assetIndex = assetIndex;
    this.base = base;
  }
}

/** A user's settings, positions and counts in one market. */
export class SymbolAccount {
  readonly account: MarginAccount;
  readonly market: ContractMarket;
  marginType: MarginType = "CROSSED";
  separatedType: SeparatedType = "COMBINED";
  crossLeverage: number;
  readonly isolatedLeverage: [long: number, short: number];
  /** By position id; at most one of a side when COMBINED. */
  readonly positions: [long: Position[], short: Position[]] = [[], []];
  /** Sum of the sizes of a side. */
  readonly sideLots: [long: number, short: number] = [0, 0];
  /** Open quantity of resting orders that open, and that close, a side. */
  readonly restingOpenLots: [long: number, short: number] = [0, 0];
  readonly restingCloseLots: [long: number, short: number] = [0, 0];
  openOrders = 0;
  /** Conditional orders that wait: NEW and UNTRIGGERED. */
  conditionalOrders = 0;
  /** Handles in the risk index of the isolated positions of a side. */
  readonly riskSlots: [long: number, short: number] = [NONE, NONE];

  constructor(account: MarginAccount, market: ContractMarket) {
    this.account = account;
    this.market = market;
    const { defaultLeverage } = market.rules;
    this.crossLeverage = defaultLeverage;
    this.isolatedLeverage = [defaultLeverage, defaultLeverage];
  }

  /** The leverage of orders and positions of a side as set now. */
  leverage(side: PositionSideIndex): number {
    return this.marginType === "CROSSED" ? this.crossLeverage : this.isolatedLeverage[side];
  }
}

/** The initial fields of a position. */
export interface NewPosition {
  readonly positionId: number;
  readonly owner: SymbolAccount;
  readonly side: PositionSideIndex;
  readonly marginType: MarginType;
  /** The order that opened it when SEPARATED; 0 when COMBINED. */
  readonly separatedOpenOrderId: number;
  readonly sequence: number;
  readonly nowMs: number;
}

export class Position {
  readonly positionId: number;
  readonly owner: SymbolAccount;
  readonly side: PositionSideIndex;
  readonly marginType: MarginType;
  readonly separatedOpenOrderId: number;
  sizeLots = 0;
  openValueMinor = 0n;
  openFeeMinor = 0n;
  /** Positive is paid by the holder. */
  fundingFeeMinor = 0n;
  /** Locked margin of an isolated position; 0 for a cross one. */
  marginMinor = 0n;
  /** See `ContractState.liquidityRevision`; 0 when its liquidation waits for nothing. */
  heldAtRevision = 0;
  autoAppend = false;
  cumOpenLots = 0n;
  cumOpenValueMinor = 0n;
  cumOpenFeeMinor = 0n;
  cumCloseLots = 0n;
  cumCloseValueMinor = 0n;
  cumCloseFeeMinor = 0n;
  /** Fees of its liquidation fills, and the slippage that the insurance fund paid in them. */
  insuredMinor = 0n;
  cumFundingFeeMinor = 0n;
  cumLiquidateFeeMinor = 0n;
  readonly createdSequence: number;
  updatedSequence: number;
  readonly createdMs: number;
  updatedMs: number;
  /** Handle in the risk index; isolated positions only. */
  riskSlot = NONE;
  #isSuspect = false;

  constructor(terms: NewPosition) {
    this.positionId = terms.positionId;
    this.owner = terms.owner;
    this.side = terms.side;
    this.marginType = terms.marginType;
    this.separatedOpenOrderId = terms.separatedOpenOrderId;
    this.createdSequence = terms.sequence;
    this.updatedSequence = terms.sequence;
    this.createdMs = terms.nowMs;
    this.updatedMs = terms.nowMs;
  }

  /** Has to be looked at by the risk index: no figure of the position. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  set isSuspect(isSuspect: boolean) {
    this.#isSuspect = isSuspect;
  }

  /** Its leverage is the current setting and follows every change of it. */
  get leverage(): number {
    const { owner, side } = this;
    return this.marginType === "CROSSED" ? owner.crossLeverage : owner.isolatedLeverage[side];
  }
}

/** A take-profit or stop-loss to attach to the order that a conditional order places. */
export interface PresetTrigger {
  readonly ticks: number;
  readonly workingType: WorkingType;
}

/** A conditional order: it waits outside the book until its price is reached. */
export interface ConditionalOrder {
  readonly algoId: number;
  readonly owner: SymbolAccount;
  readonly clientAlgoId: string;
  /** Entry in the index of client ids; `NONE` for attached rows. */
  readonly clientEntry: number;
  orderType: AlgoOrderType;
  readonly side: Side;
  readonly positionSide: PositionSideIndex;
  /** 0 for the whole position. */
  quantityLots: number;
  readonly closePosition: boolean;
  readonly reduceOnly: boolean;
  status: AlgoStatus;
  /** The order that it is attached to; 0 for none. */
  readonly parentOrderId: number;
  /** The order that it placed; 0 before. */
  actualOrderId: number;
  /** 0 for a trailing one. */
  triggerTicks: number;
  /** 0 for a market order. */
  priceTicks: number;
  workingType: WorkingType;
  readonly takeProfit: PresetTrigger | null;
  readonly stopLoss: PresetTrigger | null;
  /** Trailing ones only, else 0. */
  readonly callbackRateE8: number;
  readonly activationTicks: number;
  /** Best price since activation; 0 when not active. */
  extremeTicks: number;
  readonly createdMs: number;
  updatedMs: number;
  triggeredMs: number;
  /** Handle in the index of conditional orders. */
  heapItem: number;
}
