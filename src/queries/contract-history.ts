/** History queries of contracts: a part of `history-port.ts`. */
import type {
  EndReason,
  MatchKind,
  OrderOrigin,
  OrderStatus,
  OrderType,
  PositionSide,
  Side,
  TimeInForce,
} from "../domain/index.ts";
import type { AlgoOrderView } from "../protocol/index.ts";
import type { IncomeType, TransferReason } from "../store/index.ts";
import type { TimeRange } from "./ranges.ts";

export type { IncomeType, TransferReason } from "../store/index.ts";

/** An ordinary order that ended, also one that a conditional order or the exchange placed. */
export interface EndedContractOrder {
  readonly orderId: number;
  readonly uid: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly origin: OrderOrigin;
  /** The conditional order that placed it; 0 for none. */
  readonly algoId: number;
  /** "0" for a market order. */
  readonly price: string;
  readonly quantity: string;
  readonly filledQuantity: string;
  readonly filledValue: string;
  /** 8 decimals, half up; "0" without a fill. */
  readonly avgPrice: string;
  readonly reduceOnly: boolean;
  readonly status: OrderStatus;
  readonly reason: EndReason;
  readonly createdMs: number;
  readonly endedMs: number;
}

/** One side of a match. */
export interface ContractFill {
  readonly tradeId: number;
  readonly orderId: number;
  readonly uid: number;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly kind: MatchKind;
  /** False for both sides of a match that no resting order took part in. */
  readonly maker: boolean;
  readonly isClosing: boolean;
  readonly price: string;
  readonly quantity: string;
  readonly value: string;
  readonly fee: string;
  readonly feeAsset: string;
  readonly realizedPnl: string;
  readonly timeMs: number;
}

/** A change of a user's contract wallet, or an event that is listed with a zero amount. */
export interface Income {
  readonly incomeId: number;
  readonly uid: number;
  readonly asset: string;
  /** Null for movements of funds and for the liquidation of a whole account. */
  readonly symbol: string | null;
  readonly incomeType: IncomeType;
  /** Signed; the fee of a fill is included. */
  readonly income: string;
  /** The wallet afterwards, without unrealised profit. */
  readonly balance: string;
  readonly fillFee: string;
  readonly transferReason: TransferReason;
  readonly timeMs: number;
}

/** Everything before this row; ids grow with time. */
export interface IncomeCursor {
  readonly timeMs: number;
  readonly incomeId: number;
}

/** The funding of one slot. */
export interface FundingRate {
  readonly symbol: string;
  readonly slotMs: number;
  /** A fraction, perhaps negative; positive is paid by the long side. */
  readonly rate: string;
  readonly indexPrice: string;
  readonly markPrice: string;
}

/** Name → [question, answer]. Lists are newest first. */
export interface ContractHistoryQueries {
  "ended-contract-order": [
    {
      readonly uid: number;
      readonly orderId: number | null;
      /** The newest ended order with that id. */
      readonly clientOrderId: string | null;
    },
    EndedContractOrder | null,
  ];
  /** By creation time; at most `offset + limit` rows are looked at. */
  "ended-contract-orders": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly created: TimeRange;
      readonly offset: number;
      readonly limit: number;
    },
    readonly EndedContractOrder[],
  ];
  /** Of a match of an account with itself the taker's row comes first. */
  "contract-fills": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly orderId: number | null;
      readonly time: TimeRange;
      readonly limit: number;
    },
    readonly ContractFill[],
  ];
  /** From a trade id on, oldest first: at most one row more than `limit`. */
  "contract-fills-from": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly orderId: number | null;
      readonly fromId: number;
      readonly time: TimeRange;
      readonly limit: number;
    },
    readonly ContractFill[],
  ];
  /** Conditional orders that fired or ended, by creation time. */
  "algo-orders": [
    {
      readonly uid: number;
      readonly symbol: string | null;
      readonly created: TimeRange;
      readonly limit: number;
    },
    readonly AlgoOrderView[],
  ];
  income: [
    {
      readonly uid: number;
      readonly asset: string | null;
      readonly symbol: string | null;
      readonly incomeType: IncomeType | null;
      readonly time: TimeRange;
      readonly before: IncomeCursor | null;
      readonly limit: number;
    },
    readonly Income[],
  ];
  "funding-rates": [
    { readonly symbol: string; readonly time: TimeRange; readonly limit: number },
    readonly FundingRate[],
  ];
}
