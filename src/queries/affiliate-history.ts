/**
 * History queries of the affiliate programme. Amounts are decimal text, in the named coin or in
 * USDT: USDT counts 1, another coin its last spot price against USDT at that moment, rounded down
 * to 8 decimals, 0 before its first trade. Pages are newest first and hold only the range, so that
 * a page of a range in the past never changes.
 */
import type { StatementBalance, StatementEntry } from "../affiliate-statement/index.ts";
import type { CommissionFlag, Product } from "../domain/index.ts";
import type { Page, Paged, TimeRange } from "./ranges.ts";

export type { StatementBalance, StatementEntry } from "../affiliate-statement/index.ts";

export const COMMISSION_STATUSES = ["accrued", "held", "settled", "reversed", "reversal"] as const;
/**
 * `accrued` awaits settlement, `held` an operator's decision. A `reversed` one was reversed by an
 * entry of its own, whose status is `reversal`.
 */
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

/** A commission of one side of a fill, or the reversal of one. */
export interface Commission {
  readonly commissionId: number;
  readonly affiliateUid: number;
  readonly traderUid: number;
  readonly product: Product;
  readonly symbol: string;
  readonly asset: string;
  /** The net trading fee; "0" for a reversal. */
  readonly fee: string;
  /** Negative for a reversal. */
  readonly amount: string;
  /** As applied: for `viaUid` the difference of two rates. */
  readonly rate: string;
  /**
   * The affiliate below through whom it came; null for a direct client. Of a reversal as of its
   * commission, so that sums by source add up.
   */
  readonly viaUid: number | null;
  /** The quote notional in that role; the other is "0", both are for a reversal. */
  readonly takerAmount: string;
  readonly makerAmount: string;
  readonly timeMs: number;
  readonly status: CommissionStatus;
  readonly flags: readonly CommissionFlag[];
}

export interface RateVersion {
  readonly uid: number;
  readonly version: number;
  readonly spotRate: string;
  readonly futuresRate: string;
  readonly sinceMs: number;
}

export interface Settlement {
  readonly settlementId: number;
  readonly timeMs: number;
  /** Of the affiliate in the asset: everything since the settlement before. */
  readonly accrued: string;
  readonly recovered: string;
  readonly paid: string;
}

/** A commission with its origin and what became of it. */
export interface CommissionDetail {
  readonly commission: Commission;
  /** Null for a reversal. */
  readonly fill: {
    readonly tradeId: number;
    readonly role: "maker" | "taker";
    readonly price: string;
    readonly quantity: string;
    readonly quoteQuantity: string;
    readonly quoteAsset: string;
    readonly timeMs: number;
  } | null;
  /** Fee × rate rounded down, before the cap. */
  readonly gross: string;
  readonly capped: string;
  readonly rateVersion: RateVersion | null;
  /** Of the affiliate in between, whose rate was subtracted. */
  readonly viaRateVersion: RateVersion | null;
  /** Null while it waits or is held, and when it was reversed before. */
  readonly settlement: Settlement | null;
  readonly release: {
    readonly actor: string;
    readonly reason: string;
    readonly timeMs: number;
  } | null;
  readonly reversal: {
    readonly reversalId: number;
    readonly commissionId: number;
    readonly actor: string;
    readonly reason: string;
    readonly timeMs: number;
    readonly fromPayable: string;
    readonly fromSpot: string;
    readonly owed: string;
  } | null;
}

/** A direct invitee. */
export interface Referral {
  readonly uid: number;
  readonly registeredMs: number;
  readonly kyc: boolean;
}

/** What a direct invitee brought in the range, in USDT; idle ones have zeros. */
export interface ReferralActivity {
  readonly uid: number;
  readonly deposits: string;
  readonly withdrawals: string;
  readonly spotVolume: string;
  readonly contractVolume: string;
  /** Accrued to the inviter for fills of this user, less reversals. */
  readonly commission: string;
}

/**
 * What an affiliate earned on a UTC day of a product in a coin. Reversals count on the day on which
 * they were made.
 */
export interface CommissionDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly product: Product;
  readonly asset: string;
  /** Without reversals. */
  readonly commissions: number;
  readonly amount: string;
  /** In USDT at the fills; a reversal takes off what its commission was worth. */
  readonly usdtValue: string;
  /** Of the fills, in USDT at the fills. */
  readonly volume: string;
}

/** What all settlements of a coin have paid to an affiliate. */
export interface PaidCommissions {
  readonly asset: string;
  readonly paid: string;
}

/** A sub-affiliate's UTC day in one product, in USDT, over the fills that it earned on. */
export interface SubAffiliateDay {
  readonly subUid: number;
  readonly product: Product;
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly volume: string;
  readonly netFee: string;
  /** What has been settled of its commissions of that day, less reversals. */
  readonly paidCommission: string;
}

export interface InternalWithdrawal {
  readonly withdrawalId: number;
  readonly fromUid: number;
  readonly toUid: number;
  readonly asset: string;
  readonly amount: string;
  readonly timeMs: number;
}

/** A stretch of an affiliate's chain; at most `limit` entries of it. */
export interface StatementPart {
  readonly entries: readonly StatementEntry[];
  /** Before the first entry: its place in the chain (0 for none), and what there was. */
  readonly openingOrdinal: number;
  readonly openingHash: string;
  /** Of every coin of the chain up to the end of the range, by name; zeros as well. */
  readonly openingBalances: readonly StatementBalance[];
  /** Entries of the whole range. */
  readonly total: number;
}

/** The end of an affiliate's chain at the end of a UTC day in which it grew. */
export interface StatementHead {
  readonly affiliateUid: number;
  readonly day: string;
  readonly ordinal: number;
  readonly hash: string;
}

export interface ProposedRates {
  readonly uid: number;
  readonly spotRate: string;
  readonly futuresRate: string;
}

/** What an affiliate earned in a coin, and would have earned; before caps, holds and reversals. */
export interface WhatIfRow {
  readonly affiliateUid: number;
  readonly product: Product;
  readonly asset: string;
  readonly actual: string;
  readonly proposed: string;
}

export interface AffiliateHistoryQueries {
  /** Dense in (affiliate, product) and each filter: a page costs the same at any depth. */
  commissions: [
    {
      readonly affiliateUid: number;
      readonly product: Product;
      readonly traderUid: number | null;
      readonly asset: string | null;
      readonly time: TimeRange;
      readonly page: Page;
    },
    Paged<Commission>,
  ];
  /** Null when there is none; the caller checks whose it is. */
  commission: [{ readonly commissionId: number }, CommissionDetail | null];
  referrals: [
    {
      readonly inviterUid: number;
      readonly uid: number | null;
      readonly registered: TimeRange;
      readonly page: Page;
    },
    Paged<Referral>,
  ];
  /** Those registered by the end of the range. */
  "referral-activity": [
    {
      readonly inviterUid: number;
      readonly uid: number | null;
      readonly time: TimeRange;
      readonly page: Page;
    },
    Paged<ReferralActivity>,
  ];
  /** Oldest first, then by product and coin; both days are inclusive. */
  "commission-days": [
    {
      readonly affiliateUid: number;
      readonly fromDay: string;
      readonly toDay: string;
      readonly limit: number;
    },
    readonly CommissionDay[],
  ];
  /** Coins that were settled, by name. */
  "paid-commissions": [{ readonly affiliateUid: number }, readonly PaidCommissions[]];
  /** Days that the range touches, newest first, then by uid. */
  "sub-affiliate-days": [
    {
      readonly parentUid: number;
      readonly subUid: number | null;
      readonly product: Product;
      readonly time: TimeRange;
      readonly page: Page;
    },
    Paged<SubAffiliateDay>,
  ];
  "internal-withdrawals": [
    {
      readonly uid: number;
      readonly withdrawalId: number | null;
      readonly asset: string | null;
      readonly time: TimeRange;
      readonly page: Page;
    },
    Paged<InternalWithdrawal>,
  ];
  /** Oldest first, after the first `offset` entries of the range. */
  "statement-part": [
    {
      readonly affiliateUid: number;
      readonly time: TimeRange;
      readonly offset: number;
      readonly limit: number;
    },
    StatementPart,
  ];
  /** Oldest first, from the day on. */
  "statement-heads": [
    { readonly affiliateUid: number; readonly fromDay: string; readonly limit: number },
    readonly StatementHead[],
  ];
  /** Null when the range holds more than `fillsMax` sides of fills. */
  "commission-what-if": [
    {
      readonly rates: readonly ProposedRates[];
      readonly time: TimeRange;
      readonly fillsMax: number;
    },
    { readonly fills: number; readonly rows: readonly WhatIfRow[] } | null,
  ];
}
