/**
 * Updates of channels, independent of dialects. An update is made once; each dialect with
 * subscribers encodes it (`v2-encoder.ts`, `v3-encoder.ts`).
 */

import type { AccountKind, DepthLevels, KlinePrice } from "../../api/channel-names.ts";
import type { CandleInterval, Side } from "../../domain/index.ts";
import type {
  ContractPricesView,
  ContractTickerView,
  SpotTickerView,
} from "../../protocol/index.ts";
import type { Candle } from "../../queries/history-port.ts";

export type Level = readonly [price: string, quantity: string];

export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** A whole book, or its changes: absolute quantities, "0" for a removed level. */
export interface DepthUpdate extends BookSides {
  readonly kind: "depth";
  readonly symbol: string;
  readonly levels: DepthLevels;
  readonly isSnapshot: boolean;
  /** The version that the changes follow; for a whole book its own version. */
  readonly previous: number;
  readonly version: number;
  readonly timestampMs: number;
}

/** Every price of a book, or what one command changed: absolute quantities, "0" for removed. */
export interface BookUpdate extends BookSides {
  readonly kind: "book";
  readonly symbol: string;
  readonly isSnapshot: boolean;
  /** The version before the command; for a whole book its own version. */
  readonly previous: number;
  readonly version: number;
  readonly timestampMs: number;
}

export type OrderRow = readonly [orderId: string, price: string, quantity: string];

/** Every order of a book with its open quantity, in price-time priority. */
export interface BookOrdersSnapshot {
  readonly kind: "bookOrdersSnapshot";
  readonly symbol: string;
  readonly version: number;
  readonly timestampMs: number;
  readonly bids: readonly OrderRow[];
  readonly asks: readonly OrderRow[];
}

/** A change of an order in the book, and what is open of it afterwards. */
export interface OrderChange {
  readonly change: "added" | "filled" | "amended" | "removed";
  readonly orderId: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  /** The quantity of a fill, and its trade; null for other changes. */
  readonly filled: string | null;
  readonly tradeId: string | null;
}

/** What one command changed, in order: as many changes as versions. */
export interface BookOrdersUpdate {
  readonly kind: "bookOrders";
  readonly symbol: string;
  readonly previous: number;
  readonly version: number;
  readonly timestampMs: number;
  readonly changes: readonly OrderChange[];
}

export interface BestPricesUpdate {
  readonly kind: "bookTicker";
  readonly symbol: string;
  readonly version: number;
  readonly bid: Level;
  readonly ask: Level;
  readonly timestampMs: number;
}

/** The contract fields of a ticker. */
export type ContractPrices = Pick<ContractPricesView, "markPrice" | "indexPrice" | "openInterest">;

export interface TickerUpdate {
  readonly kind: "ticker";
  readonly ticker: SpotTickerView | ContractTickerView;
  /** Null when no subscriber's dialect shows them: then they were not queried. */
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
  /** The candles that are new or changed; in a snapshot all. */
  readonly changed: readonly Candle[];
  readonly timestampMs: number;
}

/** Why an account changed, as the API spells it. */
export type AccountCause =
  | "OrderUpdate"
  | "DepositUpdate"
  | "WithdrawUpdate"
  | "PositionFundingSettle";

/** The entries, at least one, use the v3 names (`spot-entries.ts`, `contract-entries.ts`). */
export interface AccountUpdate {
  readonly kind: AccountKind;
  readonly version: number;
  readonly cause: AccountCause;
  readonly entries: readonly object[];
  readonly timestampMs: number;
}

export type Update =
  | DepthUpdate
  | BookUpdate
  | BookOrdersSnapshot
  | BookOrdersUpdate
  | BestPricesUpdate
  | TickerUpdate
  | TradeUpdate
  | KlineUpdate
  | AccountUpdate;
