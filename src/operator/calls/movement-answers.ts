/** Conversions of movements for lists and single results. */
import type { FundsMovementView } from "../../protocol/index.ts";
import type { OperatorMovement } from "../../queries/history-port.ts";

/** A movement from the exchange's state, with the balance of its first answer. */
export function toMovement(view: FundsMovementView) {
  const { requestId, asset, amount, balance, timestampMs } = view;
  return { id: requestId, asset, amount, balance, time: timestampMs };
}

/** A movement from the history. */
export function toListedMovement(row: OperatorMovement) {
  return { id: row.requestId, asset: row.asset, amount: row.amount, time: row.timeMs };
}
