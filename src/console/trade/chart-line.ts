/** Horizontal lines of the chart: what the user has at a price, and what can be changed there. */
import type { AlgoOrder, ContractOrder, SpotOrder } from "../../client/index.ts";

interface LineBase {
  readonly id: string;
  readonly price: string;
  readonly label: string;
  readonly tone: "buy" | "sell" | "info" | "warn" | "alert";
}

/** An open order. The book marks its price as well. */
export interface OrderLine extends LineBase {
  readonly kind: "order";
  readonly orderId: SpotOrder["orderId"] | ContractOrder["orderId"];
  readonly side: "BUY" | "SELL";
  /** Of the whole order, and what of it is filled. */
  readonly quantity: string;
  readonly filled: string;
}

/** A conditional order at its trigger price. */
export interface TriggerLine extends LineBase {
  readonly kind: "trigger";
  readonly order: AlgoOrder;
  /** "stop-loss" or what else it is, in a sentence. */
  readonly name: string;
  /** Of the limit order that it places; null if it trades at market. */
  readonly limitPrice: string | null;
  readonly watches: "mark" | "last";
  /** Closes a position; the exchange can move it as it is. */
  readonly isExit: boolean;
  /** The exchange moves a trailing stop by itself. */
  readonly isMovable: boolean;
}

/** The average entry price of a position. */
export interface EntryLine extends LineBase {
  readonly kind: "entry";
  readonly positionSide: "LONG" | "SHORT";
  readonly size: string;
}

export interface LiquidationLine extends LineBase {
  readonly kind: "liquidation";
}

/** A price alert, which the exchange does not know. */
export interface AlertLine extends LineBase {
  readonly kind: "alert";
  readonly alertId: string;
}

export type ChartLine = PlacedLine | EntryLine | LiquidationLine | AlertLine;

/** On the exchange: changed only after a question. */
export type PlacedLine = OrderLine | TriggerLine;

export type MovableLine = PlacedLine | AlertLine;

/** Whether the user can give it another price. */
export function isMovable(line: ChartLine): line is MovableLine {
  return isCancellable(line) && (line.kind !== "trigger" || line.isMovable);
}

/** Whether the user can take it away. */
export function isCancellable(line: ChartLine): line is MovableLine {
  return line.kind === "order" || line.kind === "trigger" || line.kind === "alert";
}
