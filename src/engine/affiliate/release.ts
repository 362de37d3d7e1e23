/** An operator releases a held commission: the next settlement pays it. */
import { accept, type Result, reject } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import type { Context } from "../state.ts";
import { balanceOf, releaseMinor } from "./balances.ts";
import { checkReason } from "./reasons.ts";

export function releaseCommission(
  context: Context,
  command: CommandOf<"release-commission">,
): Result<null> {
  const { state } = context;
  const { actor, commissionId, reason } = command;
  const refusal = checkReason(reason);
  if (refusal !== null) return refusal;
  const held = state.affiliates.held.get(commissionId);
  if (held === undefined) return reject("unknown-commission", "commissionId", "it is not held");
  const { affiliate, assetIndex, amountMinor } = held;
  state.affiliates.held.delete(commissionId);
  releaseMinor(context, balanceOf(affiliate, assetIndex), amountMinor);
  context.emit({
    type: "commission-released",
    actor,
    reason,
    commissionId,
    affiliateUid: affiliate.user.uid,
    asset: state.assets[assetIndex]?.asset ?? "",
    amountMinor,
  });
  return accept(null);
}
