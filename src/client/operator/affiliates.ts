/**
 * Affiliates: calls of the operator plane. Made from the operator plane's own table of calls,
 * to which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { RiskCalls } from "./risk.ts";

export type SetAffiliateInput = {
  readonly uid: number;
  readonly spotRate: string;
  readonly futuresRate: string;
  readonly parentUid?: number;
};

export type SetAffiliateAnswer = {
  readonly uid: number;
  readonly parentUid: number | null;
  readonly depth: number;
  readonly spotRate: string;
  readonly futuresRate: string;
  readonly rateVersion: number;
  readonly ratesSince: number;
  readonly balances: readonly {
    readonly asset: string;
    readonly payable: string;
    readonly held: string;
    readonly owed: string;
  }[];
};

export type GetAffiliateInput = { readonly uid: number };

export type GetAffiliateAnswer = SetAffiliateAnswer;

export type SetAffiliatePolicyInput = {
  readonly capPerReferral30d?: string | null;
  readonly holdSelfReferral?: boolean;
  readonly holdWashTrades?: boolean;
  readonly washTradeShare?: string;
};

export type SetAffiliatePolicyAnswer = {
  readonly capPerReferral30d: string | null;
  readonly holdSelfReferral: boolean;
  readonly holdWashTrades: boolean;
  readonly washTradeShare: string;
};

export type GetAffiliatePolicyAnswer = SetAffiliatePolicyAnswer;

export type ListAffiliatesInput = { readonly after?: number; readonly limit?: number };

export type ListAffiliatesAnswer = {
  readonly items: readonly SetAffiliateAnswer[];
  readonly next: number | null;
};

export type ListStatementHeadsInput = {
  readonly uid: number;
  readonly fromDay?: string;
  readonly limit?: number;
};

export type ListStatementHeadsAnswer = {
  readonly items: readonly {
    readonly day: string;
    readonly ordinal: number;
    readonly hash: string;
    readonly complete: boolean;
  }[];
  readonly next: string | null;
};

export abstract class AffiliatesCalls extends RiskCalls {
  /**
   * Make a user an affiliate, or change the rates for fills from now on. A parent affiliate is
   * given once, then or later, and never changed.
   */
  setAffiliate(input: SetAffiliateInput, options?: CallOptions): Promise<SetAffiliateAnswer> {
    return this.call("PUT", "/operator/v1/affiliates/{uid}", input, options);
  }

  /** One affiliate: place in the tree, rates, and what is to be paid. */
  getAffiliate(input: GetAffiliateInput, options?: CallOptions): Promise<GetAffiliateAnswer> {
    return this.call("GET", "/operator/v1/affiliates/{uid}", input, options);
  }

  /** All affiliates, in order of uid. */
  listAffiliates(
    input: ListAffiliatesInput = {},
    options?: CallOptions,
  ): Promise<ListAffiliatesAnswer> {
    return this.call("GET", "/operator/v1/affiliates", input, options);
  }

  /**
   * Set the whole policy; what is not given is off. The cap is in USDT for each affiliate and
   * referred user over 30 UTC days; what is held waits until it is released.
   */
  setAffiliatePolicy(
    input: SetAffiliatePolicyInput = {},
    options?: CallOptions,
  ): Promise<SetAffiliatePolicyAnswer> {
    return this.call("PUT", "/operator/v1/affiliate-policy", input, options);
  }

  /** The policy as it is in force. */
  getAffiliatePolicy(options?: CallOptions): Promise<GetAffiliatePolicyAnswer> {
    return this.call("GET", "/operator/v1/affiliate-policy", {}, options);
  }

  /**
   * The end of an affiliate's hash chain on each UTC day on which it grew, oldest first, from
   * `fromDay` on; `next` is the `fromDay` of the following page. Publish complete ones.
   */
  listStatementHeads(
    input: ListStatementHeadsInput,
    options?: CallOptions,
  ): Promise<ListStatementHeadsAnswer> {
    return this.call("GET", "/operator/v1/affiliates/{uid}/statement-heads", input, options);
  }
}
