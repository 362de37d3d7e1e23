/** Queries about the current state of contracts; numbers in the results are decimal text. */
import type {
  AlgoOrderType,
  AlgoStatus,
  MarginType,
  OrderStatus,
  OrderType,
  PositionSide,
  SeparatedType,
  Side,
  TimeInForce,
  WorkingType,
} from "../domain/index.ts";
import type { ContractSettingsView } from "./command-answers.ts";
import type { ContractCommand } from "./contract-commands.ts";

export type ContractQuery =
  | { readonly type: "contract-markets"; readonly symbol: string | null }
  /** Whether the order would be accepted now; places nothing. */
  | {
      readonly type: "contract-order-test";
      readonly order: Extract<ContractCommand, { readonly type: "place-contract-order" }>;
    }
  | { readonly type: "contract-prices"; readonly symbol: string | null }
  /** What protects the insurance funds, and how often that was needed. */
  | { readonly type: "market-integrity" }
  | { readonly type: "contract-tickers"; readonly symbol: string | null }
  | { readonly type: "contract-book-tickers"; readonly symbol: string | null }
  | { readonly type: "contract-depth"; readonly symbol: string; readonly levels: number }
  | {
      readonly type: "positions-at-risk";
      readonly symbol: string | null;
      readonly limit: number;
    }
  | { readonly type: "contract-balances"; readonly uid: number }
  | { readonly type: "contract-positions"; readonly uid: number; readonly symbol: string | null }
  | { readonly type: "contract-settings"; readonly uid: number; readonly symbol: string | null }
  | { readonly type: "contract-fee-rates"; readonly uid: number; readonly symbol: string }
  | {
      readonly type: "contract-order";
      readonly uid: number;
      readonly orderId: number | null;
      readonly clientOrderId: string | null;
    }
  | { readonly type: "contract-open-orders"; readonly uid: number; readonly symbol: string | null }
  | { readonly type: "algo-open-orders"; readonly uid: number; readonly symbol: string | null };

type ContractMarketTexts = Omit<
  Extract<ContractCommand, { readonly type: "set-contract-market" }>,
  "type" | "actor"
>;

export interface ContractMarketView extends ContractMarketTexts {
  readonly quoteScale: number;
  /** `operator`, `spot:` followed by the spot market's symbol, or `none`. */
  readonly indexSource: string;
  /** Null before the first index. */
  readonly indexAgeMs: number | null;
}

/** Prices are "0" before the first one. */
export interface ContractPricesView {
  readonly symbol: string;
  readonly markPrice: string;
  readonly indexPrice: string;
  /** Time of the index; 0 before the first one. */
  readonly indexMs: number;
  /** True while liquidations wait for a fresh index. */
  readonly isStale: boolean;
  readonly isPinned: boolean;
  readonly lastPrice: string;
  /** Total size of the long positions, which equals that of the short ones. */
  readonly openInterest: string;
  readonly forecastFundingRate: string;
  readonly lastFundingRate: string;
  readonly interestRate: string;
  readonly nextFundingMs: number;
  readonly fundingIntervalMinutes: number;
}

export interface MarketIntegrityView {
  /** One row per margin asset of a listed contract. */
  readonly funds: readonly { readonly asset: string; readonly balance: string }[];
  readonly markets: readonly {
    readonly symbol: string;
    readonly indexSource: "none" | "operator" | "spot";
    /** Null before the first index. */
    readonly indexAgeMs: number | null;
    /** True while liquidations wait for a fresh index. */
    readonly isStale: boolean;
    /** Used share of what the market may draw from the fund in this hour; null without a limit. */
    readonly drawsUsed: number | null;
    /** The counters start at zero when the process starts. */
    readonly liquidations: number;
    readonly deleveragings: number;
    readonly refusedFills: number;
    readonly refusedOrders: number;
    readonly insurancePaid: string;
  }[];
}

/** One row per margin asset of a listed market, even without funds. */
export interface ContractBalanceView {
  readonly asset: string;
  /** The wallet: available + order margin + position margin, without unrealised profit. */
  readonly balance: string;
  /** Available to new orders: excludes margin and unrealised losses of cross positions. */
  readonly availableBalance: string;
  readonly frozen: string;
  readonly unrealizePnl: string;
  /** The three ledger accounts; `available` may be negative while cross profit covers it. */
  readonly available: string;
  readonly orderMargin: string;
  readonly positionMargin: string;
}

/** Names are those of the API. Sequences are those of commands; times are in milliseconds. */
export interface PositionView {
  readonly id: number;
  readonly asset: string;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly marginType: MarginType;
  readonly separatedMode: SeparatedType;
  /** 0 unless separated. */
  readonly separatedOpenOrderId: number;
  readonly leverage: string;
  readonly size: string;
  readonly openValue: string;
  readonly openFee: string;
  /** Positive when paid. */
  readonly fundingFee: string;
  readonly marginSize: string;
  /** "0" for a cross position. */
  readonly isolatedMargin: string;
  readonly isAutoAppendIsolatedMargin: boolean;
  readonly cumOpenSize: string;
  readonly cumOpenValue: string;
  readonly cumOpenFee: string;
  readonly cumCloseSize: string;
  readonly cumCloseValue: string;
  readonly cumCloseFee: string;
  readonly cumFundingFee: string;
  readonly cumLiquidateFee: string;
  readonly createdMatchSequenceId: number;
  readonly updatedMatchSequenceId: number;
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly unrealizePnl: string;
  /** "0" means none. */
  readonly liquidatePrice: string;
}

/** Any user's open position, with the distance from the mark to its liquidation price. */
export interface PositionAtRiskView {
  readonly id: number;
  readonly uid: number;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly marginType: MarginType;
  readonly leverage: number;
  readonly size: string;
  readonly marginAsset: string;
  /** At the mark price, in the margin asset. */
  readonly value: string;
  readonly unrealizePnl: string;
  readonly markPrice: string;
  /** "0" means none. */
  readonly liquidatePrice: string;
  /** Fraction of the mark: "0.05" is five percent; null without a mark or a liquidation price. */
  readonly distance: string | null;
}

/** The user's own rates if set, otherwise those of the market. */
export interface ContractFeeRatesView {
  readonly symbol: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
}

/** A resting order; `status` is NEW even when it is partly filled. */
export interface ContractOrderView {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly uid: number;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly status: OrderStatus;
  readonly price: string;
  readonly quantity: string;
  readonly filledQuantity: string;
  readonly filledValue: string;
  /** 8 decimals, rounded half up; "0" without a fill. */
  readonly avgPrice: string;
  readonly reduceOnly: boolean;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** A conditional order, open or ended. */
export interface AlgoOrderView {
  readonly algoId: number;
  readonly clientAlgoId: string;
  readonly orderType: AlgoOrderType;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly timeInForce: TimeInForce;
  /** "0" for the whole position. */
  readonly quantity: string;
  readonly status: AlgoStatus;
  /** The order that it placed; null if none. */
  readonly actualOrderId: number | null;
  /** Average price of that order once it has ended, otherwise "0". */
  readonly actualPrice: string;
  /** For a trailing stop, the level derived from its extreme price; "0" before activation. */
  readonly triggerPrice: string;
  /** "0" when the child is a market order. */
  readonly price: string;
  /** Null without a preset take-profit; `tpPrice` "0" means the market price. */
  readonly tpTriggerPrice: string | null;
  readonly tpPrice: string | null;
  readonly slTriggerPrice: string | null;
  readonly slPrice: string | null;
  readonly tpOrderType: WorkingType | null;
  readonly workingType: WorkingType;
  readonly closePosition: boolean;
  readonly reduceOnly: boolean;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** 0 until triggered. */
  readonly triggeredMs: number;
}

/**
 * Returns a list of all when the query's symbol is null; an unknown symbol is refused with
 * `unknown-symbol`. Orders, conditional orders and positions are in ascending order of id.
 */
export interface ContractQueryAnswers {
  /** The result if the order would be accepted. */
  "contract-order-test": Readonly<Record<never, never>>;
  "contract-markets": readonly ContractMarketView[];
  "contract-prices": readonly ContractPricesView[];
  "market-integrity": MarketIntegrityView;
  "contract-balances": readonly ContractBalanceView[];
  "contract-positions": readonly PositionView[];
  /** Nearest first, at most `limit`; positions that no price liquidates come last. */
  "positions-at-risk": readonly PositionAtRiskView[];
  "contract-settings": readonly ContractSettingsView[];
  "contract-fee-rates": ContractFeeRatesView;
  "contract-order": ContractOrderView;
  "contract-open-orders": readonly ContractOrderView[];
  /** Those with status NEW or UNTRIGGERED. */
  "algo-open-orders": readonly AlgoOrderView[];
}
