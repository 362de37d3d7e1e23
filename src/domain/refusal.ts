/**
 * Refusals are values. The engine and the parsers refuse with a `RejectReason`; both APIs add
 * reasons of their own. `api/errors.ts` has the code, status and message of each reason.
 */
export type RejectReason =
  // Does not exist, or does not belong to the caller.
  | "unknown-symbol"
  | "unknown-asset"
  | "unknown-user"
  | "unknown-api-key"
  | "unknown-invite-code"
  | "unknown-movement"
  | "order-not-found"
  // Cannot be parsed, or is out of bounds.
  | "malformed"
  | "off-tick"
  | "off-step"
  | "excess-precision"
  | "out-of-range"
  | "quantity-below-minimum"
  | "quantity-above-maximum"
  | "notional-below-minimum"
  | "price-outside-band"
  // The current state does not allow it.
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
  | "unknown-commission"
  // Withdrawals.
  | "unknown-withdrawal"
  | "unknown-address"
  | "withdrawals-closed"
  | "withdrawal-on-hold"
  | "withdrawal-limit"
  | "withdrawal-state"
  // Deposits.
  | "unknown-deposit"
  | "deposits-closed";

/** `field` names the invalid input; `detail` says what would be accepted, or what is wrong. */
export interface Refusal<Reason extends string> {
  readonly ok: false;
  readonly reason: Reason;
  readonly field: string | null;
  readonly detail: string | null;
}

/** A refusal of the engine or a parser. */
export type Rejection = Refusal<RejectReason>;

export interface Accepted<Value> {
  readonly ok: true;
  readonly value: Value;
}

export type Result<Value> = Accepted<Value> | Rejection;

export function accept<Value>(value: Value): Accepted<Value> {
  return { ok: true, value };
}

export function refusal<Reason extends string>(
  reason: Reason,
  field: string | null = null,
  detail: string | null = null,
): Refusal<Reason> {
  return { ok: false, reason, field, detail };
}

export function reject(
  reason: RejectReason,
  field: string | null = null,
  detail: string | null = null,
): Rejection {
  return refusal(reason, field, detail);
}
