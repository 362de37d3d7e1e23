/** One branch per command of withdrawals. */
import { unreachable } from "../../domain/index.ts";
import type { CommandResult, WithdrawalCommand } from "../../protocol/index.ts";
import type { Context } from "../state.ts";
import { addWithdrawalAddress, removeWithdrawalAddress } from "./addresses.ts";
import { requestWithdrawal } from "./request.ts";
import { setWithdrawalRules } from "./rules.ts";
import { cancelWithdrawal, setWithdrawalState } from "./steps.ts";

export function applyWithdrawalCommand(
  context: Context,
  command: WithdrawalCommand,
): CommandResult {
  switch (command.type) {
    case "set-withdrawal-rules":
      return setWithdrawalRules(context, command);
    case "add-withdrawal-address":
      return addWithdrawalAddress(context, command);
    case "remove-withdrawal-address":
      return removeWithdrawalAddress(context, command);
    case "request-withdrawal":
      return requestWithdrawal(context, command);
    case "set-withdrawal-state":
      return setWithdrawalState(context, command);
    case "cancel-withdrawal":
      return cancelWithdrawal(context, command);
    default:
      return unreachable(command);
  }
}
