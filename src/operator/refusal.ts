/**
 * Refusals of the operator plane: one registry of codes, statuses and messages, and their wire
 * form.
 */
import type { Rejection, RejectReason } from "../domain/index.ts";
import type { Unavailable } from "../protocol/index.ts";
import type { HistoryUnavailable } from "../queries/history-port.ts";

/** What only this plane refuses; the rest are the reasons of the exchange. */
export type PlaneReason =
  | "unauthorized"
  | "too-many-wrong-tokens"
  | "unknown-path"
  | "unknown-id"
  | "sandbox-only"
  | "body-too-large"
  | "unsupported-content-type"
  | "not-ready"
  | "internal-error";

type UnavailableReason = (Unavailable | HistoryUnavailable)["unavailable"];
export type RefusalCode = RejectReason | PlaneReason | UnavailableReason;

/** A refusal on its way out. `field` is a name of the request as its sender knows it. */
export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly field: string | null;
  readonly detail: string | null;
}

/** All that a call may refuse with. */
export type Refused =
  | Refusal
  | Rejection
  | { readonly ok: false; readonly unavailable: UnavailableReason };

export interface WireRefusal {
  readonly error: { readonly code: string; readonly message: string; readonly field?: string };
}

interface Entry {
  readonly status: 400 | 401 | 404 | 409 | 429 | 500 | 503;
  readonly message: string;
}

const entry = (status: Entry["status"], message: string): Entry => ({ status, message });

const ENTRIES: Readonly<Record<RefusalCode, Entry>> = {
  // 404 when the path names it, 400 when the body does: see `statusOf`.
  "unknown-symbol": entry(400, "No market has this symbol"),
  "unknown-asset": entry(400, "This asset is not listed"),
  "unknown-user": entry(400, "No user has this uid"),
  "unknown-api-key": entry(400, "No such API key, or it was revoked"),
  "unknown-invite-code": entry(400, "No user has this invite code"),
  "not-an-affiliate": entry(400, "The user is no affiliate"),
  "unknown-commission": entry(404, "The commission is unknown or in another state"),
  "unknown-movement": entry(404, "No movement has this id"),
  "unknown-id": entry(404, "Nothing has this id"),
  "unknown-path": entry(404, "No such call; GET /operator/v1/openapi.json lists all"),
  "order-not-found": entry(404, "No such order"),
  "algo-order-not-found": entry(404, "No such conditional order"),

  malformed: entry(400, "The request cannot be read"),
  "index-step-too-large": entry(400, "The price is too far from the last index"),
  "off-tick": entry(400, "The price is not a multiple of tickSize"),
  "off-step": entry(400, "The quantity is not a multiple of stepSize"),
  "excess-precision": entry(400, "The value has more decimals than can be kept"),
  "out-of-range": entry(400, "The value is outside its bounds"),
  "quantity-below-minimum": entry(400, "The quantity is below the minimum of the market"),
  "quantity-above-maximum": entry(400, "The quantity is above the maximum of the market"),
  "notional-below-minimum": entry(400, "The notional is below the minimum of the market"),
  "price-outside-band": entry(400, "The price is outside the band around the last price"),
  "body-too-large": entry(400, "The body is too large"),
  "unsupported-content-type": entry(400, "The body is not JSON"),

  unauthorized: entry(401, "The operator's bearer token is missing or wrong"),
  "too-many-wrong-tokens": entry(
    429,
    "Too many wrong tokens came from this address; wait the seconds that Retry-After names",
  ),

  "user-frozen": entry(409, "The user is frozen"),
  "market-not-trading": entry(409, "The market takes no orders now"),
  "market-halted": entry(409, "The market is halted"),
  "insufficient-balance": entry(409, "The available balance is not enough"),
  "too-many-open-orders": entry(409, "The account has too many open orders"),
  "duplicate-client-order-id": entry(409, "The client order id was used for another order"),
  "would-take": entry(409, "The post-only order would trade at once"),
  conflict: entry(409, "The request contradicts what is there"),
  "insufficient-margin": entry(409, "The available margin is not enough"),
  "close-exceeds-position": entry(409, "The quantity is more than can be closed"),
  "position-limit": entry(409, "The position would be above the maximum of the market"),
  "leverage-above-maximum": entry(409, "The leverage is above the maximum for this size"),
  "leverage-in-use": entry(409, "The leverage cannot change while opening orders rest"),
  "margin-type-in-use": entry(409, "The margin type cannot change with orders or a position"),
  "would-trigger": entry(409, "The condition already holds"),
  "no-mark-price": entry(409, "The market has no mark price yet"),
  "index-stale": entry(409, "The index of the market is stale"),
  "failed-precondition": entry(409, "The position does not allow it"),
  "only-opening-orders": entry(409, "Only an opening order can carry this"),
  "trigger-on-wrong-side": entry(409, "The trigger price is on the wrong side"),
  "sandbox-only": entry(409, "Only an exchange started with --sandbox does this"),

  overloaded: entry(503, "Too much is waiting; send the request again later"),
  "disk-nearly-full": entry(503, "The disk is nearly full; make room, then send the request again"),
  stopping: entry(503, "The exchange is stopping; send the request again after its restart"),
  "history-behind": entry(503, "The history is still being written; send the request again"),
  "not-ready": entry(503, "The exchange is not ready"),
  "internal-error": entry(500, "The exchange failed to answer; its log says why"),
};

/** What a refusal is about, and the name in a path that this would have. */
const SUBJECTS: Partial<Record<RefusalCode, string>> = {
  "unknown-symbol": "symbol",
  "unknown-asset": "asset",
  "unknown-user": "uid",
  "unknown-api-key": "apiKey",
  "unknown-movement": "id",
  "not-an-affiliate": "uid",
  "unknown-commission": "commissionId",
};

export function refuse(
  code: RefusalCode,
  field: string | null = null,
  detail: string | null = null,
): Refusal {
  return { ok: false, code, field, detail };
}

/** `pathNames` are the names in the path of the call: what they name and is not there is a 404. */
export function toWire(
  refused: Refused,
  pathNames: readonly string[] = [],
): { readonly status: number; readonly body: WireRefusal } {
  const { code, field, detail } = asRefusal(refused);
  const { status, message } = ENTRIES[code];
  const named = field ?? SUBJECTS[code] ?? null;
  const missing = SUBJECTS[code] !== undefined && named !== null && pathNames.includes(named);
  const about = field === null ? "" : ` ${field}`;
  const text = detail === null ? message : `${message}:${about} ${detail}`;
  const error = { code, message: text };
  return {
    status: missing ? 404 : status,
    body: { error: named === null ? error : { ...error, field: named } },
  };
}

export function codeOf(refused: Refused): RefusalCode {
  return asRefusal(refused).code;
}

function asRefusal(refused: Refused): Refusal {
  if ("unavailable" in refused) return refuse(refused.unavailable);
  if ("code" in refused) return refused;
  return refuse(refused.reason, refused.field, refused.detail);
}
