/** Who placed an order and why it was cancelled, in words; keys are those of the exchange. */
import type { StreamOrder } from "../../client/index.ts";

/** Of conditional orders by their type; `ALGO` is one whose type is not known. */
const TRIGGERED: Readonly<Record<string, string>> = {
  STOP: "Stop",
  STOP_MARKET: "Stop",
  TAKE_PROFIT: "Take-profit",
  TAKE_PROFIT_MARKET: "Take-profit",
  TRAILING_STOP_MARKET: "Trailing stop",
};

const SOURCES: Readonly<Record<string, string>> = {
  CLOSE_POSITIONS: "Close",
  ALGO: "Stop",
  LIQUIDATION: "Liquidation",
  ADL: "ADL",
  NETTING: "Netting",
};

export function conditionalName(type: string): string {
  return TRIGGERED[type] ?? "Conditional order";
}

/** Null for an order that the user placed. */
export function sourceName(source: StreamOrder["source"]): string | null {
  return SOURCES[source] ?? null;
}

const REASONS: Readonly<Record<string, string>> = {
  CANCELLED_BY_USER: "cancelled",
  CANCELLED_BY_OPERATOR: "cancelled by the operator",
  NOTHING_TO_MATCH: "cancelled: nothing to match",
  WOULD_TAKE: "cancelled: post-only, but it would have matched",
  NOT_FILLABLE_AT_ONCE: "cancelled: could not be filled in full",
  REMAINDER_NOT_RESTED: "rest cancelled: nothing left to match",
  SELF_TRADE_PREVENTED: "cancelled: it would have matched your own order",
  MARGIN_NOT_ENOUGH: "cancelled: not enough margin",
  POSITION_CLOSED: "cancelled: its position was closed",
  LIQUIDATION: "cancelled by the liquidation",
  DEAD_MAN_SWITCH: "cancelled: the countdown ended",
};

export function reasonText(reason: string | null): string {
  return REASONS[reason ?? ""] ?? "cancelled";
}
