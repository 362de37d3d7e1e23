/**
 * What holds a commission for review: an affiliate that earns on itself or on somebody it sent
 * money to, or on trades between users of one affiliate. Checked only while the policy says so.
 */
import { RATE_ONE_E8 } from "../../domain/index.ts";
import type { Asset, Context, User } from "../state.ts";
import {
  type Affiliate,
  type AffiliateState,
  directAffiliateOf,
  type TradedVolume,
} from "./affiliate-state.ts";
import { dayOf, RollingDays } from "./rolling-days.ts";
import { usdtPriceOf, valueE8 } from "./usdt-value.ts";

/** Money went from one to the other by an internal withdrawal. */
export function link({ links }: AffiliateState, uid: number, otherUid: number): void {
  for (const [from, to] of [
    [uid, otherUid],
    [otherUid, uid],
  ] as const) {
    const linked = links.get(from);
    if (linked === undefined) links.set(from, new Set([to]));
    else linked.add(to);
  }
}

/** The affiliate is the trader, or has ever sent it money or got some from it. */
export function isSelfReferral(
  { links, policy }: AffiliateState,
  { user }: Affiliate,
  trader: User,
): boolean {
  if (!policy.holdSelfReferral) return false;
  return user === trader || links.get(user.uid)?.has(trader.uid) === true;
}

/** Invited by one affiliate, or one of them by the other. */
function areRelated(affiliates: AffiliateState, one: User, other: User): boolean {
  const ofOne = directAffiliateOf(affiliates, one);
  const ofOther = directAffiliateOf(affiliates, other);
  if (ofOne !== null && (ofOne === ofOther || ofOne.user === other)) return true;
  return ofOther?.user === one;
}

/**
 * Counts what a user traded and returns whether the fill looks like a wash trade: the two sides are
 * related, and too large a share of the user's volume of 30 UTC days was with related users.
 */
export function isWashTrade(
  { state, nowMs }: Context,
  trader: User,
  counterparty: User,
  quoteAsset: Asset,
  notionalMinor: bigint,
): boolean {
  const { affiliates } = state;
  const { policy } = affiliates;
  if (!policy.holdWashTrades) return false;
  const day = dayOf(nowMs);
  const worthE8 = valueE8(usdtPriceOf(state, quoteAsset), notionalMinor);
  const volume = volumeOf(affiliates, trader.uid);
  const isRelated = areRelated(affiliates, trader, counterparty);
  volume.all.add(day, worthE8);
  if (isRelated) volume.related.add(day, worthE8);
  const relatedE8 = volume.related.sumE8At(day);
  const allE8 = volume.all.sumE8At(day);
  const isMuch = relatedE8 * BigInt(RATE_ONE_E8) > allE8 * BigInt(policy.washTradeShareE8);
  return isRelated && isMuch;
}

export function volumeOf({ tradedVolumes }: AffiliateState, uid: number): TradedVolume {
  let volume = tradedVolumes.get(uid);
  if (volume === undefined) {
    volume = { all: new RollingDays(), related: new RollingDays() };
    tradedVolumes.set(uid, volume);
  }
  return volume;
}
