/**
 * The operator's caps on commissions and the reasons to hold one for review. All are off at first.
 */
import {
  accept,
  parseDecimal,
  RATE_ONE_E8,
  RATE_SCALE,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import type { Context } from "../state.ts";
import type { AffiliatePolicy } from "./affiliate-state.ts";

/** What is counted for a rule begins with the rule, and is forgotten when it ends. */
export function setAffiliatePolicy(
  context: Context,
  command: CommandOf<"set-affiliate-policy">,
): Result<null> {
  const { affiliates } = context.state;
  const parsed = parsePolicy(command);
  if (!parsed.ok) return parsed;
  const policy = parsed.value;
  if (isSame(policy, affiliates.policy)) return accept(null);
  affiliates.policy = policy;
  if (policy.capPerReferral30dE8 === null) affiliates.cappedDays.clear();
  if (!policy.holdWashTrades) affiliates.tradedVolumes.clear();
  context.emit({ type: "affiliate-policy-set", actor: command.actor, ...policy });
  return accept(null);
}

function parsePolicy(command: CommandOf<"set-affiliate-policy">): Result<AffiliatePolicy> {
  const { capPerReferral30d, holdSelfReferral, holdWashTrades, washTradeShare } = command;
  const capE8 = capPerReferral30d === null ? null : parseDecimal(capPerReferral30d, RATE_SCALE);
  if (typeof capE8 === "string") return reject(capE8, "capPerReferral30d");
  const shareE8 = parseDecimal(washTradeShare, RATE_SCALE);
  if (typeof shareE8 === "string") return reject(shareE8, "washTradeShare");
  if (shareE8 > BigInt(RATE_ONE_E8)) return reject("out-of-range", "washTradeShare", "from 0 to 1");
  return accept({
    capPerReferral30dE8: capE8,
    holdSelfReferral,
    holdWashTrades,
    washTradeShareE8: Number(shareE8),
  });
}

function isSame(one: AffiliatePolicy, other: AffiliatePolicy): boolean {
  return (
    one.capPerReferral30dE8 === other.capPerReferral30dE8 &&
    one.holdSelfReferral === other.holdSelfReferral &&
    one.holdWashTrades === other.holdWashTrades &&
    one.washTradeShareE8 === other.washTradeShareE8
  );
}
