/**
 * An operator takes a withdrawal one step further, or its user takes it back. The frozen money is
 * the user's again when it is rejected or has failed, and leaves the exchange, less the fee, when
 * it is done.
 */
import { accept, invariant, type Result, reject, STATE_BEFORE } from "../../domain/index.ts";
import type { CommandOf, WithdrawalStepAnswer } from "../../protocol/index.ts";
import { walletEquityMinor } from "../accounts/wallets.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { type Asset, type Context, type State, type User, userAccount } from "../state.ts";
import { emitChange, stepAnswer } from "./change.ts";
import { uncount } from "./request.ts";
import { isEnded, stateOf, type Withdrawal } from "./withdrawal-state.ts";

type Answer = Result<WithdrawalStepAnswer>;
type Step = Pick<CommandOf<"set-withdrawal-state">, "actor" | "requestId" | "state" | "note">;

export function setWithdrawalState(
  context: Context,
  command: CommandOf<"set-withdrawal-state">,
): Answer {
  const withdrawal = context.state.withdrawals.find(command.withdrawalId);
  if (withdrawal === undefined) return reject("unknown-withdrawal", "withdrawalId");
  return takeStep(context, withdrawal, command);
}

/** The user's own step; no operator's has an empty id, so a repeated one finds it. */
const CANCEL: Step = {
  actor: "",
  requestId: "",
  state: "rejected",
  note: "cancelled by the user",
};

export function cancelWithdrawal(
  context: Context,
  { uid, withdrawalId }: CommandOf<"cancel-withdrawal">,
): Answer {
  const withdrawal = context.state.withdrawals.find(withdrawalId);
  return withdrawal === undefined || withdrawal.uid !== uid
    ? reject("unknown-withdrawal", "withdrawalId")
    : takeStep(context, withdrawal, CANCEL);
}

function takeStep(context: Context, withdrawal: Withdrawal, command: Step): Answer {
  const { state } = context;
  const { withdrawals } = state;
  const { requestId, note } = command;
  const first = withdrawal.steps.slice(1).find((step) => step.requestId === requestId);
  if (first !== undefined) {
    return first.state === command.state && first.note === note
      ? accept(stepAnswer(withdrawal, command.state))
      : reject("conflict", "id", "this id was used for another step of the withdrawal");
  }
  const present = stateOf(withdrawal);
  const before = STATE_BEFORE[command.state];
  if (present !== before) {
    return reject("withdrawal-state", "state", `it is ${present}, and must be ${before}`);
  }
  if (command.state === "sent" && note === "") {
    return reject("malformed", "note", "the external reference of what was sent");
  }
  const user = state.users.get(withdrawal.uid);
  invariant(user !== undefined, "a withdrawal belongs to a user");
  if (command.state === "approved" && user.state === "frozen") return reject("user-frozen");
  withdrawal.steps.push({
    requestId,
    state: command.state,
    note,
    timestampMs: context.nowMs,
  });
  emitChange(context, withdrawal, command.actor);
  if (command.state === "done") bookOut(context, withdrawal, user);
  if (command.state === "rejected" || command.state === "failed") giveBack(state, withdrawal, user);
  if (isEnded(withdrawal)) withdrawals.end(withdrawal);
  return accept(stepAnswer(withdrawal, command.state));
}

function giveBack(state: State, withdrawal: Withdrawal, user: User): void {
  const base = userAccount(state, user, withdrawal.assetIndex, 0);
  state.ledger.move(base + SPOT_FROZEN, base + SPOT_AVAILABLE, withdrawal.amountMinor);
  uncount(state, withdrawal);
}

function bookOut(context: Context, withdrawal: Withdrawal, user: User): void {
  const { state } = context;
  const { ledger } = state;
  const { assetIndex, amountMinor, feeMinor, steps } = withdrawal;
  const frozen = userAccount(state, user, assetIndex, SPOT_FROZEN);
  ledger.move(frozen, ledger.houseAccount(assetIndex, "external"), amountMinor - feeMinor);
  ledger.move(frozen, ledger.houseAccount(assetIndex, "fees"), feeMinor);
  context.emit({
    type: "funds-moved",
    // The operator's steps are in the audit log already.
    actor: "",
    requestId: steps[0]?.requestId ?? "",
    uid: user.uid,
    asset: (state.assets[assetIndex] as Asset).asset,
    amountMinor,
    from: "spot",
    to: null,
    spotEquityMinor: walletEquityMinor(state, user, assetIndex, "spot"),
    contractEquityMinor: walletEquityMinor(state, user, assetIndex, "contract"),
  });
}
