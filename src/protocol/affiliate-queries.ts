/** Questions about the present state of the affiliate programme, answered in decimal text. */
import type { CommissionFlag, Product } from "../domain/index.ts";

export type AffiliateQuery =
  /** Refused with `not-an-affiliate` when the user is none. */
  | { readonly type: "affiliate"; readonly uid: number }
  | { readonly type: "affiliates"; readonly afterUid: number; readonly limit: number }
  | { readonly type: "affiliate-policy" }
  | {
      readonly type: "held-commissions";
      /** Of this affiliate alone, or of all. */
      readonly affiliateUid: number | null;
      readonly afterCommissionId: number;
      readonly limit: number;
    };

/** What an affiliate has coming in an asset, and owes after a reversal. */
export interface AffiliateBalanceView {
  readonly asset: string;
  /** Paid by the next settlement, less what is owed. */
  readonly payable: string;
  readonly held: string;
  readonly owed: string;
}

export interface AffiliateView {
  readonly uid: number;
  readonly parentUid: number | null;
  /** 1 without a parent. */
  readonly depth: number;
  readonly spotRate: string;
  readonly futuresRate: string;
  readonly rateVersion: number;
  /** Since when these rates are in force. */
  readonly ratesSinceMs: number;
  /** Assets in which there is anything. */
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
