/** What everybody learns of a withdrawal that was requested or went one step further. */
import { invariant, type WithdrawalState } from "../../domain/index.ts";
import type { WithdrawalStepAnswer } from "../../protocol/index.ts";
import type { Asset, Context } from "../state.ts";
import type { Withdrawal } from "./withdrawal-state.ts";

export function emitChange(context: Context, withdrawal: Withdrawal, actor: string): void {
  const { assetIndex, isOwn: _, steps, ...terms } = withdrawal;
  const [request] = steps;
  const last = steps.at(-1);
  invariant(request !== undefined && last !== undefined, "a withdrawal begins with its request");
  const { asset } = context.state.assets[assetIndex] as Asset;
  context.emit({
    type: "withdrawal-changed",
    actor,
    ...terms,
    asset,
    requestId: request.requestId,
    requestedMs: request.timestampMs,
    state: last.state,
    stepId: last.requestId,
    note: last.note,
    reference: steps.find(({ state }) => state === "sent")?.note ?? "",
  });
}

/** The answer to the command that took a withdrawal to a state. */
export function stepAnswer(withdrawal: Withdrawal, state: WithdrawalState): WithdrawalStepAnswer {
  const step = withdrawal.steps.find((one) => one.state === state);
  invariant(step !== undefined, "the withdrawal was in this state");
  return { withdrawalId: withdrawal.withdrawalId, state, timestampMs: step.timestampMs };
}
