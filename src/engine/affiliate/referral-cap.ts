/**
 * The cap on what one affiliate earns from one user in 30 UTC days. It counts from when it is set,
 * in the USDT value of each commission at its fill; reversed commissions stay counted.
 */
import type { Asset, Context } from "../state.ts";
import type { Affiliate, AffiliateState } from "./affiliate-state.ts";
import { lesser } from "./balances.ts";
import { dayOf, RollingDays } from "./rolling-days.ts";
import { unitsWithin, usdtPriceOf, valueE8 } from "./usdt-value.ts";

/** The part of a commission that the cap leaves. What is worth nothing in USDT is never capped. */
export function withinCap(
  { state, nowMs }: Context,
  affiliate: Affiliate,
  traderUid: number,
  asset: Asset,
  grossMinor: bigint,
): bigint {
  const { affiliates } = state;
  const capE8 = affiliates.policy.capPerReferral30dE8;
  if (capE8 === null) return grossMinor;
  const price = usdtPriceOf(state, asset);
  if (price === null || valueE8(price, grossMinor) === 0n) return grossMinor;
  const days = affiliates.cappedDays.get(affiliate.user.uid)?.get(traderUid);
  const leftE8 = capE8 - (days?.sumE8At(dayOf(nowMs)) ?? 0n);
  if (leftE8 <= 0n) return 0n;
  return lesser(grossMinor, unitsWithin(price, leftE8));
}

/** Counts a commission that was earned. */
export function countTowardsCap(
  { state, nowMs }: Context,
  affiliate: Affiliate,
  traderUid: number,
  asset: Asset,
  commissionMinor: bigint,
): void {
  const { affiliates } = state;
  if (affiliates.policy.capPerReferral30dE8 === null) return;
  const worthE8 = valueE8(usdtPriceOf(state, asset), commissionMinor);
  if (worthE8 === 0n) return;
  countedDaysOf(affiliates, affiliate.user.uid, traderUid).add(dayOf(nowMs), worthE8);
}

/** Opened when they are first needed. */
export function countedDaysOf(
  { cappedDays }: AffiliateState,
  affiliateUid: number,
  traderUid: number,
): RollingDays {
  let byTrader = cappedDays.get(affiliateUid);
  if (byTrader === undefined) {
    byTrader = new Map();
    cappedDays.set(affiliateUid, byTrader);
  }
  let days = byTrader.get(traderUid);
  if (days === undefined) {
    days = new RollingDays();
    byTrader.set(traderUid, days);
  }
  return days;
}
