/**
 * All state of the affiliate programme: one part of the exchange's state. Who invited whom is a
 * field of the users; each fill decides anew what of it counts.
 */
import type { CommissionFlag, Product } from "../../domain/index.ts";
import type { User } from "../accounts/user.ts";
import type { RollingDays } from "./rolling-days.ts";

export interface Affiliate {
  readonly user: User;
  /** Set once, never changed. */
  parent: Affiliate | null;
  spotRateE8: number;
  futuresRateE8: number;
  /** Of both rates together, from 1. */
  rateVersion: number;
  ratesSinceMs: number;
  /** By asset index, from the first commission on. */
  readonly balances: Map<number, AffiliateBalance>;
}

/** What an affiliate is owed in an asset, and owes. Only balances.ts changes it. */
export interface AffiliateBalance {
  readonly affiliate: Affiliate;
  readonly assetIndex: number;
  /** For the next settlement. */
  payableMinor: bigint;
  /** Of commissions that an operator has to let go. */
  heldMinor: bigint;
  /** What a reversal could not take back; withheld from settlements. Not in the ledger. */
  owedMinor: bigint;
}

export interface AffiliatePolicy {
  /** USDT per affiliate, referred user and 30 UTC days, in 10^-8; null for no cap. */
  readonly capPerReferral30dE8: bigint | null;
  readonly holdSelfReferral: boolean;
  readonly holdWashTrades: boolean;
  /** A larger share of volume among related users than this is suspect. */
  readonly washTradeShareE8: number;
}

export const DEFAULT_POLICY: AffiliatePolicy = {
  capPerReferral30dE8: null,
  holdSelfReferral: false,
  holdWashTrades: false,
  washTradeShareE8: 50_000_000,
};

export interface HeldCommission {
  readonly commissionId: number;
  readonly affiliate: Affiliate;
  readonly traderUid: number;
  readonly product: Product;
  readonly symbol: string;
  readonly assetIndex: number;
  readonly amountMinor: bigint;
  readonly flags: readonly CommissionFlag[];
  readonly timestampMs: number;
}

/** What a user traded, in 10^-8 USDT. */
export interface TradedVolume {
  readonly all: RollingDays;
  /** Against users who are related through an affiliate. */
  readonly related: RollingDays;
}

/** No settlement is due. */
export const NEVER_MS = Number.POSITIVE_INFINITY;

export class AffiliateState {
  readonly byUid = new Map<number, Affiliate>();
  policy: AffiliatePolicy = DEFAULT_POLICY;
  /** Reversals are numbered with the commissions. */
  nextCommissionId = 1;
  nextSettlementId = 1;
  nextWithdrawalId = 1;
  /** `NEVER_MS` while nothing is payable. */
  settlementDueMs = NEVER_MS;
  /** Balances with something payable. */
  readonly waiting = new Set<AffiliateBalance>();
  /** By id, ascending. */
  readonly held = new Map<number, HeldCommission>();
  /** The id of the reversal by the id of what it reversed, and all such ids. */
  readonly reversals = new Map<number, number>();
  readonly reversalIds = new Set<number>();
  /** Commissions by affiliate and trader, while there is a cap. */
  readonly cappedDays = new Map<number, Map<number, RollingDays>>();
  /** By uid, while wash trades are looked for. */
  readonly tradedVolumes = new Map<number, TradedVolume>();
  /** Between whom money went by internal withdrawals, both ways. */
  readonly links = new Map<number, Set<number>>();
  /** Running sums of what is payable and held, by asset index. */
  readonly outstandingMinor: bigint[] = [];
}

export function rateE8Of(affiliate: Affiliate, product: Product): number {
  return product === "spot" ? affiliate.spotRateE8 : affiliate.futuresRateE8;
}

/** The inviter of a user who is an affiliate now; null when fills of the user earn nobody. */
export function directAffiliateOf({ byUid }: AffiliateState, user: User): Affiliate | null {
  return user.inviterUid === null ? null : (byUid.get(user.inviterUid) ?? null);
}

/** 1 for an affiliate without a parent. */
export function depthOf(affiliate: Affiliate): number {
  let depth = 0;
  for (let one: Affiliate | null = affiliate; one !== null; one = one.parent) depth++;
  return depth;
}

/** Whether an affiliate is another one or below it. */
export function isWithin(affiliate: Affiliate, top: Affiliate): boolean {
  for (let one: Affiliate | null = affiliate; one !== null; one = one.parent) {
    if (one === top) return true;
  }
  return false;
}
