/** Rows of reported deposits, each as it is now. */
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import type { Instruments } from "./instruments.ts";

export function depositRow(
  event: EventOf<"deposit-changed">,
  instruments: Instruments,
  timestampMs: number,
): Row<"deposits"> {
  return {
    deposit_id: event.depositId,
    uid: event.uid,
    asset: event.asset,
    amount: instruments.amountText(event.asset, event.amountMinor),
    network: event.network,
    transaction_id: event.transactionId,
    output_index: event.outputIndex,
    confirmations: event.confirmations,
    required: event.required,
    state: event.state,
    first_ms: event.firstMs,
    changed_ms: timestampMs,
  };
}
