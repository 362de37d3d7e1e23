/** What needs a second operator: the rules, and which commands they are about. */
import {
  accept,
  formatDecimal,
  parseDecimal,
  type Result,
  reject,
  unreachable,
} from "../../domain/index.ts";
import type { ApprovalRuleView, CommandOf, ProposedCommand } from "../../protocol/index.ts";
import { findMovement } from "../accounts/movement-memory.ts";
import type { Asset, Context, State } from "../state.ts";
import { stateOf } from "../withdrawals/withdrawal-state.ts";
import { ruleKey } from "./approval-state.ts";

export function setApprovalRule(
  context: Context,
  command: CommandOf<"set-approval-rule">,
): Result<null> {
  const { state } = context;
  const { action, asset, above } = command;
  const { aboveMinor } = state.approvals;
  const key = ruleKey(action, asset);
  const parsed = above === null ? accept(null) : parseAbove(state, command);
  if (!parsed.ok) return parsed;
  const present = aboveMinor.get(key) ?? null;
  if (present === parsed.value) return accept(null);
  if (parsed.value === null) aboveMinor.delete(key);
  else aboveMinor.set(key, parsed.value);
  context.emit({ ...command, type: "approval-rule-set" });
  return accept(null);
}

function parseAbove(state: State, command: CommandOf<"set-approval-rule">): Result<bigint> {
  const { action, asset, above } = command;
  if (action === "approval-rules") return reject("malformed", "action", "they follow the others");
  if (action === "operators") {
    return asset === "" ? accept(0n) : reject("malformed", "asset", "absent: roles have none");
  }
  const listed = state.assetsByName.get(asset);
  if (listed === undefined) return reject("unknown-asset", "asset");
  const minor = parseDecimal(above ?? "", listed.scale);
  return typeof minor === "string" ? reject(minor, "above") : accept(minor);
}

/**
 * Whether the command has to be proposed. Not what only repeats an answer, nor what will be refused
 * for what it says.
 */
export function needsApproval(state: State, command: ProposedCommand): boolean {
  const { aboveMinor } = state.approvals;
  if (aboveMinor.size === 0) return false;
  switch (command.type) {
    case "deposit-funds":
    case "withdraw-funds": {
      const { type, uid, requestId, asset, amount } = command;
      const listed = state.assetsByName.get(asset);
      if (listed === undefined || !state.users.has(uid)) return false;
      const amountMinor = parseDecimal(amount, listed.scale);
      if (typeof amountMinor === "string") return false;
      if (findMovement(state, type, uid, requestId) !== null) return false;
      const action = type === "deposit-funds" ? "deposits" : "withdrawals";
      return isAbove(aboveMinor.get(ruleKey(action, asset)), amountMinor);
    }
    case "set-withdrawal-state": {
      const withdrawal = state.withdrawals.open.get(command.withdrawalId);
      if (command.state !== "approved" || withdrawal === undefined) return false;
      if (stateOf(withdrawal) !== "requested") return false;
      const { asset } = state.assets[withdrawal.assetIndex] as Asset;
      return isAbove(aboveMinor.get(ruleKey("withdrawals", asset)), withdrawal.amountMinor);
    }
    case "set-operator":
      return aboveMinor.has(ruleKey("operators", ""));
    case "set-approval-rule":
      return true;
    default:
      return unreachable(command);
  }
}

function isAbove(limitMinor: bigint | undefined, amountMinor: bigint): boolean {
  return limitMinor !== undefined && amountMinor > limitMinor;
}

/** By action, then asset. */
export function approvalRuleViews(state: State): ApprovalRuleView[] {
  const keys = [...state.approvals.aboveMinor.keys()].sort();
  return keys.map((key) => {
    const [action = "", asset = ""] = key.split(" ");
    const aboveMinor = state.approvals.aboveMinor.get(key) ?? 0n;
    const scale = state.assetsByName.get(asset)?.scale ?? 0;
    const above = formatDecimal(aboveMinor, scale);
    return {
      action: action as ApprovalRuleView["action"],
      asset: asset === "" ? null : asset,
      above,
    };
  });
}
