/**
 * Takes a commission back by an entry of the opposite amount. A held one goes back whole. Any other
 * is taken first from what waits for settlement, then from the affiliate's free spot balance; the
 * rest is a debt that later settlements withhold.
 */
import {
  accept,
  formatDecimal,
  parseDecimal,
  type Rejection,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { CommandAnswers, CommandOf } from "../../protocol/index.ts";
import { walletEquityMinor } from "../accounts/wallets.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { type Asset, type Context, type State, userBalance } from "../state.ts";
import type { Affiliate, AffiliateBalance, HeldCommission } from "./affiliate-state.ts";
import { balanceOf, lesser, takeBackHeld, takeBackPaid, takeBackPayable } from "./balances.ts";
import { checkReason } from "./reasons.ts";

type ReverseCommission = CommandOf<"reverse-commission">;

/** Reversals are remembered for ever, so that none is made twice. */
const REVERSALS_MAX = 1_000_000;

/** The sources of a reversal. */
interface Sources {
  readonly fromPayableMinor: bigint;
  readonly fromSpotMinor: bigint;
  readonly owedMinor: bigint;
}

export function reverseCommission(
  context: Context,
  command: ReverseCommission,
): Result<CommandAnswers["reverse-commission"]> {
  const { state } = context;
  const { affiliates } = state;
  const { actor, reason, commissionId, affiliateUid, traderUid, product, symbol } = command;
  const refusal = checkReason(reason) ?? checkId(state, commissionId);
  if (refusal !== null) return refusal;
  const read = readFacts(state, command);
  if (!read.ok) return read;
  const { affiliate, asset, amountMinor, held } = read.value;
  const balance = balanceOf(affiliate, asset.index);
  const sources =
    held === null
      ? takeBack(context, balance, amountMinor)
      : takeBackAllHeld(context, balance, held);
  const reversalId = affiliates.nextCommissionId++;
  affiliates.reversals.set(commissionId, reversalId);
  affiliates.reversalIds.add(reversalId);
  context.emit({
    type: "commission-reversed",
    actor,
    reason,
    reversalId,
    commissionId,
    affiliateUid,
    traderUid,
    product,
    symbol,
    asset: asset.asset,
    amountMinor,
    ...sources,
    spotEquityMinor: walletEquityMinor(state, affiliate.user, asset.index, "spot"),
  });
  const text = (minor: bigint) => formatDecimal(minor, asset.scale);
  return accept({
    reversalId,
    fromPayable: text(sources.fromPayableMinor),
    fromSpot: text(sources.fromSpotMinor),
    owed: text(sources.owedMinor),
  });
}

/** Whether the id is that of a commission which may be reversed. */
function checkId({ affiliates }: State, commissionId: number): Rejection | null {
  const { nextCommissionId, reversals, reversalIds } = affiliates;
  if (commissionId < 1 || commissionId >= nextCommissionId || reversalIds.has(commissionId)) {
    return reject("unknown-commission", "commissionId");
  }
  if (reversals.has(commissionId)) {
    return reject("conflict", "commissionId", "it was reversed before");
  }
  if (reversals.size < REVERSALS_MAX) return null;
  return reject("conflict", "commissionId", `at most ${REVERSALS_MAX} commissions are reversed`);
}

interface Facts {
  readonly affiliate: Affiliate;
  readonly asset: Asset;
  readonly amountMinor: bigint;
  readonly held: HeldCommission | null;
}

/**
 * The commission as the command states it. The engine knows only held ones, and checks every field
 * of those.
 */
function readFacts(state: State, command: ReverseCommission): Result<Facts> {
  const { commissionId, traderUid } = command;
  const affiliate = state.affiliates.byUid.get(command.affiliateUid);
  if (affiliate === undefined) return reject("not-an-affiliate", "affiliateUid");
  if (!state.users.has(traderUid)) return reject("unknown-user", "traderUid");
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  const amountMinor = parseDecimal(command.amount, asset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "amount");
  if (amountMinor === 0n) {
    return reject("conflict", "commissionId", "there is nothing to take back");
  }
  const held = state.affiliates.held.get(commissionId) ?? null;
  const isSo =
    held === null ||
    (held.affiliate === affiliate &&
      held.traderUid === traderUid &&
      held.product === command.product &&
      held.symbol === command.symbol &&
      held.assetIndex === asset.index &&
      held.amountMinor === amountMinor);
  if (!isSo) return reject("unknown-commission", "commissionId", "what is held is another one");
  return accept({ affiliate, asset, amountMinor, held });
}

function takeBackAllHeld(
  context: Context,
  balance: AffiliateBalance,
  { commissionId, amountMinor }: HeldCommission,
): Sources {
  context.state.affiliates.held.delete(commissionId);
  takeBackHeld(context, balance, amountMinor);
  return { fromPayableMinor: amountMinor, fromSpotMinor: 0n, owedMinor: 0n };
}

function takeBack(context: Context, balance: AffiliateBalance, amountMinor: bigint): Sources {
  const { affiliate, assetIndex, payableMinor } = balance;
  const fromPayableMinor = lesser(payableMinor, amountMinor);
  if (fromPayableMinor > 0n) takeBackPayable(context, balance, fromPayableMinor);
  const leftMinor = amountMinor - fromPayableMinor;
  const freeMinor = userBalance(context.state, affiliate.user, assetIndex, SPOT_AVAILABLE);
  const fromSpotMinor = lesser(freeMinor, leftMinor);
  if (fromSpotMinor > 0n) takeBackPaid(context, balance, fromSpotMinor);
  const owedMinor = leftMinor - fromSpotMinor;
  balance.owedMinor += owedMinor;
  return { fromPayableMinor, fromSpotMinor, owedMinor };
}
