/** Refusals of contracts: those that only they know, and the codes that they have of their own. */
import { type ErrorEntry, entry } from "../error-entry.ts";

/** v2 has no contract calls, so its code is the one of any request that cannot be carried out. */
const V2_CODE = "40017";

export const CONTRACT_ERRORS = {
  "insufficient-margin": entry(
    V2_CODE,
    -3201,
    "Margin available amount not enough",
    "availableBalance does not cover margin and fee, or the position would be due at once.",
    "Send a smaller order, move funds in, or lower the risk.",
  ),
  "close-exceeds-position": entry(
    V2_CODE,
    -3202,
    "Quantity is more than can be closed",
    "The quantity is more than the position less what open orders close already.",
    "Send less, or cancel the orders that close.",
  ),
  "position-limit": entry(
    V2_CODE,
    -3206,
    "Position would be above the maximum",
    "Position and orders that open would exceed the market's maxPositionSize.",
    "Send less, or cancel orders that open.",
  ),
  "would-trigger": entry(
    V2_CODE,
    -3207,
    "Order would be triggered at once",
    "The condition holds at the present price already.",
    "Choose a trigger that the price has yet to reach, or send an ordinary order.",
  ),
  "trigger-on-wrong-side": entry(
    V2_CODE,
    -3207,
    "Trigger is on the wrong side of the price",
    "A take-profit is not beyond the price of the order, or a stop-loss not before it.",
    "Exchange the two, or move the trigger.",
  ),
  "leverage-in-use": entry(
    V2_CODE,
    -3208,
    "Leverage cannot change while an order waits to open a position",
    "An order of the caller's that would open a position is open in this market.",
    "Cancel the orders that open in this market first.",
  ),
  "margin-type-in-use": entry(
    V2_CODE,
    -3209,
    "Margin type cannot change with an open order or position",
    "The caller has an order or a position in this market.",
    "Cancel the orders and close the positions of this market first.",
  ),
  "leverage-above-maximum": entry(
    V2_CODE,
    -3313,
    "Leverage is above the maximum",
    "The market, or the tier of the position's size, allows less.",
    "Choose at most the maxLeverage of exchangeInfo; larger positions allow less.",
  ),
  "no-mark-price": entry(
    V2_CODE,
    -1054,
    "The market has no price yet",
    "The market was listed and has no index price yet.",
    "Wait for the first index price.",
  ),
  "index-stale": entry(
    V2_CODE,
    -1054,
    "The index is stale",
    "The index of the market is too old to open positions at. Closing and cancelling go on.",
    "Wait for a new index price, then send the order again.",
  ),
  "failed-precondition": entry(
    V2_CODE,
    -1054,
    "FAILED_PRECONDITION",
    "No such position of the caller's, it is not isolated, or so much margin cannot be taken back.",
    "Read allPosition again, and ask for what it allows.",
  ),
  "algo-order-not-found": entry(
    V2_CODE,
    -3200,
    "Conditional order does not exist",
    "No such order, it is not the caller's, or it was triggered or has ended.",
    "Look for it in openAlgoOrders and allAlgoOrders.",
  ),
  "only-opening-orders": entry(
    V2_CODE,
    -1128,
    "Only an order that opens can have a take-profit or stop-loss attached",
    "The order closes, and carries a take-profit or a stop-loss.",
    "Use placeTpSlOrder for a position that is open.",
  ),
} satisfies Readonly<Record<string, ErrorEntry>>;

/** Where contracts differ from v3; every one of them is HTTP 400. */
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

/** The entries with the codes that contracts answer with. */
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
