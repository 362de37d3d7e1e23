/** The operator's rules of withdrawals per asset. Without rules an asset has no withdrawals. */
import { accept, formatDecimal, parseDecimal, type Result, reject } from "../../domain/index.ts";
import type { CommandOf, WithdrawalRulesView } from "../../protocol/index.ts";
import type { Asset, Context } from "../state.ts";
import type { WithdrawalRules } from "./withdrawal-state.ts";

type SetRules = CommandOf<"set-withdrawal-rules">;

const HOLD_MAX_MS = 365 * 24 * 60 * 60 * 1000;

export function setWithdrawalRules(context: Context, command: SetRules): Result<null> {
  const { state } = context;
  const { rules } = state.withdrawals;
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  const parsed = parseRules(command, asset.scale);
  if (!parsed.ok) return parsed;
  const view = rulesView(asset, parsed.value);
  const present = rules.get(asset.index);
  const before = present === undefined ? null : JSON.stringify(rulesView(asset, present));
  if (before === JSON.stringify(view)) return accept(null);
  rules.set(asset.index, parsed.value);
  context.emit({ type: "withdrawal-rules-set", actor: command.actor, ...view });
  return accept(null);
}

function parseRules(command: SetRules, scale: number): Result<WithdrawalRules> {
  const { enabled, addressHoldMs, keyHoldMs } = command;
  const minAmountMinor = parseDecimal(command.minAmount, scale);
  if (typeof minAmountMinor === "string") return reject(minAmountMinor, "minAmount");
  const feeMinor = parseDecimal(command.fee, scale);
  if (typeof feeMinor === "string") return reject(feeMinor, "fee");
  const limit = command.dailyLimit;
  const dailyLimitMinor = limit === null ? null : parseDecimal(limit, scale);
  if (typeof dailyLimitMinor === "string") return reject(dailyLimitMinor, "dailyLimit");
  if (minAmountMinor <= feeMinor) return reject("out-of-range", "minAmount", "more than the fee");
  if (dailyLimitMinor !== null && dailyLimitMinor < minAmountMinor) {
    return reject("out-of-range", "dailyLimit", "at least minAmount, or null");
  }
  for (const [field, holdMs] of [
    ["addressHoldMs", addressHoldMs],
    ["keyHoldMs", keyHoldMs],
  ] as const) {
    if (holdMs > HOLD_MAX_MS) return reject("out-of-range", field, "at most 365 days");
  }
  return accept({ enabled, minAmountMinor, feeMinor, dailyLimitMinor, addressHoldMs, keyHoldMs });
}

export function rulesView(asset: Asset, rules: WithdrawalRules): WithdrawalRulesView {
  const { minAmountMinor, feeMinor, dailyLimitMinor, ...rest } = rules;
  const text = (minor: bigint): string => formatDecimal(minor, asset.scale);
  return {
    asset: asset.asset,
    enabled: rest.enabled,
    minAmount: text(minAmountMinor),
    fee: text(feeMinor),
    dailyLimit: dailyLimitMinor === null ? null : text(dailyLimitMinor),
    addressHoldMs: rest.addressHoldMs,
    keyHoldMs: rest.keyHoldMs,
  };
}
