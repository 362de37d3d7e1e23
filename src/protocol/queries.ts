/**
 * Queries about the current state, answered by the engine's read-only view. Answers are plain data
 * with decimal text, so callers need not know ticks, lots or scales.
 */
import type {
  ApprovalAction,
  OperatorRole,
  OrderStatus,
  OrderType,
  Permission,
  Product,
  ProposalState,
  SelfTradePrevention,
  Side,
  TimeInForce,
  UserState,
} from "../domain/index.ts";
import type { AffiliateQuery, AffiliateQueryAnswers } from "./affiliate-queries.ts";
import type { DeadManSwitchView } from "./command-answers.ts";
import type { CommandOf, ProposedCommand, SpotMarketTexts } from "./commands.ts";
import type { ContractQuery, ContractQueryAnswers } from "./contract-queries.ts";
import type { CustodyReport } from "./custody-records.ts";
import type { WebhookView } from "./webhook-records.ts";
import type { WithdrawalQuery, WithdrawalQueryAnswers } from "./withdrawal-queries.ts";

export type EngineQuery =
  | AffiliateQuery
  | ContractQuery
  | WithdrawalQuery
  | { readonly type: "assets" }
  | { readonly type: "spot-markets"; readonly symbol: string | null }
  | { readonly type: "spot-balances"; readonly uid: number }
  | {
      readonly type: "spot-order";
      readonly uid: number;
      readonly symbol: string | null;
      readonly orderId: number | null;
      readonly clientOrderId: string | null;
    }
  /** Of the order that the command before this query placed, in the same request. */
  | {
      readonly type: "spot-execution";
      readonly uid: number;
      readonly symbol: string;
      readonly clientOrderId: string;
    }
  /** Whether the order would be accepted now; places nothing. */
  | { readonly type: "spot-order-test"; readonly order: CommandOf<"place-spot-order"> }
  /** By asset, then network. */
  | { readonly type: "deposit-rules" }
  | { readonly type: "dead-man-switches"; readonly uid: number; readonly product: Product }
  | { readonly type: "spot-open-orders"; readonly uid: number; readonly symbol: string | null }
  /** Of all users; by a client order id, so many users are looked at. */
  | {
      readonly type: "find-open-orders";
      readonly orderId: number | null;
      readonly clientOrderId: string | null;
      /** Of the user to begin with, in the order of registration; from 0. */
      readonly fromUser: number;
    }
  | { readonly type: "spot-tickers"; readonly symbol: string | null }
  | {
      readonly type: "spot-depth";
      readonly symbol: string;
      readonly levels: number;
      /** Only what orders of this user have. */
      readonly uid?: number;
    }
  /** Every resting order of a book with at most so many. */
  | { readonly type: "spot-book"; readonly symbol: string; readonly ordersMax: number }
  | { readonly type: "contract-book"; readonly symbol: string; readonly ordersMax: number }
  | { readonly type: "spot-book-tickers"; readonly symbol: string | null }
  | { readonly type: "user"; readonly uid: number }
  | { readonly type: "users"; readonly afterUid: number; readonly limit: number }
  | { readonly type: "api-key"; readonly apiKey: string }
  | {
      readonly type: "api-keys";
      /** Only keys of this user. */
      readonly uid?: number;
      readonly after: string;
      readonly limit: number;
    }
  | { readonly type: "approval-rules" }
  /** Whether the command has to be proposed now. */
  | { readonly type: "needs-approval"; readonly command: ProposedCommand }
  | { readonly type: "proposals" }
  /** A null name means all of them. */
  | { readonly type: "operators"; readonly name: string | null }
  | { readonly type: "webhooks" }
  | { readonly type: "custody" }
  | {
      readonly type: "funds-movement";
      readonly command: FundsCommandType;
      /** 0 for the insurance fund. */
      readonly uid: number;
      readonly requestId: string;
    }
  | { readonly type: "insurance"; readonly asset: string }
  | { readonly type: "invariants" }
  | { readonly type: "status" };

/** Commands that move money; the exchange remembers each by its request id. */
export const FUNDS_COMMANDS = [
  "deposit-funds",
  "withdraw-funds",
  "transfer-funds",
  "deposit-insurance",
  "withdraw-insurance",
  "transfer-own-funds",
  "withdraw-internally",
] as const;
export type FundsCommandType = (typeof FUNDS_COMMANDS)[number];

export interface AssetView {
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
}

export interface SpotMarketView extends SpotMarketTexts {
  readonly baseScale: number;
  readonly quoteScale: number;
}

/** Every listed asset, in order of coin id; `equity` is available + frozen. */
export interface SpotBalanceView {
  readonly asset: string;
  readonly coinId: number;
  readonly available: string;
  readonly frozen: string;
  readonly equity: string;
}

/** One match of an order that was placed. */
export interface SpotFillView {
  readonly tradeId: number;
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly feeAsset: string;
}

/** What an order asks for, and how far it is. */
export interface SpotOrderProgress {
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  /** NEW while it rests, even when it is partly filled. */
  readonly status: OrderStatus;
  readonly price: string;
  readonly quantity: string;
  readonly filledQuantity: string;
  readonly filledQuote: string;
}

/** A new order after its placement. */
export interface SpotExecutionView extends SpotOrderProgress {
  /** In order, the first thousand. */
  readonly fills: readonly SpotFillView[];
}

/** A resting order. */
export interface SpotOrderView extends SpotOrderProgress {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly uid: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface FoundOpenOrder {
  readonly product: Product;
  readonly uid: number;
  /** Of a conditional order, its algo id. */
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly isConditional: boolean;
}

/** The rolling 24 hours up to the answer; prices are "0" before the first trade. */
export interface SpotTickerView {
  readonly symbol: string;
  readonly priceChange: string;
  /** A fraction: "0.01" is one percent. */
  readonly priceChangePercent: string;
  readonly trades: number;
  readonly baseVolume: string;
  readonly quoteVolume: string;
  readonly high: string;
  readonly low: string;
  readonly open: string;
  readonly close: string;
  /** 0 when nothing was traded in the window. */
  readonly highMs: number;
  readonly lowMs: number;
  readonly windowStartMs: number;
  readonly windowEndMs: number;
  readonly lastPrice: string;
  readonly bidPrice: string;
  readonly bidQuantity: string;
  readonly askPrice: string;
  readonly askQuantity: string;
}

/** Best price first; quantities are totals per level. */
export interface SpotDepthView {
  readonly symbol: string;
  /** Increases with every change of this book. */
  readonly version: number;
  readonly bids: readonly (readonly [price: string, quantity: string])[];
  readonly asks: readonly (readonly [price: string, quantity: string])[];
}

/** A resting order: its id, its price in ticks and its open quantity in lots. */
export type BookOrderRow = readonly [orderId: number, priceTicks: number, openLots: number];

/** The orders of a book in price-time priority; null when there are too many. */
export interface BookOrdersView {
  readonly version: number;
  readonly orderCount: number;
  readonly orders: {
    readonly bids: readonly BookOrderRow[];
    readonly asks: readonly BookOrderRow[];
  } | null;
}

/** Prices and quantities are "0" on an empty side. */
export interface SpotBookTickerView {
  readonly symbol: string;
  readonly bidPrice: string;
  readonly bidQuantity: string;
  readonly askPrice: string;
  readonly askQuantity: string;
  /** Price of the last trade; "0" before the first. */
  readonly lastPrice: string;
}

/** Prices are "0" before the first one. */
export interface ContractTickerView extends SpotTickerView {
  readonly markPrice: string;
  readonly indexPrice: string;
}

export interface FeeRatesView {
  readonly product: Product;
  readonly symbol: string | null;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
}

export interface UserView {
  readonly uid: number;
  readonly inviteCode: string;
  readonly inviterUid: number | null;
  readonly kyc: boolean;
  readonly state: UserState;
  /** Trades for the venue: its fills earn no commissions. */
  readonly house: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly registeredMs: number;
  readonly feeRates: readonly FeeRatesView[];
}

export interface ApiKeyView {
  readonly apiKey: string;
  readonly uid: number;
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly ipAllowList: readonly string[];
  readonly expiresAtMs: number | null;
}

export interface FundsMovementView {
  readonly requestId: string;
  readonly uid: number;
  readonly asset: string;
  readonly amount: string;
  /** As in the first answer. */
  readonly balance: string;
  readonly from: string;
  readonly to: string;
  readonly timestampMs: number;
}

export interface OperatorView {
  readonly name: string;
  readonly role: OperatorRole;
  /** SHA-256 of the token as lower-case hex. */
  readonly tokenHash: string;
  readonly expiresAtMs: number | null;
  readonly addedMs: number;
  readonly removedMs: number | null;
}

/** Totals per asset by ledger account, as decimal text; they sum to "0" when `ok`. */
export interface InvariantsView {
  readonly ok: boolean;
  readonly stateHash: string;
  readonly violations: readonly string[];
  readonly totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface StatusView {
  readonly rulesVersion: number;
  readonly clockOffsetMs: number;
  /** Null while exchange time follows the wall clock. */
  readonly clockSpeedE3: number | null;
  readonly users: number;
  readonly apiKeys: number;
  readonly spotMarkets: number;
  readonly openOrders: number;
  readonly rememberedClientOrderIds: number;
  readonly contractMarkets: number;
  readonly positions: number;
  readonly contractOpenOrders: number;
  /** Conditional orders that have not ended. */
  readonly algoOrders: number;
  /** A cascade of triggers and liquidations is still in progress. */
  readonly unfinishedRisk: boolean;
}

/**
 * Returns a list of all when the query's symbol is null; an unknown symbol is refused with
 * `unknown-symbol`.
 */
/** What one operator may do alone. */
export interface ApprovalRuleView {
  readonly action: ApprovalAction;
  /** Null for an action without amounts. */
  readonly asset: string | null;
  readonly above: string;
}

export interface ProposalView {
  readonly proposalId: number;
  readonly action: ApprovalAction;
  /** As a sentence. */
  readonly what: string;
  readonly state: ProposalState | "expired";
  /** Whose token it was; `actor` is the name in the audit log. */
  readonly proposer: string;
  readonly actor: string;
  readonly proposedMs: number;
  readonly expiresMs: number;
  /** "" while it waits, like the note. */
  readonly decider: string;
  readonly note: string;
  readonly decidedMs: number | null;
}

/** How many confirmations a deposit needs. */
export interface DepositRulesView {
  readonly asset: string;
  readonly network: string;
  readonly confirmations: number;
}

export interface QueryAnswers
  extends AffiliateQueryAnswers,
    ContractQueryAnswers,
    WithdrawalQueryAnswers {
  assets: readonly AssetView[];
  "spot-markets": readonly SpotMarketView[];
  "spot-balances": readonly SpotBalanceView[];
  "spot-order": SpotOrderView;
  /** `order-not-found` when the last command did not place it: it was a repetition. */
  "spot-execution": SpotExecutionView;
  /** The result if the order would be accepted. */
  "spot-order-test": Readonly<Record<never, never>>;
  /** Only active ones: the one for every market first, then by symbol. */
  "deposit-rules": readonly DepositRulesView[];
  "dead-man-switches": readonly DeadManSwitchView[];
  "spot-open-orders": readonly SpotOrderView[];
  /** `nextUser` is where a search goes on; null when all users were looked at. */
  "find-open-orders": {
    readonly orders: readonly FoundOpenOrder[];
    readonly nextUser: number | null;
  };
  "spot-tickers": readonly SpotTickerView[];
  "spot-depth": SpotDepthView;
  "spot-book": BookOrdersView;
  "contract-book": BookOrdersView;
  "spot-book-tickers": readonly SpotBookTickerView[];
  "contract-tickers": readonly ContractTickerView[];
  "contract-depth": SpotDepthView;
  "contract-book-tickers": readonly SpotBookTickerView[];
  user: UserView;
  users: readonly UserView[];
  "api-key": ApiKeyView;
  "api-keys": readonly ApiKeyView[];
  /** By name, removed ones included. */
  operators: readonly OperatorView[];
  /** By action, then asset. */
  "approval-rules": readonly ApprovalRuleView[];
  "needs-approval": { readonly isNeeded: boolean };
  /** Those that wait and those lately decided, newest first. */
  proposals: readonly ProposalView[];
  /** In the order in which they were added. */
  webhooks: readonly WebhookView[];
  /** Null before the first report. */
  custody: { readonly report: CustodyReport | null };
  "funds-movement": FundsMovementView;
  insurance: { readonly asset: string; readonly balance: string };
  invariants: InvariantsView;
  status: StatusView;
}

export type EngineQueryType = EngineQuery["type"];
