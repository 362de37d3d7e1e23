/** The expected answers to the engine's queries about the programme, computed by the reference. */
import type {
  AffiliatePolicyView,
  AffiliateView,
  HeldCommissionView,
} from "../../../src/protocol/index.ts";
import type { NaiveAffiliateProgramme } from "../../support/affiliate/naive-affiliate-programme.ts";
import { text } from "../exact.ts";

const E8 = 10n ** 10n;

/** Balances are those in which there is anything, in the order of coin ids, as all balances are. */
export function naiveAffiliate(programme: NaiveAffiliateProgramme, uid: number): AffiliateView {
  const affiliate = programme.affiliate(uid);
  const assets = [...programme.facts.coinIds]
    .sort(([, one], [, other]) => one - other)
    .map(([asset]) => asset);
  return {
    uid,
    parentUid: affiliate.parentUid,
    depth: programme.depth(uid),
    spotRate: text(affiliate.spotRateE8 * E8),
    futuresRate: text(affiliate.futuresRateE8 * E8),
    rateVersion: affiliate.rateVersion,
    ratesSinceMs: affiliate.ratesSinceMs,
    balances: assets.flatMap((asset) => {
      const { payable, held, owed } = programme.balance(uid, asset);
      if (payable === 0n && held === 0n && owed === 0n) return [];
      const amount = (minor: bigint) => programme.amountText(asset, minor);
      return [{ asset, payable: amount(payable), held: amount(held), owed: amount(owed) }];
    }),
  };
}

/** By uid. */
export function naiveAffiliates(
  programme: NaiveAffiliateProgramme,
  afterUid: number,
  limit: number,
): AffiliateView[] {
  return [...programme.affiliates.keys()]
    .filter((uid) => uid > afterUid)
    .sort((one, other) => one - other)
    .slice(0, limit)
    .map((uid) => naiveAffiliate(programme, uid));
}

export function naivePolicy({ policy }: NaiveAffiliateProgramme): AffiliatePolicyView {
  const { capE8, holdSelfReferral, holdWashTrades, washTradeShareE8 } = policy;
  return {
    capPerReferral30d: capE8 === null ? null : text(capE8 * E8),
    holdSelfReferral,
    holdWashTrades,
    washTradeShare: text(washTradeShareE8 * E8),
  };
}

/** By id. */
export function naiveHeldCommissions(
  programme: NaiveAffiliateProgramme,
  affiliateUid: number | null,
  afterCommissionId: number,
  limit: number,
): HeldCommissionView[] {
  return [...programme.rows.values()]
    .filter(({ isHeld, event }) => isHeld && event.commissionId > afterCommissionId)
    .filter(({ event }) => affiliateUid === null || event.affiliateUid === affiliateUid)
    .slice(0, limit)
    .map(({ event, ms }) => ({
      commissionId: event.commissionId,
      affiliateUid: event.affiliateUid,
      traderUid: event.traderUid,
      product: event.product,
      symbol: event.symbol,
      asset: event.asset,
      amount: programme.amountText(event.asset, event.commissionMinor),
      flags: event.flags,
      timestampMs: ms,
    }));
}

/** What is left of the fees in the fees account, and what affiliates have coming, per asset. */
export function naiveHouseBalances(
  programme: NaiveAffiliateProgramme,
  asset: string,
): { readonly fees: string; readonly "affiliate-payable": string } {
  const { facts } = programme;
  let coming = 0n;
  for (const uid of programme.affiliates.keys()) {
    const { payable, held } = programme.balance(uid, asset);
    coming += payable + held;
  }
  const left =
    (facts.fees.get(asset) ?? 0n) -
    (programme.rounded.get(asset) ?? 0n) -
    (programme.paid.get(asset) ?? 0n);
  return {
    fees: programme.amountText(asset, left - coming),
    "affiliate-payable": programme.amountText(asset, coming),
  };
}
