/**
 * What channels say, in no dialect. An update is made once; each dialect that somebody listens in
 * puts it into its own words (`v2-encoder.ts`, `v3-encoder.ts`).
 */
import type { CandleInterval } from "../../domain/index.ts";
import type {
  ContractPricesView,
  ContractTickerView,
  SpotTickerView,
} from "../../protocol/index.ts";
import type { Candle } from "../../queries/history-port.ts";
import type { DepthLevels, KlinePrice, PrivateKind } from "./channel-name.ts";

export type Level = readonly [price: string, quantity: string];

export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** A whole book, or what has changed in it: absolute quantities, "0" for what is gone. */
export interface DepthUpdate extends BookSides {
  readonly kind: "depth";
  readonly symbol: string;
  readonly levels: DepthLevels;
  readonly isSnapshot: boolean;
  /** The version that the changes follow; of a whole book its own. */
  readonly previous: number;
  readonly version: number;
  readonly timestampMs: number;
}

export interface BestPricesUpdate {
  readonly kind: "bookTicker";
  readonly symbol: string;
  readonly version: number;
  readonly bid: Level;
  readonly ask: Level;
  readonly timestampMs: number;
}

/** What a ticker says of the contract of its name. */
export type ContractPrices = Pick<ContractPricesView, "markPrice" | "indexPrice" | "openInterest">;

export interface TickerUpdate {
  readonly kind: "ticker";
  readonly ticker: SpotTickerView | ContractTickerView;
  /** Null when no listener's dialect shows them: then they were not asked for. */
  readonly prices: ContractPrices | null;
  readonly timestampMs: number;
}

export interface PublicTrade {
  readonly tradeId: string;
  readonly price: string;
  readonly quantity: string;
  readonly value: string;
  /** The buyer was the maker: the taker sold. */
  readonly isBuyerMaker: boolean;
  readonly timestampMs: number;
}

/** At least one trade, oldest first. */
export interface TradeUpdate {
  readonly kind: "trade";
  readonly symbol: string;
  readonly trades: readonly PublicTrade[];
}

export interface KlineUpdate {
  readonly kind: "kline";
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly price: KlinePrice;
  readonly isSnapshot: boolean;
  /** The last candles, oldest first: at least one. */
  readonly candles: readonly Candle[];
  /** Those among them that are new or differ; in a snapshot all. */
  readonly changed: readonly Candle[];
  readonly timestampMs: number;
}

/** Why an account changed, in the API's words. */
export type AccountCause =
  | "OrderUpdate"
  | "DepositUpdate"
  | "WithdrawUpdate"
  | "PositionFundingSettle";

/** The entries, at least one, have the names of v3 (`spot-entries.ts`, `contract-entries.ts`). */
export interface AccountUpdate {
  readonly kind: PrivateKind;
  readonly version: number;
  readonly cause: AccountCause;
  readonly entries: readonly object[];
  readonly timestampMs: number;
}

export type Update =
  | DepthUpdate
  | BestPricesUpdate
  | TickerUpdate
  | TradeUpdate
  | KlineUpdate
  | AccountUpdate;
