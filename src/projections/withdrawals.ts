/** Rows of withdrawals: each as it is now, and its steps. */
import { STATE_BEFORE, type WithdrawalState } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import type { Instruments } from "./instruments.ts";

type WithdrawalChanged = EventOf<"withdrawal-changed">;

export function withdrawalRow(
  event: WithdrawalChanged,
  instruments: Instruments,
  timestampMs: number,
): Row<"withdrawals"> {
  return {
    withdrawal_id: event.withdrawalId,
    uid: event.uid,
    request_id: event.requestId,
    asset: event.asset,
    amount: instruments.amountText(event.asset, event.amountMinor),
    fee: instruments.amountText(event.asset, event.feeMinor),
    address_id: event.addressId,
    network: event.network,
    address: event.address,
    memo: event.memo,
    state: event.state,
    reference: event.reference,
    requested_ms: event.requestedMs,
    changed_ms: timestampMs,
  };
}

export function withdrawalStepRow(
  event: WithdrawalChanged,
  timestampMs: number,
): Row<"withdrawal_steps"> {
  return {
    withdrawal_id: event.withdrawalId,
    step: stepNumber(event.state),
    step_id: event.stepId,
    state: event.state,
    actor: event.actor,
    note: event.note,
    time_ms: timestampMs,
  };
}

/** No state is reached twice, and none skipped. */
function stepNumber(state: WithdrawalState): number {
  return state === "requested" ? 1 : stepNumber(STATE_BEFORE[state]) + 1;
}
