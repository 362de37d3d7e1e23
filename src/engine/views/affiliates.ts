/** The affiliate programme as callers see it; one branch per query. Reads only. */
import { accept, formatDecimal, RATE_SCALE, type Result, reject } from "../../domain/index.ts";
import type {
  AffiliateBalanceView,
  AffiliatePolicyView,
  AffiliateQuery,
  AffiliateQueryAnswers,
  AffiliateView,
  HeldCommissionView,
} from "../../protocol/index.ts";
import { type Affiliate, depthOf, type HeldCommission } from "../affiliate/affiliate-state.ts";
import type { State } from "../state.ts";
import { assetsByCoinId } from "./accounts.ts";

type Answer = Result<AffiliateQueryAnswers[AffiliateQuery["type"]]>;
type QueryOf<Type extends AffiliateQuery["type"]> = Extract<
  AffiliateQuery,
  { readonly type: Type }
>;

export function answerAffiliateQuery(state: State, query: AffiliateQuery): Answer {
  switch (query.type) {
    case "affiliate": {
      const affiliate = state.affiliates.byUid.get(query.uid);
      return affiliate === undefined
        ? reject("not-an-affiliate", "uid")
        : accept(affiliateView(state, affiliate));
    }
    case "affiliates":
      return accept(affiliateViews(state, query));
    case "affiliate-policy":
      return accept(policyView(state));
    case "held-commissions":
      return accept(heldViews(state, query));
  }
}

function rateText(rateE8: number): string {
  return formatDecimal(BigInt(rateE8), RATE_SCALE);
}

function affiliateView(state: State, affiliate: Affiliate): AffiliateView {
  return {
    uid: affiliate.user.uid,
    parentUid: affiliate.parent?.user.uid ?? null,
    depth: depthOf(affiliate),
    spotRate: rateText(affiliate.spotRateE8),
    futuresRate: rateText(affiliate.futuresRateE8),
    rateVersion: affiliate.rateVersion,
    ratesSinceMs: affiliate.ratesSinceMs,
    balances: balanceViews(state, affiliate),
  };
}

/** In order of coin id. */
function balanceViews(state: State, { balances }: Affiliate): AffiliateBalanceView[] {
  const views: AffiliateBalanceView[] = [];
  for (const { index, asset, scale } of assetsByCoinId(state)) {
    const balance = balances.get(index);
    if (balance === undefined) continue;
    const { payableMinor, heldMinor, owedMinor } = balance;
    if (payableMinor === 0n && heldMinor === 0n && owedMinor === 0n) continue;
    views.push({
      asset,
      payable: formatDecimal(payableMinor, scale),
      held: formatDecimal(heldMinor, scale),
      owed: formatDecimal(owedMinor, scale),
    });
  }
  return views;
}

/** At most `limit` affiliates with a uid above `afterUid`, ascending. */
function affiliateViews(state: State, { afterUid, limit }: QueryOf<"affiliates">): AffiliateView[] {
  const { byUid } = state.affiliates;
  const uids = [...byUid.keys()].filter((uid) => uid > afterUid).sort((a, b) => a - b);
  return uids.slice(0, limit).map((uid) => affiliateView(state, byUid.get(uid) as Affiliate));
}

function policyView({ affiliates: { policy } }: State): AffiliatePolicyView {
  const { capPerReferral30dE8, holdSelfReferral, holdWashTrades, washTradeShareE8 } = policy;
  return {
    capPerReferral30d:
      capPerReferral30dE8 === null ? null : formatDecimal(capPerReferral30dE8, RATE_SCALE),
    holdSelfReferral,
    holdWashTrades,
    washTradeShare: rateText(washTradeShareE8),
  };
}

/** At most `limit` of an affiliate or of all, with an id above `afterCommissionId`, ascending. */
function heldViews(
  state: State,
  { affiliateUid, afterCommissionId, limit }: QueryOf<"held-commissions">,
): HeldCommissionView[] {
  const views: HeldCommissionView[] = [];
  for (const held of state.affiliates.held.values()) {
    if (views.length >= limit) break;
    if (held.commissionId <= afterCommissionId) continue;
    if (affiliateUid !== null && held.affiliate.user.uid !== affiliateUid) continue;
    views.push(heldView(state, held));
  }
  return views;
}

function heldView(state: State, held: HeldCommission): HeldCommissionView {
  const { affiliate, assetIndex, amountMinor, ...rest } = held;
  const asset = state.assets[assetIndex];
  return {
    ...rest,
    affiliateUid: affiliate.user.uid,
    asset: asset?.asset ?? "",
    amount: formatDecimal(amountMinor, asset?.scale ?? 0),
  };
}
