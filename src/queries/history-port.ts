/**
 * History queries: their questions and answers. Every question carries the durable sequence at its
 * arrival and is answered from a history file that has reached it (read-your-writes).
 */
import type {
  CandleInterval,
  EndReason,
  OrderStatus,
  OrderType,
  PriceType,
  Product,
  Side,
  TimeInForce,
} from "../domain/index.ts";

export { CANDLE_INTERVALS, type CandleInterval } from "../domain/candle-interval.ts";
export * from "./affiliate-history.ts";
export * from "./contract-history.ts";
export type { Page, Paged, TimeRange } from "./ranges.ts";
export type * from "./webhook-history.ts";
export type * from "./withdrawal-history.ts";

import type { FundsCommandType } from "../protocol/index.ts";
import type { AffiliateHistoryQueries } from "./affiliate-history.ts";
import type { ContractHistoryQueries } from "./contract-history.ts";
import type { Page, Paged, TimeRange } from "./ranges.ts";
import type { WebhookHistoryQueries } from "./webhook-history.ts";
import type { WithdrawalHistoryQueries } from "./withdrawal-history.ts";

export interface EndedSpotOrder {
  readonly orderId: number;
  readonly uid: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  /** "0" for a market order. */
  readonly price: string;
  /** Base quantity asked for; for an order by quote amount what it filled. */
  readonly quantity: string;
  /** Quote amount asked for, "0" for an order by base quantity. */
  readonly quoteAmount: string;
  readonly filledQuantity: string;
  readonly filledQuote: string;
  readonly status: OrderStatus;
  readonly reason: EndReason;
  readonly createdMs: number;
  readonly endedMs: number;
}

/** One side of a match. */
export interface SpotFill {
  readonly tradeId: number;
  readonly orderId: number;
  readonly uid: number;
  readonly symbol: string;
  readonly side: Side;
  readonly maker: boolean;
  readonly price: string;
  readonly quantity: string;
  readonly quoteQuantity: string;
  readonly fee: string;
  readonly feeAsset: string;
  readonly timeMs: number;
}

/** What an order was last filled at, and the worst and the best of its fills. */
export interface SpotFillPrices {
  readonly orderId: number;
  readonly last: string;
  readonly lowest: string;
  readonly highest: string;
}

/** Of the fills of an order up to a quantity; amounts in its fee's and margin's asset. */
export interface OrderFillTotals {
  readonly orderId: number;
  readonly fee: string;
  /** Signed; "0" on spot. */
  readonly realizedPnl: string;
  readonly last: string;
  readonly highest: string;
  readonly lowest: string;
}

export interface PublicTrade {
  readonly tradeId: number;
  readonly symbol: string;
  readonly price: string;
  readonly quantity: string;
  readonly quoteQuantity: string;
  readonly timeMs: number;
  /** The taker sold. */
  readonly buyerIsMaker: boolean;
}

/**
 * The last three are 0 or "0" for an interval without trades, which repeats the close before it.
 */
export interface Candle {
  readonly openMs: number;
  /** Last millisecond of the interval. */
  readonly closeMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly baseVolume: string;
  readonly quoteVolume: string;
  readonly trades: number;
  readonly takerBaseVolume: string;
  readonly takerQuoteVolume: string;
}

export const BILL_TYPES = [
  "deposit",
  "withdraw",
  "transfer_in",
  "transfer_out",
  "trade_in",
  "trade_out",
  "rr_agent_reward",
] as const;
export type BillType = (typeof BILL_TYPES)[number];

/** One change of a user's spot wallet. `fee` is included in `delta`. */
export interface Bill {
  readonly billId: number;
  readonly uid: number;
  readonly asset: string;
  readonly billType: BillType;
  /** Quantity and quote value of the match; "0" for other bills. */
  readonly fillQuantity: string;
  readonly fillValue: string;
  /** Signed. */
  readonly delta: string;
  /** Equity of the asset in the spot wallet afterwards. */
  readonly after: string;
  readonly fee: string;
  readonly timeMs: number;
}

export interface Transfer {
  readonly requestId: string;
  readonly uid: number;
  readonly asset: string;
  readonly amount: string;
  readonly from: "spot" | "contract";
  readonly to: "spot" | "contract";
  readonly timeMs: number;
}

/** A deposit or withdrawal of either wallet. */
export interface FundingMovement {
  readonly movementId: number;
  readonly requestId: string;
  readonly uid: number;
  readonly kind: "deposit" | "withdrawal";
  readonly wallet: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
  /** What the wallet holds afterwards, frozen part included. */
  readonly after: string;
  readonly timeMs: number;
}

/** A movement of funds by an operator API call; of the insurance fund when `uid` is 0. */
export interface OperatorMovement {
  readonly movementId: number;
  readonly requestId: string;
  readonly uid: number;
  readonly asset: string;
  readonly amount: string;
  /** Null where the other side is outside: a deposit has only `to`, a withdrawal only `from`. */
  readonly from: "spot" | "contract" | null;
  readonly to: "spot" | "contract" | null;
  readonly timeMs: number;
}

/** An action of an operator. `details` is the whole change as JSON. */
export interface AuditEntry {
  readonly auditId: number;
  readonly sequence: number;
  readonly timeMs: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: string;
}

/** Null: any. */
export interface AuditFilter {
  readonly actor: string | null;
  readonly action: string | null;
  /** Of what the action was about. */
  readonly uid: number | null;
  readonly symbol: string | null;
  /** Anywhere in the entry, in any case. */
  readonly text: string | null;
  readonly time: TimeRange;
}

/** An ended order that an id belongs to. */
export interface FoundOrder {
  readonly product: Product;
  readonly uid: number;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly status: OrderStatus;
}

/** Name → [question, answer]. Lists are newest first unless they say otherwise. */
export interface HistoryQueries
  extends AffiliateHistoryQueries,
    ContractHistoryQueries,
    WebhookHistoryQueries,
    WithdrawalHistoryQueries {
  "ended-spot-order": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly orderId: number | null;
      /** The newest ended order with that id. */
      readonly clientOrderId: string | null;
    },
    EndedSpotOrder | null,
  ];
  /** By creation time; at most `offset + limit` rows are looked at. */
  "ended-spot-orders": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly created: TimeRange;
      readonly offset: number;
      readonly limit: number;
    },
    readonly EndedSpotOrder[],
  ];
  /** At most `offset + limit` rows are looked at. */
  "spot-fills": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly orderId: number | null;
      readonly time: TimeRange;
      readonly offset: number;
      readonly limit: number;
    },
    readonly SpotFill[],
  ];
  /** From a trade id on, oldest first: at most one row more than `limit`. */
  "spot-fills-from": [
    {
      readonly uid: number;
      readonly symbol: string;
      readonly orderId: number | null;
      readonly fromId: number;
      readonly time: TimeRange;
      readonly limit: number;
    },
    readonly SpotFill[],
  ];
  /** Of those of the orders that have fills, in the order of the question. */
  "spot-fill-prices": [
    { readonly uid: number; readonly orderIds: readonly number[] },
    readonly SpotFillPrices[],
  ];
  /**
   * Of the oldest fills of each order that make up the quantity. An order whose fills do not reach
   * it, or only after the first 10,000, is left out.
   */
  "order-fill-totals": [
    {
      readonly product: Product;
      readonly uid: number;
      readonly orders: readonly { readonly orderId: number; readonly filledQuantity: string }[];
    },
    readonly OrderFillTotals[],
  ];
  "public-spot-trades": [
    { readonly symbol: string; readonly limit: number },
    readonly PublicTrade[],
  ];
  /**
   * The newest `limit` candles that begin in the range, oldest first, without gaps since the first
   * trade.
   */
  "spot-candles": [
    {
      readonly symbol: string;
      readonly interval: CandleInterval;
      readonly time: TimeRange;
      readonly nowMs: number;
      readonly limit: number;
    },
    readonly Candle[],
  ];
  /** Matches in the book; those of a liquidation as well. */
  "public-contract-trades": [
    { readonly symbol: string; readonly limit: number },
    readonly PublicTrade[],
  ];
  /**
   * As `spot-candles`. Index and mark have no volume and no trades, and begin with the first price.
   */
  "contract-candles": [
    {
      readonly symbol: string;
      readonly priceType: PriceType;
      readonly interval: CandleInterval;
      readonly time: TimeRange;
      readonly nowMs: number;
      readonly limit: number;
    },
    readonly Candle[],
  ];
  bills: [
    {
      readonly uid: number;
      readonly asset: string | null;
      readonly billType: BillType | null;
      readonly time: TimeRange;
      readonly limit: number;
    },
    readonly Bill[],
  ];
  transfers: [
    {
      readonly uid: number;
      readonly asset: string | null;
      readonly from: "spot" | "contract" | null;
      readonly time: TimeRange;
      readonly limit: number;
    },
    readonly Transfer[],
  ];
  "funding-movements": [
    {
      readonly uid: number;
      readonly asset: string | null;
      readonly time: TimeRange;
      readonly page: Page;
    },
    Paged<FundingMovement>,
  ];
  /** Movements of one kind, oldest first, after `afterMovementId` (0: from the first). */
  "operator-movements": [
    {
      readonly command: FundsCommandType;
      /** 0 for the insurance fund. */
      readonly uid: number;
      readonly asset: string | null;
      readonly afterMovementId: number;
      readonly limit: number;
    },
    readonly OperatorMovement[],
  ];
  /** Those after `afterAuditId`, oldest first; newest first when `beforeAuditId` is given. */
  audit: [
    {
      readonly afterAuditId: number;
      readonly beforeAuditId: number | null;
      readonly limit: number;
    },
    readonly AuditEntry[],
  ];
  /**
   * Newest first. At most 20,000 entries are looked at: a null `beforeAuditId` is the end, any
   * other one is where the search goes on.
   */
  "audit-search": [
    { readonly filter: AuditFilter; readonly beforeAuditId: number; readonly limit: number },
    { readonly entries: readonly AuditEntry[]; readonly beforeAuditId: number | null },
  ];
  /** Of all users: by its id, or by the id that its user chose. At most `limit` of each product. */
  "orders-by-id": [
    {
      readonly orderId: number | null;
      readonly clientOrderId: string | null;
      readonly limit: number;
    },
    readonly FoundOrder[],
  ];
}

export type HistoryQueryName = keyof HistoryQueries;
export type HistoryQuestion<Name extends HistoryQueryName> = HistoryQueries[Name][0];
export type HistoryAnswer<Name extends HistoryQueryName> = HistoryQueries[Name][1];

/** The history did not reach the sequence in time; the caller answers 503 with Retry-After. */
export interface HistoryUnavailable {
  readonly unavailable: "history-behind" | "overloaded" | "stopping";
}

export interface HistoryReply<Name extends HistoryQueryName> {
  readonly answer: HistoryAnswer<Name>;
  /** Of the last command that it shows. */
  readonly sequence: number;
}

export interface HistoryPort {
  /** Waits at most 2 s for the history to reach `sequence`. Rejects only when it is broken. */
  query<Name extends HistoryQueryName>(
    name: Name,
    question: HistoryQuestion<Name>,
    sequence: number,
  ): Promise<HistoryReply<Name> | HistoryUnavailable>;
}
