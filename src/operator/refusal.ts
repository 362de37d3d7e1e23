/** Converts refusals to responses of the operator API. */
import { OPERATOR_ERRORS, type Refusal, refuse } from "../api/errors.ts";
import type { OperatorReason } from "../api/operator/errors.ts";
import type { Unavailable } from "../protocol/index.ts";
import type { HistoryUnavailable } from "../queries/history-port.ts";

/** What a call led to that waits for a second operator. */
export interface Waiting {
  readonly proposalId: number;
  readonly expiresMs: number;
  /** Of an operator: it works once the proposal is approved. */
  readonly token?: string;
}

/** Every refusal that a call may return. */
export type Refused =
  | Refusal<OperatorReason>
  | ((Unavailable | HistoryUnavailable) & { readonly ok: false })
  | { readonly ok: false; readonly waiting: Waiting };

export interface WireRefusal {
  readonly error: { readonly code: string; readonly message: string; readonly field?: string };
}

/** The field that a refusal is about, by its name in a path. */
const SUBJECTS: Partial<Record<OperatorReason, string>> = {
  "unknown-symbol": "symbol",
  "unknown-asset": "asset",
  "unknown-user": "uid",
  "unknown-api-key": "apiKey",
  "unknown-movement": "id",
  "not-an-affiliate": "uid",
  "unknown-commission": "commissionId",
  "unknown-withdrawal": "withdrawalId",
  "unknown-address": "addressId",
  "unknown-deposit": "depositId",
};

/** The details of these say what the field must be; other details say what is wrong. */
const BOUNDS: ReadonlySet<OperatorReason> = new Set([
  "malformed",
  "out-of-range",
  "off-step",
  "off-tick",
  "index-step-too-large",
]);

/** `pathNames` are the names in the call's path: 404 when one of them does not exist. */
export function toWire(
  refused: Refused,
  pathNames: readonly string[] = [],
): { readonly status: number; readonly body: WireRefusal } {
  const { reason: code, field, detail } = asRefusal(refused);
  const { status, message: title } = OPERATOR_ERRORS[code];
  const named = field ?? SUBJECTS[code] ?? null;
  const missing = SUBJECTS[code] !== undefined && named !== null && pathNames.includes(named);
  const bound = field !== null && BOUNDS.has(code) ? `${field} must be ` : "";
  const message = detail === null ? title : `${title}: ${bound}${detail}`;
  const error = { code, message };
  return {
    status: missing ? 404 : status,
    body: { error: named === null ? error : { ...error, field: named } },
  };
}

/** The only time that the token is shown. */
function waitingText({ proposalId, expiresMs, token }: Waiting): string {
  const until = `proposal ${proposalId}, until ${new Date(expiresMs).toISOString()}`;
  return token === undefined ? until : `${until}; the token, once it is approved: ${token}`;
}

export function reasonOf(refused: Refused): OperatorReason {
  return asRefusal(refused).reason;
}

function asRefusal(refused: Refused): Refusal<OperatorReason> {
  if ("waiting" in refused) {
    return refuse("waits-for-second-operator", null, waitingText(refused.waiting));
  }
  if (!("unavailable" in refused)) return refused;
  // Orders of users alone are counted.
  const { unavailable } = refused;
  return refuse(unavailable === "rate-limited" ? "overloaded" : unavailable);
}
