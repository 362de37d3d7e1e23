/**
 * The whole state of the exchange. Only `engine.apply` changes it, and the same commands give the
 * same state on any machine.
 */
import { type Grid, invariant, type MarketState, type Permission } from "../domain/index.ts";
import type { CustodyReport, Event, FundsCommandType, WebhookView } from "../protocol/index.ts";
import { KeptMovements } from "./accounts/kept-movements.ts";
import { type Asset, accountsOf, type User } from "./accounts/user.ts";
import { AffiliateState } from "./affiliate/affiliate-state.ts";
import { Approvals } from "./approvals/approval-state.ts";
import { ContractState } from "./contract/contract-state.ts";
import { DeadManSwitches } from "./dead-man-switch/dead-man-switches.ts";
import { Deposits } from "./deposits/deposit-state.ts";
import { DoneRequests } from "./done-requests/done-requests.ts";
import { type AccountNumber, Ledger } from "./ledger/ledger.ts";
import type { RollingTicker } from "./market-data/rolling-ticker.ts";
import { ClientOrderIndex } from "./matching/client-order-index.ts";
import type { HashKey } from "./matching/client-order-key.ts";
import type { OrderBook } from "./matching/order-book.ts";
import { OrderPool } from "./matching/order-pool.ts";
import type { Operator } from "./operators/operators.ts";
import { Withdrawals } from "./withdrawals/withdrawal-state.ts";

export { type Asset, type FeeRates, feeRatesKey, type User } from "./accounts/user.ts";

export interface SpotMarketRules {
  readonly baseAsset: Asset;
  readonly quoteAsset: Asset;
  readonly tick: Grid;
  readonly step: Grid;
  readonly minLots: number;
  readonly maxLots: number;
  readonly minNotionalMinor: bigint;
  readonly makerFeeRateE8: number;
  readonly takerFeeRateE8: number;
  readonly buyLimitPriceRatioE8: number;
  readonly sellLimitPriceRatioE8: number;
  readonly maxOpenOrders: number;
  readonly baseMinorPerLot: bigint;
  /**
   * Quote minor units of one lot at one tick: the notional is ticks × lots × this, always whole.
   */
  readonly quoteMinorPerTickLot: bigint;
}

/** The highest tick at which a buy, and the lowest at which a sell, is accepted (inclusive). */
export interface PriceBand {
  readonly buyMaxTicks: number;
  readonly sellMinTicks: number;
}

export interface SpotMarket {
  readonly index: number;
  readonly symbol: string;
  rules: SpotMarketRules;
  state: MarketState;
  readonly book: OrderBook;
  ticker: RollingTicker;
  /**
   * Prices that survive a change of the tick size (last price, ticker) are in units of
   * 10^-priceScale, the finest that the market ever had.
   */
  priceScale: number;
  /** Price units of one tick. */
  priceUnitsPerTick: number;
  /** 0 before the first trade. */
  lastPriceUnits: number;
  /** Derived from the last price: see `priceBandTicks`. */
  band: PriceBand | null;
  /** Changes of the book before this process filled it: see `spotBookVersion`. */
  bookVersionBase: number;
}

export interface ApiKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly ipAllowList: readonly string[];
  readonly expiresAtMs: number | null;
}

/** A movement of funds with its answer: a repetition gets the same answer. */
export interface FundsMovement {
  readonly command: FundsCommandType;
  readonly uid: number;
  readonly requestId: string;
  readonly asset: string;
  readonly amountMinor: bigint;
  readonly from: string;
  readonly to: string;
  readonly balanceMinor: bigint;
  readonly timestampMs: number;
  /** Only for an internal withdrawal, otherwise null. */
  readonly withdrawalId: number | null;
}

/** Recently answered movements; the oldest are forgotten first. */
export const FUNDS_MOVEMENTS_MAX = 1_000_000;
const FIRST_UID = 100_001;

export class State {
  rulesVersion = 0;
  /** How far the operator has advanced exchange time. */
  clockOffsetMs = 0;
  /**
   * Thousandths of the speed of the wall clock; null while exchange time follows the wall clock.
   */
  clockSpeedE3: number | null = null;
  /** Time of the last command that changed something. */
  timestampMs = 0;
  /** Where the last command that moved exchange time put it; 0 without one. */
  clockMs = 0;
  nextOrderId = 1;
  nextTradeId = 1;
  nextUid = FIRST_UID;
  readonly ledger = new Ledger();
  readonly assets: Asset[] = [];
  readonly assetsByName = new Map<string, Asset>();
  readonly users = new Map<number, User>();
  readonly usersByInviteCode = new Map<string, User>();
  readonly spotMarkets: SpotMarket[] = [];
  readonly spotMarketsBySymbol = new Map<string, SpotMarket>();
  readonly orders = new OrderPool();
  readonly clientOrders: ClientOrderIndex;
  readonly apiKeys = new Map<string, ApiKey>();
  readonly apiKeyCounts = new Map<number, number>();
  readonly operators = new Map<string, Operator>();
  readonly approvals = new Approvals();
  /** In the order in which they were added. */
  readonly webhooks = new Map<string, WebhookView>();
  custodyReport: CustodyReport | null = null;
  /**
   * Users' movements; until rules version 3 also the operator's. See `accounts/movement-memory.ts`.
   */
  readonly fundsMovements = new Map<string, FundsMovement>();
  readonly keptMovements: KeptMovements;
  readonly contract: ContractState;
  readonly affiliates = new AffiliateState();
  readonly deadManSwitches = new DeadManSwitches();
  readonly doneRequests = new DoneRequests();
  readonly withdrawals = new Withdrawals();
  readonly deposits = new Deposits();

  constructor(hashKey: HashKey) {
    this.clientOrders = new ClientOrderIndex(hashKey);
    this.keptMovements = new KeptMovements(hashKey);
    this.contract = new ContractState(hashKey);
  }
}

/** The context of a check, which reads only and emits no events. */
export interface ReadContext {
  readonly state: State;
  /** Time of the command, or of the timer that fires within it. */
  readonly nowMs: number;
}

/** The context of a command handler: the state, the time of the command, and its events. */
export interface Context extends ReadContext {
  /** Number of the command if it changes the state. */
  readonly sequence: number;
  /** Triggers, liquidations and timers that the command may still handle. */
  stepsLeft: number;
  /** A command that changes the state emits an event, and no other command does. */
  emit(event: Event): void;
}

/** The context of timers: each fires at its own due time, not at the time of the command. */
export interface TimedContext extends Context {
  nowMs: number;
}

/** Grows with every change of the book, and survives restarts. */
export function spotBookVersion(market: SpotMarket): number {
  return market.bookVersionBase + market.book.version;
}

/**
 * The ledger account of a user; opens the user's accounts in the asset on first use.
 */
export function userAccount(
  state: State,
  user: User,
  assetIndex: number,
  kind: number,
): AccountNumber {
  return accountsOf(state.ledger, user, assetIndex) + kind;
}

/** Balance of a user's account, without opening it. */
export function userBalance(state: State, user: User, assetIndex: number, kind: number): bigint {
  const base = user.accountBases[assetIndex];
  return base === undefined || base === -1 ? 0n : state.ledger.balance(base + kind);
}

export function fundsMovementKey(
  command: FundsCommandType,
  uid: number,
  requestId: string,
): string {
  return `${command}|${uid}|${requestId}`;
}

export function userOfOrder(state: State, slot: number): User {
  const user = state.users.get(state.orders.uid(slot));
  invariant(user !== undefined, "every open order has an owner");
  return user;
}
