/**
 * Terms of orders. The spellings of the API (`normal`, `postOnly`, lower-case sides) are in `api/`.
 */

export const SIDES = ["BUY", "SELL"] as const;
export type Side = (typeof SIDES)[number];

export const ORDER_TYPES = ["LIMIT", "MARKET"] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/**
 * GTC rests until cancelled, IOC never rests, FOK fills completely or not at all, POST_ONLY never
 * takes.
 */
export const TIMES_IN_FORCE = ["GTC", "IOC", "FOK", "POST_ONLY"] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

/** What happens when an order would trade with another order of the same account. */
export const SELF_TRADE_PREVENTIONS = [
  "NONE",
  "EXPIRE_TAKER",
  "EXPIRE_MAKER",
  "EXPIRE_BOTH",
] as const;
export type SelfTradePrevention = (typeof SELF_TRADE_PREVENTIONS)[number];

/** `NEW` is an open order, even if partly filled; the other two are final. */
export const ORDER_STATUSES = ["NEW", "FILLED", "CANCELED"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * Why an order ended. `margin-not-enough`: its next fill would have left a debt, or a position or
 * account due for liquidation. `position-closed`: it would have closed more than is left of the
 * position. `liquidation`: its position or account is being liquidated. `dead-man-switch`: the
 * account's countdown ended.
 */
export const END_REASONS = [
  "filled",
  "cancelled-by-user",
  "cancelled-by-operator",
  "nothing-to-match",
  "would-take",
  "not-fillable-at-once",
  "remainder-not-rested",
  "self-trade-prevented",
  "margin-not-enough",
  "position-closed",
  "liquidation",
  "dead-man-switch",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** `cancel-only` accepts cancels but no orders; in `halted` the book does not change at all. */
export const MARKET_STATES = ["trading", "cancel-only", "halted"] as const;
export type MarketState = (typeof MARKET_STATES)[number];

/** 1–40 characters, in the alphabet that all public clients use. */
export const CLIENT_ORDER_ID_PATTERN = "^[A-Za-z0-9._:/#-]{1,40}$";
export const CLIENT_ORDER_ID_LENGTH_MAX = 40;
