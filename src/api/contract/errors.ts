/** Errors of contracts: those that only contracts have, and contract codes that differ from v3. */
import { type ErrorEntry, entry } from "../error-entry.ts";

/** v2 has no contract calls, so its code is that of any request that cannot be carried out. */
const V2_CODE = "40017";

export const CONTRACT_ERRORS = {
  "insufficient-margin": entry(
    V2_CODE,
    -3201,
    "Margin available amount not enough",
    "availableBalance does not cover margin and fee, or the position would be liquidated " +
      "at once.",
    "Send a smaller order, transfer funds, or reduce risk.",
  ),
  "close-exceeds-position": entry(
    V2_CODE,
    -3202,
    "Quantity is more than can be closed",
    "The quantity exceeds the position minus what open orders already close.",
    "Send less, or cancel the orders that close.",
  ),
  "position-limit": entry(
    V2_CODE,
    -3206,
    "Position would be above the maximum",
    "Position and opening orders would exceed the market's maxPositionSize.",
    "Send less, or cancel opening orders.",
  ),
  "would-trigger": entry(
    V2_CODE,
    -3207,
    "Order would be triggered at once",
    "The condition is already met at the current price.",
    "Choose a trigger price that has not been reached, or send an ordinary order.",
  ),
  "trigger-on-wrong-side": entry(
    V2_CODE,
    -3207,
    "Trigger is on the wrong side of the price",
    "A take-profit must be beyond the order's price, a stop-loss before it.",
    "Swap the two, or move the trigger.",
  ),
  "leverage-in-use": entry(
    V2_CODE,
    -3208,
    "Leverage cannot change while an order waits to open a position",
    "An order that opens a position is open in this market.",
    "Cancel the opening orders in this market first.",
  ),
  "margin-type-in-use": entry(
    V2_CODE,
    -3209,
    "Margin type cannot change with an open order or position",
    "The caller has an open order or a position in this market.",
    "Cancel the orders and close the positions of this market first.",
  ),
  "leverage-above-maximum": entry(
    V2_CODE,
    -3313,
    "Leverage is above the maximum",
    "The market, or the tier for the position's size, allows less.",
    "Use at most maxLeverage from exchangeInfo; larger positions allow less.",
  ),
  "no-mark-price": entry(
    V2_CODE,
    -1054,
    "The market has no price yet",
    "The market has no index price yet.",
    "Wait for the first index price.",
  ),
  "index-stale": entry(
    V2_CODE,
    -1054,
    "The index is stale",
    "The market's index is too old to open positions. Closing and cancelling still work.",
    "Wait for a new index price, then send the order again.",
  ),
  "failed-precondition": entry(
    V2_CODE,
    -1054,
    "FAILED_PRECONDITION",
    "The caller has no such position, it is not isolated, or that much margin cannot be " +
      "removed.",
    "Query allPosition again and send what it allows.",
  ),
  "algo-order-not-found": entry(
    V2_CODE,
    -3200,
    "Conditional order does not exist",
    "No such order, it belongs to another user, or it was triggered or has ended.",
    "Check openAlgoOrders and allAlgoOrders.",
  ),
  "only-opening-orders": entry(
    V2_CODE,
    -1128,
    "Only an order that opens can have a take-profit or stop-loss attached",
    "A closing order has a take-profit or stop-loss attached.",
    "Use placeTpSlOrder for an open position.",
  ),
} satisfies Readonly<Record<string, ErrorEntry>>;

/** Where contracts differ from v3; all are HTTP 400. */
const CONTRACT_CODES: Readonly<Record<string, number>> = {
  "missing-parameter": -1140,
  "invalid-parameter": -1140,
  malformed: -1140,
  "unknown-asset": -3613,
  "order-not-found": -3200,
  "insufficient-balance": -3201,
  "duplicate-client-order-id": -3203,
  "price-outside-band": -3204,
  "quantity-below-minimum": -3205,
  "notional-below-minimum": -3205,
  "quantity-above-maximum": -3007,
  "too-many-open-orders": -3210,
  "would-take": -3211,
};

/** The entries with their contract codes. */
export function withContractCodes<Reason extends string>(
  entries: Readonly<Record<Reason, ErrorEntry>>,
): Readonly<Record<Reason, ErrorEntry>> {
  const coded: Record<string, ErrorEntry> = { ...entries };
  for (const [reason, code] of Object.entries(CONTRACT_CODES)) {
    const known = coded[reason];
    if (known !== undefined) coded[reason] = { ...known, capi: { code, status: 400 } };
  }
  return coded as Record<Reason, ErrorEntry>;
}
