/** Why an order could not be cancelled, where that is said inside the answer. */
import type { Rejection, RejectReason } from "../../domain/index.ts";

const PER_ORDER_REASONS: ReadonlySet<RejectReason> = new Set(["order-not-found", "market-halted"]);

/** It is about the order alone. Anything else refuses the request. */
export function isPerOrder({ reason }: Rejection): boolean {
  return PER_ORDER_REASONS.has(reason);
}

/** Public clients know `FAILED_ORDER_NOT_FOUND`; other reasons are spelt in the same way. */
export function failureMark({ reason }: Rejection): string {
  return `FAILED_${reason.toUpperCase().replaceAll("-", "_")}`;
}
