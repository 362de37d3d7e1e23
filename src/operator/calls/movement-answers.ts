/** What the lists and the single answers of movements have in common. */
import type { FundsMovementView } from "../../protocol/index.ts";
import type { OperatorMovement } from "../../queries/history-port.ts";

/** A movement as the exchange remembers it, with the balance of its first answer. */
export function toMovement(view: FundsMovementView) {
  const { requestId, asset, amount, balance, timestampMs } = view;
  return { id: requestId, asset, amount, balance, time: timestampMs };
}

/** A movement as the history has it. */
export function toListedMovement(row: OperatorMovement) {
  return { id: row.requestId, asset: row.asset, amount: row.amount, time: row.timeMs };
}
