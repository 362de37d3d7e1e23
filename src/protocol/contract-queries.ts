/** Questions about the present state of contracts, and their answers in decimal text. */
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
import type { ContractCommand } from "./contract-commands.ts";

export type ContractQuery =
  | { readonly type: "contract-markets"; readonly symbol: string | null }
  /** Whether the order would be accepted now; asking places nothing. */
  | {
      readonly type: "contract-order-test";
      readonly order: Extract<ContractCommand, { readonly type: "place-contract-order" }>;
    }
  | { readonly type: "contract-prices"; readonly symbol: string | null }
  /** What protects the insurance funds, and how often it had to. */
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
  /** `operator`, `spot:` with the symbol of the spot market, or `none`. */
  readonly indexSource: string;
  /** Null before the first index. */
  readonly indexAgeMs: number | null;
}

/** Prices are "0" before the first. */
export interface ContractPricesView {
  readonly symbol: string;
  readonly markPrice: string;
  readonly indexPrice: string;
  /** Time of the index; 0 before the first. */
  readonly indexMs: number;
  /** Liquidations wait for a fresh index. */
  readonly isStale: boolean;
  readonly isPinned: boolean;
  readonly lastPrice: string;
  /** Total size of the long positions, which is that of the short ones. */
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
    /** Liquidations wait for a fresh index. */
    readonly isStale: boolean;
    /** Share of what the market may draw on the fund in this hour; null without a limit. */
    readonly drawsUsed: number | null;
    /** These count since the process began. */
    readonly liquidations: number;
    readonly deleveragings: number;
    readonly refusedFills: number;
    readonly refusedOrders: number;
    readonly insurancePaid: string;
  }[];
}

/** One row per margin asset of a listed market, also without funds. */
export interface ContractBalanceView {
  readonly asset: string;
  /** The wallet: available + order margin + position margin, without unrealised profit. */
  readonly balance: string;
  /** What new orders may use: unrealised losses of cross positions and their margin are out. */
  readonly availableBalance: string;
  readonly frozen: string;
  readonly unrealizePnl: string;
  /** The three ledger accounts; `available` may be below zero while cross profit covers it. */
  readonly available: string;
  readonly orderMargin: string;
  readonly positionMargin: string;
}

/** The names are those of the API. Sequences are those of commands, times milliseconds. */
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
  /** Positive is paid. */
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
  /** "0": there is none. */
  readonly liquidatePrice: string;
}

/** An open position of anybody, and how far the mark is from where it would be liquidated. */
export interface PositionAtRiskView {
  readonly id: number;
  readonly uid: number;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly marginType: MarginType;
  readonly leverage: number;
  readonly size: string;
  readonly marginAsset: string;
  /** At the mark, in the margin asset. */
  readonly value: string;
  readonly unrealizePnl: string;
  readonly markPrice: string;
  /** "0": there is none. */
  readonly liquidatePrice: string;
  /** As a part of the mark: "0.05" is five percent; null without a mark or a liquidation price. */
  readonly distance: string | null;
}

export interface ContractSettingsView {
  readonly symbol: string;
  readonly marginType: MarginType;
  readonly separatedType: SeparatedType;
  readonly crossLeverage: number;
  readonly isolatedLongLeverage: number;
  readonly isolatedShortLeverage: number;
}

/** The user's own rates where there are any, else those of the market. */
export interface ContractFeeRatesView {
  readonly symbol: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
}

/** An order that rests in the book; `status` is NEW also when it is partly filled. */
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
  /** 8 decimals, half up; "0" without a fill. */
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
  /** The order that it placed, null without one. */
  readonly actualOrderId: number | null;
  /** Average price of that order once it ended, else "0". */
  readonly actualPrice: string;
  /** Of a trailing stop the level that its extreme gives, "0" before activation. */
  readonly triggerPrice: string;
  /** "0" when the order that it places is a market order. */
  readonly price: string;
  /** Null without a preset take-profit; its `tpPrice` "0" stands for the market price. */
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
  /** 0 before it was triggered. */
  readonly triggeredMs: number;
}

/**
 * A list of all when the query's symbol is null; an unknown symbol is the refusal `unknown-symbol`.
 * Orders, conditional orders and positions ascend by id.
 */
export interface ContractQueryAnswers {
  /** Where the order would be accepted. */
  "contract-order-test": Readonly<Record<never, never>>;
  "contract-markets": readonly ContractMarketView[];
  "contract-prices": readonly ContractPricesView[];
  "market-integrity": MarketIntegrityView;
  "contract-balances": readonly ContractBalanceView[];
  "contract-positions": readonly PositionView[];
  /** Nearest first, at most `limit`; those that no price liquidates come last. */
  "positions-at-risk": readonly PositionAtRiskView[];
  "contract-settings": readonly ContractSettingsView[];
  "contract-fee-rates": ContractFeeRatesView;
  "contract-order": ContractOrderView;
  "contract-open-orders": readonly ContractOrderView[];
  /** NEW and UNTRIGGERED ones. */
  "algo-open-orders": readonly AlgoOrderView[];
}
