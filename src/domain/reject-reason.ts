/**
 * Why a command was refused. The engine and the parsers speak in these words alone; what the wire
 * calls them (code, message, HTTP status) stands in `api/errors.ts`.
 */
export type RejectReason =
  // What is named does not exist, or is not the caller's.
  | "unknown-symbol"
  | "unknown-asset"
  | "unknown-user"
  | "unknown-api-key"
  | "unknown-invite-code"
  | "unknown-movement"
  | "order-not-found"
  // What was asked for cannot be read or is outside its bounds.
  | "malformed"
  | "off-tick"
  | "off-step"
  | "excess-precision"
  | "out-of-range"
  | "quantity-below-minimum"
  | "quantity-above-maximum"
  | "notional-below-minimum"
  | "price-outside-band"
  // The state does not allow it.
  | "user-frozen"
  | "market-not-trading"
  | "market-halted"
  | "insufficient-balance"
  | "too-many-open-orders"
  | "duplicate-client-order-id"
  | "conflict"
  | "would-take"
  // Contracts.
  | "insufficient-margin"
  | "close-exceeds-position"
  | "position-limit"
  | "leverage-above-maximum"
  | "leverage-in-use"
  | "margin-type-in-use"
  | "would-trigger"
  | "no-mark-price"
  | "index-stale"
  | "index-step-too-large"
  | "failed-precondition"
  | "algo-order-not-found"
  | "only-opening-orders"
  | "trigger-on-wrong-side"
  // Affiliates.
  | "not-an-affiliate"
  | "unknown-commission";

/**
 * A refusal is a value. `field` names the offending input, `detail` says what would be accepted.
 */
export interface Rejection {
  readonly ok: false;
  readonly reason: RejectReason;
  readonly field: string | null;
  readonly detail: string | null;
}

export interface Accepted<Value> {
  readonly ok: true;
  readonly value: Value;
}

export type Result<Value> = Accepted<Value> | Rejection;

export function accept<Value>(value: Value): Accepted<Value> {
  return { ok: true, value };
}

export function reject(
  reason: RejectReason,
  field: string | null = null,
  detail: string | null = null,
): Rejection {
  return { ok: false, reason, field, detail };
}
