/**
 * Pays affiliates what waits for settlement: at every full hour by the clock's command, or when an
 * operator asks. Debts after reversals are withheld first. Held commissions stay held.
 */
import { accept, type Result } from "../../domain/index.ts";
import type { CommandAnswers, CommandOf } from "../../protocol/index.ts";
import { walletEquityMinor } from "../accounts/wallets.ts";
import type { Context } from "../state.ts";
import type { AffiliateBalance } from "./affiliate-state.ts";
import { lesser, payOut, takeBackPayable } from "./balances.ts";
import { checkReason } from "./reasons.ts";

/** Pays all affiliates, by uid, then by asset. Returns the number of payments. */
export function settleAll(context: Context): number {
  const waiting = [...context.state.affiliates.waiting];
  waiting.sort((one, other) => {
    const byUid = one.affiliate.user.uid - other.affiliate.user.uid;
    return byUid === 0 ? one.assetIndex - other.assetIndex : byUid;
  });
  for (const balance of waiting) settle(context, balance);
  return waiting.length;
}

function settle(context: Context, balance: AffiliateBalance): void {
  const { state } = context;
  const { affiliates } = state;
  const { affiliate, assetIndex, payableMinor: accruedMinor, owedMinor } = balance;
  const recoveredMinor = lesser(owedMinor, accruedMinor);
  const paidMinor = accruedMinor - recoveredMinor;
  if (recoveredMinor > 0n) takeBackPayable(context, balance, recoveredMinor);
  balance.owedMinor -= recoveredMinor;
  if (paidMinor > 0n) payOut(context, balance, paidMinor);
  const { user } = affiliate;
  context.emit({
    type: "commissions-settled",
    settlementId: affiliates.nextSettlementId++,
    affiliateUid: user.uid,
    asset: state.assets[assetIndex]?.asset ?? "",
    accruedMinor,
    recoveredMinor,
    paidMinor,
    uptoCommissionId: affiliates.nextCommissionId - 1,
    spotEquityMinor: walletEquityMinor(state, user, assetIndex, "spot"),
  });
}

export function settleCommissions(
  context: Context,
  command: CommandOf<"settle-commissions">,
): Result<CommandAnswers["settle-commissions"]> {
  const { actor, reason } = command;
  const refusal = checkReason(reason);
  if (refusal !== null) return refusal;
  if (context.state.affiliates.waiting.size === 0) return accept({ settlements: 0 });
  context.emit({ type: "settlement-asked", actor, reason });
  return accept({ settlements: settleAll(context) });
}
