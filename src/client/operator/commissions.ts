/**
 * Commissions: calls of the operator plane. Made from the operator plane's own table of calls,
 * to which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { AffiliatesCalls } from "./affiliates.ts";

export type GetCommissionInput = { readonly commissionId: number };

export type GetCommissionAnswer = {
  readonly commissionId: number;
  readonly affiliateUid: number;
  readonly traderUid: number;
  readonly product: "spot" | "contract";
  readonly symbol: string;
  readonly asset: string;
  readonly flags: readonly ("self-referral" | "wash-trade")[];
  readonly time: number;
  readonly amount: string;
  readonly status: "accrued" | "held" | "settled" | "reversed" | "reversal";
  readonly fee: string;
  readonly rate: string;
  readonly gross: string;
  readonly capped: string;
  readonly viaUid: number | null;
  readonly takerAmount: string;
  readonly makerAmount: string;
  readonly fill: {
    readonly tradeId: number;
    readonly role: "maker" | "taker";
    readonly price: string;
    readonly quantity: string;
    readonly quoteQuantity: string;
    readonly quoteAsset: string;
    readonly time: number;
  } | null;
  readonly rateVersion: {
    readonly uid: number;
    readonly version: number;
    readonly spotRate: string;
    readonly futuresRate: string;
    readonly since: number;
  } | null;
  readonly viaRateVersion: {
    readonly uid: number;
    readonly version: number;
    readonly spotRate: string;
    readonly futuresRate: string;
    readonly since: number;
  } | null;
  readonly settlement: {
    readonly settlementId: number;
    readonly time: number;
    readonly accrued: string;
    readonly recovered: string;
    readonly paid: string;
  } | null;
  readonly release: {
    readonly actor: string;
    readonly reason: string;
    readonly time: number;
  } | null;
  readonly reversal: {
    readonly reversalId: number;
    readonly commissionId: number;
    readonly actor: string;
    readonly reason: string;
    readonly time: number;
    readonly fromPayable: string;
    readonly fromSpot: string;
    readonly owed: string;
  } | null;
};

export type ReleaseCommissionInput = { readonly commissionId: number; readonly reason: string };

export type ReleaseCommissionAnswer = {
  readonly actor: string;
  readonly reason: string;
  readonly time: number;
};

export type ReverseCommissionInput = { readonly commissionId: number; readonly reason: string };

export type ReverseCommissionAnswer = {
  readonly reversalId: number;
  readonly commissionId: number;
  readonly actor: string;
  readonly reason: string;
  readonly time: number;
  readonly fromPayable: string;
  readonly fromSpot: string;
  readonly owed: string;
};

export type SettleCommissionsInput = { readonly reason: string };

export type SettleCommissionsAnswer = { readonly settlements: number };

export type CompareCommissionRatesInput = {
  readonly rates: readonly {
    readonly uid: number;
    readonly spotRate: string;
    readonly futuresRate: string;
  }[];
  readonly startTime: number;
  readonly endTime: number;
};

export type CompareCommissionRatesAnswer = {
  readonly fills: number;
  readonly rows: readonly {
    readonly affiliateUid: number;
    readonly product: "spot" | "contract";
    readonly asset: string;
    readonly actual: string;
    readonly proposed: string;
    readonly difference: string;
  }[];
  readonly totals: readonly {
    readonly asset: string;
    readonly actual: string;
    readonly proposed: string;
    readonly difference: string;
  }[];
};

export type ListHeldCommissionsInput = {
  readonly affiliateUid?: number;
  readonly after?: number;
  readonly limit?: number;
};

export type ListHeldCommissionsAnswer = {
  readonly items: readonly {
    readonly commissionId: number;
    readonly affiliateUid: number;
    readonly traderUid: number;
    readonly product: "spot" | "contract";
    readonly symbol: string;
    readonly asset: string;
    readonly flags: readonly ("self-referral" | "wash-trade")[];
    readonly time: number;
    readonly amount: string;
  }[];
  readonly next: number | null;
};

export type ListCommissionReleasesInput = { readonly commissionId: number };

export type ListCommissionReleasesAnswer = {
  readonly items: readonly {
    readonly actor: string;
    readonly reason: string;
    readonly time: number;
  }[];
};

export type ListCommissionReversalsInput = { readonly commissionId: number };

export type ListCommissionReversalsAnswer = { readonly items: readonly ReverseCommissionAnswer[] };

export type ListWaitingForSettlementInput = { readonly after?: number; readonly limit?: number };

export type ListWaitingForSettlementAnswer = {
  readonly items: readonly {
    readonly affiliateUid: number;
    readonly asset: string;
    readonly payable: string;
    readonly owed: string;
  }[];
  readonly next: number | null;
};

export abstract class CommissionsCalls extends AffiliatesCalls {
  /** Commissions that are held, of all affiliates or of one, oldest first. */
  listHeldCommissions(
    input: ListHeldCommissionsInput = {},
    options?: CallOptions,
  ): Promise<ListHeldCommissionsAnswer> {
    return this.call("GET", "/operator/v1/commissions", input, options);
  }

  /** One commission or reversal: its fill, fee, rates, and what became of it. */
  getCommission(input: GetCommissionInput, options?: CallOptions): Promise<GetCommissionAnswer> {
    return this.call("GET", "/operator/v1/commissions/{commissionId}", input, options);
  }

  /** Let go of a commission that is held: the next settlement pays it. */
  releaseCommission(
    input: ReleaseCommissionInput,
    options?: CallOptions,
  ): Promise<ReleaseCommissionAnswer> {
    return this.call("POST", "/operator/v1/commissions/{commissionId}/releases", input, options);
  }

  /** The release of a commission: one at most. */
  listCommissionReleases(
    input: ListCommissionReleasesInput,
    options?: CallOptions,
  ): Promise<ListCommissionReleasesAnswer> {
    return this.call("GET", "/operator/v1/commissions/{commissionId}/releases", input, options);
  }

  /**
   * Take a commission back by an entry of the opposite amount: out of what waits for settlement,
   * then out of the spot wallet; the rest is kept back from later settlements.
   */
  reverseCommission(
    input: ReverseCommissionInput,
    options?: CallOptions,
  ): Promise<ReverseCommissionAnswer> {
    return this.call("POST", "/operator/v1/commissions/{commissionId}/reversals", input, options);
  }

  /** The reversal of a commission: one at most. */
  listCommissionReversals(
    input: ListCommissionReversalsInput,
    options?: CallOptions,
  ): Promise<ListCommissionReversalsAnswer> {
    return this.call("GET", "/operator/v1/commissions/{commissionId}/reversals", input, options);
  }

  /** Pay what waits for settlement now instead of at the next full hour. */
  settleCommissions(
    input: SettleCommissionsInput,
    options?: CallOptions,
  ): Promise<SettleCommissionsAnswer> {
    return this.call("POST", "/operator/v1/commission-settlements", input, options);
  }

  /**
   * What the next settlement pays or keeps back, by affiliate and asset. A page covers `limit`
   * affiliates, of which those that wait for nothing are left out.
   */
  listWaitingForSettlement(
    input: ListWaitingForSettlementInput = {},
    options?: CallOptions,
  ): Promise<ListWaitingForSettlementAnswer> {
    return this.call("GET", "/operator/v1/commission-settlements", input, options);
  }

  /**
   * What commissions over a past period would have come to with other rates, before caps, holds
   * and reversals. At most 90 days and 2000000 sides of fills.
   */
  compareCommissionRates(
    input: CompareCommissionRatesInput,
    options?: CallOptions,
  ): Promise<CompareCommissionRatesAnswer> {
    return this.call("POST", "/operator/v1/commission-what-if", input, options);
  }
}
