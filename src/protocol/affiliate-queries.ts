/** Queries about the current state of the affiliate programme; amounts are decimal text. */
import type { CommissionFlag, Product } from "../domain/index.ts";

export type AffiliateQuery =
  /** Refused with `not-an-affiliate` if the user is not one. */
  | { readonly type: "affiliate"; readonly uid: number }
  | { readonly type: "affiliates"; readonly afterUid: number; readonly limit: number }
  | { readonly type: "affiliate-policy" }
  | {
      readonly type: "held-commissions";
      /** Of this affiliate only; null for all. */
      readonly affiliateUid: number | null;
      readonly afterCommissionId: number;
      readonly limit: number;
    };

/** An affiliate's balance in one asset: what is due, and what is owed after a reversal. */
export interface AffiliateBalanceView {
  readonly asset: string;
  /** The next settlement pays this, minus what is owed. */
  readonly payable: string;
  readonly held: string;
  readonly owed: string;
}

export interface AffiliateView {
  readonly uid: number;
  readonly parentUid: number | null;
  /** 1 for an affiliate without a parent. */
  readonly depth: number;
  readonly spotRate: string;
  readonly futuresRate: string;
  readonly rateVersion: number;
  /** When the current rates took effect. */
  readonly ratesSinceMs: number;
  /** Only assets with a non-zero entry. */
  readonly balances: readonly AffiliateBalanceView[];
}

export interface AffiliatePolicyView {
  /** USDT per affiliate, referred user and 30 UTC days; null for no cap. */
  readonly capPerReferral30d: string | null;
  readonly holdSelfReferral: boolean;
  readonly holdWashTrades: boolean;
  readonly washTradeShare: string;
}

export interface HeldCommissionView {
  readonly commissionId: number;
  readonly affiliateUid: number;
  readonly traderUid: number;
  readonly product: Product;
  readonly symbol: string;
  readonly asset: string;
  readonly amount: string;
  readonly flags: readonly CommissionFlag[];
  readonly timestampMs: number;
}

export interface AffiliateQueryAnswers {
  affiliate: AffiliateView;
  affiliates: readonly AffiliateView[];
  "affiliate-policy": AffiliatePolicyView;
  "held-commissions": readonly HeldCommissionView[];
}
