/** Terms of perpetual contracts: positions, margin, conditional orders, prices. */

/** The position an order is for; an account can hold both sides of a symbol at once. */
export const POSITION_SIDES = ["LONG", "SHORT"] as const;
export type PositionSide = (typeof POSITION_SIDES)[number];

/** Cross positions share the wallet as margin; an isolated position has its own margin. */
export const MARGIN_TYPES = ["CROSSED", "ISOLATED"] as const;
export type MarginType = (typeof MARGIN_TYPES)[number];

/** `COMBINED`: one position per side. `SEPARATED`: one per opening order. */
export const SEPARATED_TYPES = ["COMBINED", "SEPARATED"] as const;
export type SeparatedType = (typeof SEPARATED_TYPES)[number];

/** The price that triggers a conditional order: the last price or the mark price. */
export const WORKING_TYPES = ["CONTRACT_PRICE", "MARK_PRICE"] as const;
export type WorkingType = (typeof WORKING_TYPES)[number];

export const ALGO_ORDER_TYPES = [
  "STOP",
  "TAKE_PROFIT",
  "STOP_MARKET",
  "TAKE_PROFIT_MARKET",
  "TRAILING_STOP_MARKET",
] as const;
export type AlgoOrderType = (typeof ALGO_ORDER_TYPES)[number];

/** `PENDING` and `CANCELING` are part of the API; here no conditional order has them. */
export const ALGO_STATUSES = [
  "NEW",
  "PENDING",
  "UNTRIGGERED",
  "TRIGGERED",
  "FILLED",
  "CANCELED",
  "CANCELING",
] as const;
export type AlgoStatus = (typeof ALGO_STATUSES)[number];

/** Who placed an order: the user, or the exchange in the named process. */
export const ORDER_ORIGINS = [
  "user",
  "close-positions",
  "algo",
  "liquidation",
  "adl",
  "netting",
] as const;
export type OrderOrigin = (typeof ORDER_ORIGINS)[number];

/** Why two sides were matched. Only the first two are trades at market prices. */
export const MATCH_KINDS = ["book", "liquidation", "adl", "netting"] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

export const PRICE_TYPES = ["LAST", "INDEX", "MARK"] as const;
export type PriceType = (typeof PRICE_TYPES)[number];

export const LEVERAGE_MAX = 1000;
