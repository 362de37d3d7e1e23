/**
 * The one registry of refusals: what the engine, the parsers and the gateway say in words, and what
 * each family of the interface calls it on the wire. The reference page is generated from it.
 */
import type { RejectReason } from "../domain/index.ts";
import { CONTRACT_ERRORS, withContractCodes } from "./contract/errors.ts";
import { type ErrorEntry, entry } from "./error-entry.ts";
import type { Family } from "./route.ts";

export type { ErrorEntry } from "./error-entry.ts";

/** Refusals of the gateway itself; the engine never says these. */
export type GatewayReason =
  | "missing-access-key"
  | "missing-access-sign"
  | "missing-access-timestamp"
  | "missing-access-passphrase"
  | "timestamp-malformed"
  | "timestamp-expired"
  | "wrong-content-type"
  | "unknown-key"
  | "bad-signature"
  | "wrong-passphrase"
  | "address-not-allowed"
  | "permission-denied"
  | "rate-limited"
  | "malformed-json"
  | "malformed-query"
  | "body-too-large"
  | "missing-parameter"
  | "invalid-parameter"
  | "parameter-out-of-range"
  | "invalid-combination"
  | "missing-order-id"
  | "too-many-cancels"
  | "invalid-side"
  | "invalid-order-type"
  | "invalid-time-in-force"
  | "invalid-client-order-id"
  | "time-range-too-long"
  | "start-after-end"
  | "unknown-path"
  | "method-not-allowed"
  | "upgrade-required"
  | "malformed-request"
  | "headers-too-large"
  | "request-timeout"
  | "overloaded"
  | "disk-nearly-full"
  | "history-behind"
  | "stopping";

export type RefusalReason = RejectReason | GatewayReason;

/** A refusal on its way to the wire. `field` names the offending input as the caller spelt it. */
export interface Refusal {
  readonly ok: false;
  readonly reason: RefusalReason;
  readonly field: string | null;
  readonly detail: string | null;
}

export function refuse(
  reason: RefusalReason,
  field: string | null = null,
  detail: string | null = null,
): Refusal {
  return { ok: false, reason, field, detail };
}

const UNAUTHORIZED = { v3: 401 };
const FORBIDDEN = { v3: 403 };
const UNAVAILABLE = { v2: 503, v3: 503 };
const both = (status: number) => ({ v2: status, v3: status });

const AUTHENTICATION_ERRORS = {
  "missing-access-key": entry(
    "40001",
    -1040,
    "Header ACCESS-KEY is required",
    "The header is missing or empty. Send the API key in it.",
    UNAUTHORIZED,
  ),
  "missing-access-sign": entry(
    "40002",
    -1041,
    "Header ACCESS-SIGN is required",
    "The header is missing or empty. Send the signature in it.",
    UNAUTHORIZED,
  ),
  "missing-access-timestamp": entry(
    "40003",
    -1042,
    "Header ACCESS-TIMESTAMP is required",
    "The header is missing or empty. Send the time in milliseconds in it.",
    UNAUTHORIZED,
  ),
  "missing-access-passphrase": entry(
    "40011",
    -1048,
    "Header ACCESS-PASSPHRASE is required",
    "The header is missing or empty. Send the key's passphrase in it.",
    UNAUTHORIZED,
  ),
  "timestamp-malformed": entry(
    "40005",
    -1043,
    "ACCESS-TIMESTAMP must be 13 digits: milliseconds since the Unix epoch",
    "The timestamp is not 13 decimal digits. Seconds and ISO dates are not accepted.",
    UNAUTHORIZED,
  ),
  "timestamp-expired": entry(
    "40008",
    -1046,
    "Request timestamp expired: more than 30 seconds from server time",
    "Set the machine's clock, or take the difference from GET /api/v3/time.",
    UNAUTHORIZED,
  ),
  "wrong-content-type": entry(
    "40007",
    -1045,
    "Content-Type must be application/json",
    "A request with a body has another content type or none.",
    UNAUTHORIZED,
  ),
  "unknown-key": entry(
    "40006",
    -1044,
    "Unknown ACCESS-KEY",
    "The key does not exist, was revoked, or has expired.",
    UNAUTHORIZED,
  ),
  "bad-signature": entry(
    "40009",
    -1047,
    "Signature verification failed",
    "Sign timestamp + METHOD + path with query + body exactly as they are sent.",
    UNAUTHORIZED,
  ),
  "wrong-passphrase": entry(
    "40012",
    -1049,
    "API key or passphrase incorrect",
    "The signature is right but the passphrase is not the one of this key.",
    UNAUTHORIZED,
  ),
  "address-not-allowed": entry(
    "40018",
    -1056,
    "This IP address is not allowed for the key",
    "The key has an allow-list of addresses and the caller's is not in it.",
    FORBIDDEN,
  ),
  "permission-denied": entry(
    "40014",
    -1052,
    "The key lacks the permission for this call",
    "Give the key the permission that the endpoint names.",
    FORBIDDEN,
  ),
} satisfies Partial<Record<RefusalReason, ErrorEntry>>;

const REQUEST_ERRORS = {
  "rate-limited": entry(
    "429",
    -1003,
    "Too many requests",
    "Wait the seconds that Retry-After names.",
    both(429),
  ),
  "malformed-json": entry(
    "40017",
    -1135,
    "The body is malformed",
    "Not UTF-8, not JSON, no object, or a key that is repeated, forbidden or escaped; or too deep.",
  ),
  "malformed-query": entry(
    "40017",
    -1140,
    "The query string is malformed",
    "Bad percent-encoding, invalid UTF-8 or a repeated parameter.",
  ),
  "body-too-large": entry(
    "40017",
    -1140,
    "The body is larger than 16 KiB",
    "Send less in one request.",
  ),
  "missing-parameter": entry(
    "40019",
    -1141,
    "Parameter is required",
    "The message names the parameter.",
  ),
  "invalid-parameter": entry(
    "40020",
    -1142,
    "Parameter is invalid",
    "Wrong type or form. The message names the parameter and what would be accepted.",
  ),
  "parameter-out-of-range": entry(
    "40020",
    -1140,
    "Parameter is out of range",
    "The message names the parameter and its bounds.",
  ),
  "invalid-combination": entry(
    "40017",
    -1128,
    "Parameters cannot be combined",
    "The message names the parameters.",
  ),
  "missing-order-id": entry(
    "40913",
    -1140,
    "An order id or a client order id must be sent",
    "Send one of the two.",
  ),
  "too-many-cancels": entry(
    "40912",
    -1140,
    "At most 50 orders can be cancelled in one request",
    "Send the others in another request.",
  ),
  "invalid-side": entry("40020", -1117, "Invalid side", "Buy or sell."),
  "invalid-order-type": entry("40020", -1116, "Invalid order type", "Limit or market."),
  "invalid-time-in-force": entry(
    "40020",
    -1115,
    "Invalid time in force",
    "v2 force: normal, postOnly, fok, ioc. v3 timeInForce: GTC, IOC, FOK, POST_ONLY.",
  ),
  "invalid-client-order-id": entry(
    "40017",
    -1180,
    "Client order id must be 1 to 40 characters of A-Z a-z 0-9 . _ : / # -",
    "Choose another client order id.",
  ),
  "time-range-too-long": entry(
    "40017",
    -1170,
    "The time range is too long or too far back",
    "Ask for a shorter or a later range.",
  ),
  "start-after-end": entry(
    "40017",
    -1171,
    "startTime is after endTime",
    "Both ends are inclusive milliseconds.",
  ),
  "unknown-path": entry(
    "40404",
    -1150,
    "Unknown path",
    "The reference at /docs lists every path.",
    both(404),
  ),
  "method-not-allowed": entry(
    "40404",
    -1150,
    "Request method not supported",
    "The Allow header names the methods of this path.",
    both(405),
  ),
  "upgrade-required": entry(
    "40404",
    -1150,
    "This path is a WebSocket",
    "Open it with a WebSocket client: GET with Upgrade: websocket.",
    both(426),
  ),
  "malformed-request": entry(
    "40017",
    -1140,
    "The request is not valid HTTP",
    "The URL, a header or the message framing cannot be read.",
  ),
  "headers-too-large": entry(
    "40017",
    -1140,
    "The request headers are too large",
    "Headers and URL together may take 16 KiB.",
    both(431),
  ),
  "request-timeout": entry(
    "40017",
    -1140,
    "The request did not arrive in time",
    "Headers have 5 seconds, a whole request 10.",
    both(408),
  ),
} satisfies Partial<Record<RefusalReason, ErrorEntry>>;

const UNAVAILABLE_ERRORS = {
  overloaded: entry(
    "40015",
    -1000,
    "The exchange is overloaded, try again",
    "Nothing was changed. Retry-After says when to try again.",
    UNAVAILABLE,
  ),
  "disk-nearly-full": entry(
    "40015",
    -1000,
    "The exchange's disk is nearly full; only cancels are accepted",
    "Nothing was changed. The operator has to make room.",
    UNAVAILABLE,
  ),
  "history-behind": entry(
    "40015",
    -1000,
    "History has not caught up yet, try again",
    "Retry-After says when to try again.",
    UNAVAILABLE,
  ),
  stopping: entry(
    "40015",
    -1000,
    "The exchange is stopping, try again",
    "Nothing was changed. Retry-After says when to try again.",
    UNAVAILABLE,
  ),
} satisfies Partial<Record<RefusalReason, ErrorEntry>>;

const TRADING_ERRORS = {
  "unknown-symbol": entry(
    "40034",
    -1121,
    "Invalid symbol",
    "No such market. exchangeInfo lists them, contracts and spot markets apart.",
  ),
  "unknown-asset": entry("40034", -1142, "Unknown asset", "GET /api/v3/coins lists them."),
  "unknown-user": entry("40034", -1142, "Unknown user", "No such uid."),
  "unknown-api-key": entry("40034", -1142, "Unknown API key", "No such key."),
  "unknown-invite-code": entry("40034", -1142, "Unknown invite code", "No such code."),
  "unknown-movement": entry("40034", -1142, "Unknown movement of funds", "No such movement."),
  "unknown-commission": entry(
    "40034",
    -1142,
    "Unknown commission",
    "No such commission, or it is another affiliate's.",
  ),
  "not-an-affiliate": entry(
    "40014",
    -1052,
    "The user is not an affiliate",
    "Ask the operator to make the user an affiliate.",
    FORBIDDEN,
  ),
  "order-not-found": entry(
    "43001",
    -2200,
    "Order does not exist",
    "No such order, it is not the caller's, or it has ended and only a working one will do.",
  ),
  malformed: entry(
    "40020",
    -1142,
    "Parameter is invalid",
    "Amounts are plain decimal text: no sign, exponent, white space or leading zero.",
  ),
  "off-tick": entry(
    "40020",
    -1160,
    "Price is not a multiple of the tick size",
    "exchangeInfo names the market's tickSize.",
  ),
  "off-step": entry(
    "40020",
    -1160,
    "Quantity is not a multiple of the step size",
    "exchangeInfo names the market's stepSize.",
  ),
  "excess-precision": entry(
    "40020",
    -1160,
    "Amount has more decimals than the asset",
    "exchangeInfo names the precision of each asset.",
  ),
  "out-of-range": entry(
    "40020",
    -1140,
    "Parameter is out of range",
    "The message names the parameter.",
  ),
  "quantity-below-minimum": entry(
    "43006",
    -2204,
    "Quantity is below the minimum",
    "exchangeInfo names the market's minTradeAmount.",
  ),
  "quantity-above-maximum": entry(
    "43006",
    -2205,
    "Quantity is above the maximum",
    "exchangeInfo names the market's maxTradeAmount.",
  ),
  "notional-below-minimum": entry(
    "45110",
    -2204,
    "Price times quantity is below the minimum",
    "exchangeInfo names the market's minNotional.",
  ),
  "price-outside-band": entry(
    "43011",
    -2203,
    "Price is too far from the market's",
    "Buy at most last × (1 + buyLimitPriceRatio), sell at least " +
      "last × (1 − sellLimitPriceRatio); on contracts mark instead of last.",
  ),
  "user-frozen": entry("40013", -1057, "The user is frozen", "Ask the operator."),
  "market-not-trading": entry(
    "43115",
    -1058,
    "The market takes no orders now",
    "The market is cancel-only or halted.",
  ),
  "market-halted": entry(
    "43115",
    -1058,
    "The market is halted",
    "Neither orders nor cancels are accepted until the operator resumes it.",
  ),
  "insufficient-balance": entry(
    "43012",
    -2201,
    "Balance amount not enough",
    "The available balance does not cover the order.",
  ),
  "too-many-open-orders": entry(
    "45116",
    -2206,
    "Too many open orders in this market",
    "Cancel some first; the message names the limit that the operator set (200 by default).",
  ),
  "duplicate-client-order-id": entry(
    "40017",
    -2202,
    "Client order id was used for another order",
    "The same id with the same payload answers the first order again; with another it is refused.",
  ),
  conflict: entry("40017", -1140, "The request conflicts with the present state", "See message."),
} satisfies Partial<Record<RejectReason, ErrorEntry>>;

export const ERRORS: Readonly<Record<RefusalReason, ErrorEntry>> = withContractCodes({
  ...AUTHENTICATION_ERRORS,
  ...REQUEST_ERRORS,
  ...TRADING_ERRORS,
  ...CONTRACT_ERRORS,
  ...UNAVAILABLE_ERRORS,
});

/** The text of a refusal: the registry's message, then the field, then what would be accepted. */
export function errorMessage(refusal: Refusal): string {
  const { message } = ERRORS[refusal.reason];
  const named = refusal.field === null ? message : `${message}: ${refusal.field}`;
  return refusal.detail === null ? named : `${named} (${refusal.detail})`;
}

/** The family whose form an error takes on a path, known or unknown. */
export function familyOfPath(path: string): Family {
  if (path.startsWith("/capi/v3")) return "capi";
  return path.startsWith("/api/v3") ? "v3" : "v2";
}
