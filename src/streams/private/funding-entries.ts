/** Entries of the channels of withdrawals and deposits: the rows that their calls answer. */
import type { depositsRoute, withdrawalsRoute } from "../../api/additions/withdrawals.ts";
import type { AnswerOf } from "../../api/route.ts";
import type { EventOf } from "../../protocol/index.ts";
import type { Instruments } from "../channels/instruments.ts";

export function withdrawalEntry(
  event: EventOf<"withdrawal-changed">,
  instruments: Instruments,
  timestampMs: number,
): AnswerOf<typeof withdrawalsRoute>[number] {
  const { withdrawalId, asset, addressId, network, address, memo } = event;
  return {
    withdrawalId,
    clientWithdrawalId: event.requestId,
    asset,
    amount: instruments.amountText(asset, event.amountMinor),
    fee: instruments.amountText(asset, event.feeMinor),
    addressId,
    network,
    address,
    memo,
    status: upperCase(event.state),
    txId: event.reference,
    createTime: event.requestedMs,
    updateTime: timestampMs,
  };
}

export function depositEntry(
  event: EventOf<"deposit-changed">,
  instruments: Instruments,
  timestampMs: number,
): AnswerOf<typeof depositsRoute>[number] {
  const { depositId, asset, network, outputIndex, confirmations } = event;
  return {
    depositId,
    asset,
    amount: instruments.amountText(asset, event.amountMinor),
    network,
    txId: event.transactionId,
    outputIndex,
    confirmations,
    requiredConfirmations: event.required,
    status: upperCase(event.state),
    createTime: event.firstMs,
    updateTime: timestampMs,
  };
}

function upperCase<State extends string>(state: State): Uppercase<State> {
  return state.toUpperCase() as Uppercase<State>;
}
