/** Errors of the operator API: its own, and those that differ from the API. */
import type { RejectReason } from "../../domain/index.ts";
import type { ErrorEntry } from "../error-entry.ts";
import type { UnavailableReason } from "../request-errors.ts";

type SharedReason = RejectReason | UnavailableReason;

/** The code on the wire is the reason itself. */
export interface OperatorError {
  readonly status: number;
  readonly message: string;
}

export const OPERATOR_OWN_ERRORS = {
  unauthorized: {
    status: 401,
    message: "Missing or wrong operator token: send it as a bearer token in Authorization",
  },
  "waits-for-second-operator": { status: 202, message: "Waits for a second operator" },
  "role-not-allowed": { status: 403, message: "Your role does not allow this call" },
  "too-many-wrong-tokens": {
    status: 429,
    message: "Too many wrong tokens from this address: retry after the seconds in Retry-After",
  },
  "unknown-path": {
    status: 404,
    message: "Unknown path: GET /operator/v1/openapi.json lists every call",
  },
  "unknown-id": { status: 404, message: "Unknown id" },
  "unknown-checkpoint": { status: 404, message: "Unknown checkpoint" },
  "no-cluster": { status: 409, message: "This exchange is on one machine, and no cluster" },
  "no-cluster-demo": { status: 409, message: "Only `rialto cluster demo` starts its processes" },
  "unknown-node": { status: 404, message: "Unknown node" },
  "not-promoted": { status: 503, message: "The node does not lead" },
  "not-started": { status: 503, message: "The process did not start" },
  "sandbox-only": { status: 409, message: "Sandbox only: start the exchange with --sandbox" },
  "body-too-large": { status: 400, message: "The body is too large" },
  "unsupported-content-type": { status: 400, message: "Unsupported content type" },
  "disk-failed": {
    status: 503,
    message: "The disk failed: check it and the log of the exchange, then try again",
  },
  "journal-damaged": {
    status: 503,
    message: "The journal on the disk is damaged: stop the exchange, run `rialto journal verify`",
  },
  "not-ready": { status: 503, message: "The exchange is not ready" },
  "internal-error": { status: 500, message: "Internal error: see the log of the exchange" },
} satisfies Readonly<Record<string, OperatorError>>;

/** The error reasons of the operator API. */
export type OperatorReason = SharedReason | keyof typeof OPERATOR_OWN_ERRORS;

/** All others answer 400 with the message of the API. */
const DIFFERENCES: Readonly<Partial<Record<SharedReason, Partial<OperatorError>>>> = {
  malformed: { message: "Invalid request" },
  "out-of-range": { message: "Value out of range" },
  "excess-precision": { message: "Too many decimals" },
  "unknown-symbol": { message: "Unknown symbol" },

  "unknown-movement": { status: 404 },
  "unknown-commission": {
    status: 404,
    message: "Unknown commission, or not in a state that allows this",
  },
  "order-not-found": { status: 404 },
  "algo-order-not-found": { status: 404 },

  conflict: { status: 409, message: "Conflict" },
  "insufficient-balance": { status: 409, message: "Insufficient balance" },
  "insufficient-margin": { status: 409, message: "Insufficient margin" },
  "failed-precondition": { status: 409, message: "The position does not allow this" },
  "user-frozen": { status: 409 },
  "market-not-trading": { status: 409 },
  "market-halted": { status: 409 },
  "too-many-open-orders": { status: 409 },
  "duplicate-client-order-id": { status: 409 },
  "would-take": { status: 409 },
  "close-exceeds-position": { status: 409 },
  "position-limit": { status: 409 },
  "leverage-above-maximum": { status: 409 },
  "leverage-in-use": { status: 409 },
  "margin-type-in-use": { status: 409 },
  "would-trigger": { status: 409 },
  "no-mark-price": { status: 409 },
  "index-stale": { status: 409 },
  "only-opening-orders": { status: 409 },
  "trigger-on-wrong-side": { status: 409 },

  "withdrawals-closed": { status: 409 },
  "withdrawal-on-hold": { status: 409 },
  "withdrawal-limit": { status: 409 },
  "withdrawal-state": { status: 409 },
  "deposits-closed": { status: 409 },

  "disk-nearly-full": {
    status: 503,
    message: "The disk is nearly full: free some space, then try again",
  },
  overloaded: { status: 503 },
  stopping: { status: 503 },
  "not-leader": { status: 503 },
  "outcome-unknown": { status: 503 },
  "history-behind": { status: 503 },
};

/** The operator API's answers for the reasons of the API. */
export function operatorErrors<Reason extends SharedReason>(
  entries: Readonly<Record<Reason, ErrorEntry>>,
): Readonly<Record<Reason, OperatorError>> {
  const errors: Record<string, OperatorError> = {};
  for (const [reason, { message }] of Object.entries<ErrorEntry>(entries)) {
    errors[reason] = { status: 400, message, ...DIFFERENCES[reason as Reason] };
  }
  return errors as Record<Reason, OperatorError>;
}
