/**
 * An order on its way: what was requested, what was checked, and how far its matching has come. The
 * steps hand these on to each other.
 */
import type {
  EndReason,
  MarginType,
  OrderOrigin,
  OrderStatus,
  OrderType,
  PositionSide,
  Side,
  TimeInForce,
  WorkingType,
} from "../../../domain/index.ts";
import type { User } from "../../accounts/user.ts";
import type { Fingerprint } from "../../matching/fingerprint.ts";
import type { SideIndex } from "../../matching/slot.ts";
import type { ContractMarket, PositionSideIndex, SymbolAccount } from "./contract-market.ts";

/** A take profit and a stop loss that go with an opening order; 0 ticks for none. */
export interface AttachedTerms {
  readonly tpTicks: number;
  readonly slTicks: number;
  readonly tpWorkingType: WorkingType;
  readonly slWorkingType: WorkingType;
}

/** An order before it is checked. A command gives text, a trigger gives integers. */
export interface ContractOrderRequest {
  readonly user: User;
  readonly market: ContractMarket;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  /** Null when `priceTicks` is the price. */
  readonly price: string | null;
  /** 0 for a market order. */
  readonly priceTicks: number;
  /** Null when `quantity` is the quantity. */
  readonly quantityLots: number | null;
  readonly quantity: string;
  readonly clientOrderId: string;
  readonly origin: OrderOrigin;
  /** The conditional order that places it; 0 for none. */
  readonly algoId: number;
  /** The one position to close; 0 for first in, first out. */
  readonly targetPositionId: number;
  readonly attached: AttachedTerms | null;
}

/** An order that has passed every check; its execution cannot fail. */
export interface ContractOrderTerms {
  readonly user: User;
  readonly market: ContractMarket;
  readonly side: SideIndex;
  readonly positionSide: PositionSideIndex;
  readonly isClosing: boolean;
  readonly orderType: OrderType;
  /** IOC for a market order. */
  readonly timeInForce: TimeInForce;
  /** 0 for a market order. */
  readonly priceTicks: number;
  /** The worst price at which it trades. */
  readonly limitTicks: number;
  readonly quantityLots: number;
  /** "" gets an id made of the order id. */
  readonly clientOrderId: string;
  /** Compared when the client order id is repeated; null without such an id. */
  readonly payload: Fingerprint | null;
  readonly origin: OrderOrigin;
  readonly algoId: number;
  readonly targetPositionId: number;
  readonly attached: AttachedTerms | null;
  /** As set at placement. */
  readonly leverage: number;
  readonly takerFeeRateE8: number;
  readonly makerFeeRateE8: number;
  /** The price at which an opening order is frozen while it is matched; 0 for a closing one. */
  readonly assumedTicks: number;
  /** What it freezes before its first fill, at that price; 0 for a closing one. */
  readonly frozenMinor: bigint;
}

/** The bankruptcy price of the position, in ticks as a fraction. */
export interface LiquidationTerms {
  readonly bankruptcyNum: bigint;
  /** Above zero. */
  readonly bankruptcyDen: bigint;
  readonly marginType: MarginType;
}

/** An order that is being matched. */
export interface ContractTaker {
  readonly terms: ContractOrderTerms;
  readonly owner: SymbolAccount;
  readonly orderId: number;
  /** Entry in the index of client order ids; `NONE` for an order that no user named. */
  readonly clientEntry: number;
  /** Of the placement, also of an order that was amended. */
  readonly createdMs: number;
  /** Whether conditional orders are attached to it. */
  readonly hasAttached: boolean;
  filledLots: number;
  filledValueMinor: bigint;
  /** The exact fee so far, over 10^8: see ledger/fees.ts. */
  feeNumerator: bigint;
  /** Frozen now. */
  frozenMinor: bigint;
  /** Set when it closes a liquidated position. */
  liquidation: LiquidationTerms | null;
  /** Whether it has traded in the book, and so made a last price. */
  hasTradedInBook: boolean;
  /** Why it is at its end; null while it may go on. */
  ended: EndReason | null;
}

/** The result of matching an order. */
export interface ExecutedOrder {
  readonly orderId: number;
  /** NEW when it rests. */
  readonly status: OrderStatus;
  readonly filledLots: number;
  readonly filledValueMinor: bigint;
}
