/**
 * The registry of errors: for each reason of the engine, the parsers and both APIs, its code,
 * status and message in v2, in v3, on contracts and on the operator API. The reference page is
 * generated from it.
 */
import { type Refusal as RefusalFor, type RejectReason, refusal } from "../domain/index.ts";
import type { Family } from "./calls.ts";
import { CONTRACT_ERRORS, withContractCodes } from "./contract/errors.ts";
import { type ErrorEntry, entry } from "./error-entry.ts";
import {
  OPERATOR_OWN_ERRORS,
  type OperatorError,
  type OperatorReason,
  operatorErrors,
} from "./operator/errors.ts";
import {
  FORBIDDEN,
  GATEWAY_ERRORS,
  type GatewayReason,
  UNAVAILABLE_ERRORS,
} from "./request-errors.ts";
import { WITHDRAWAL_ERRORS } from "./withdrawal-errors.ts";

export type { ErrorEntry } from "./error-entry.ts";

/** The error reasons of the API. */
export type RefusalReason = RejectReason | GatewayReason;

/** An error on its way to the wire. `field` names the offending input as the caller spelt it. */
export type Refusal<Reason extends string = RefusalReason> = RefusalFor<Reason>;

export function refuse<Reason extends RefusalReason | OperatorReason>(
  reason: Reason,
  field: string | null = null,
  detail: string | null = null,
): Refusal<Reason> {
  return refusal(reason, field, detail);
}

const TRADING_ERRORS = {
  "unknown-symbol": entry(
    "40034",
    -1121,
    "Invalid symbol",
    "No such market; spot markets and contracts are listed separately.",
    "Use a symbol from exchangeInfo.",
  ),
  "unknown-asset": entry(
    "40034",
    -1142,
    "Unknown asset",
    "No such asset.",
    "GET /api/v3/coins lists all assets.",
  ),
  "unknown-user": entry("40034", -1142, "Unknown user", "No such uid.", "Check the uid."),
  "unknown-api-key": entry("40034", -1142, "Unknown API key", "No such key.", "Check the key."),
  "unknown-invite-code": entry(
    "40034",
    -1142,
    "Unknown invite code",
    "No such code.",
    "Check the code.",
  ),
  "unknown-movement": entry(
    "40034",
    -1142,
    "Unknown movement of funds",
    "No such movement.",
    "Check the id.",
  ),
  "unknown-commission": entry(
    "40034",
    -1142,
    "Unknown commission",
    "No such commission, or it belongs to another affiliate.",
    "Use an id from getAffiliateCommission.",
  ),
  "not-an-affiliate": entry(
    "40014",
    -1052,
    "The user is not an affiliate",
    "The call is only for affiliates.",
    "Ask the operator to make the user an affiliate.",
    FORBIDDEN,
  ),
  "order-not-found": entry(
    "43001",
    -2200,
    "Order does not exist",
    "No such order, it belongs to another user, or it has ended and the call needs an " +
      "open one.",
    "Check the open orders and the order history.",
  ),
  malformed: entry(
    "40020",
    -1142,
    "Parameter is invalid",
    "An amount has a sign, an exponent, white space or a leading zero.",
    "Send plain decimal text such as 0.25.",
  ),
  "off-tick": entry(
    "40020",
    -1160,
    "Price is not a multiple of the tick size",
    "The price is between two ticks of the market.",
    "Round it to the tickSize in exchangeInfo.",
  ),
  "off-step": entry(
    "40020",
    -1160,
    "Quantity is not a multiple of the step size",
    "The quantity is between two steps of the market.",
    "Round it to the stepSize in exchangeInfo.",
  ),
  "excess-precision": entry(
    "40020",
    -1160,
    "Amount has more decimals than the asset",
    "The amount has more decimal places than the asset.",
    "Round it to the asset's precision in exchangeInfo.",
  ),
  "out-of-range": entry(
    "40020",
    -1140,
    "Parameter is out of range",
    "A number is too large for the exchange.",
    "Send a smaller value for the parameter named in the message.",
  ),
  "index-step-too-large": entry(
    "40020",
    -1140,
    "Index price is too far from the last one",
    "The operator's price differs from the last index by more than the contract's " +
      "indexStepLimit.",
    "Check the price. To accept it anyway, send force: true.",
  ),
  "quantity-below-minimum": entry(
    "43006",
    -2204,
    "Quantity is below the minimum",
    "The order is smaller than the market's minimum.",
    "Send at least minTradeAmount from exchangeInfo, on contracts minOrderSize.",
  ),
  "quantity-above-maximum": entry(
    "43006",
    -2205,
    "Quantity is above the maximum",
    "The order is larger than the market's maximum.",
    "Split it into orders of at most maxTradeAmount from exchangeInfo, on contracts " +
      "maxOrderSize.",
  ),
  "notional-below-minimum": entry(
    "45110",
    -2204,
    "Price times quantity is below the minimum",
    "The order's notional is below the market's minimum.",
    "Send at least minNotional from exchangeInfo.",
  ),
  "price-outside-band": entry(
    "43011",
    -2203,
    "Price is too far from the market's",
    "A buy above last × (1 + buyLimitPriceRatio), or a sell below last × (1 − " +
      "sellLimitPriceRatio); on contracts with the mark price instead of last.",
    "Send a price inside the band; exchangeInfo has the ratios.",
  ),
  "user-frozen": entry(
    "40013",
    -1057,
    "The user is frozen",
    "The operator has frozen this user.",
    "Ask the operator.",
  ),
  "market-not-trading": entry(
    "43115",
    -1058,
    "The market takes no orders now",
    "The market is cancel-only or halted.",
    "Wait until apiTradingSymbols lists it again.",
  ),
  "market-halted": entry(
    "43115",
    -1058,
    "The market is halted",
    "The operator has halted the market: neither orders nor cancels are accepted.",
    "Wait until the operator resumes it.",
  ),
  "insufficient-balance": entry(
    "43012",
    -2201,
    "Balance amount not enough",
    "The available balance does not cover the order.",
    "Send a smaller order, or cancel others to free their funds.",
  ),
  "too-many-open-orders": entry(
    "45116",
    -2206,
    "Too many open orders in this market",
    "The operator's limit per market and user is reached, 200 by default.",
    "Cancel some orders first; the message names the limit.",
  ),
  "duplicate-client-order-id": entry(
    "40017",
    -2202,
    "Client order id was used for another order",
    "The id was used within the last 24 hours with different content. The same content " +
      "would return the first order.",
    "Send a new client order id.",
  ),
  conflict: entry(
    "40017",
    -1140,
    "The request conflicts with the present state",
    "The request is not possible in the current state.",
    "The message gives the reason.",
  ),
  "would-take": entry(
    "40017",
    -2207,
    "A post-only order would trade at once",
    "Amendments only: the order stays unchanged. A new post-only order is accepted and " +
      "cancelled at once.",
    "Amend it to a price at which it rests, or cancel it and place an order that may take.",
  ),
} satisfies Partial<Record<RejectReason, ErrorEntry>>;

export const ERRORS: Readonly<Record<RefusalReason, ErrorEntry>> = withContractCodes({
  ...GATEWAY_ERRORS,
  ...TRADING_ERRORS,
  ...CONTRACT_ERRORS,
  ...WITHDRAWAL_ERRORS,
});

export const OPERATOR_ERRORS: Readonly<Record<OperatorReason, OperatorError>> = {
  ...operatorErrors({
    ...TRADING_ERRORS,
    ...CONTRACT_ERRORS,
    ...WITHDRAWAL_ERRORS,
    ...UNAVAILABLE_ERRORS,
  }),
  ...OPERATOR_OWN_ERRORS,
};

/** The text of an error: the registry's message, then the field, then what would be accepted. */
export function errorMessage(refusal: Refusal): string {
  const { message } = ERRORS[refusal.reason];
  const named = refusal.field === null ? message : `${message}: ${refusal.field}`;
  return refusal.detail === null ? named : `${named} (${refusal.detail})`;
}

/** The family whose error format applies to a path, known or unknown. */
export function familyOfPath(path: string): Family {
  if (path.startsWith("/capi/v3")) return "capi";
  return path.startsWith("/api/v3") ? "v3" : "v2";
}
