/**
 * The affiliate programme: reports, explanations, internal withdrawals, and statements that are
 * checked here. Amounts are decimal text, times Unix milliseconds, days UTC (YYYY-MM-DD).
 */
import { type StatementVerdict, verifyStatement } from "../affiliate-statement/index.ts";
import { newClientId, sha256Hex } from "./credentials.ts";
import type { CallOptions } from "./http-calls.ts";
import type { InterfaceCalls } from "./interface-calls.ts";
import type { Answer, Body, Query } from "./route-types.ts";

export type AffiliateProfile = Answer<"v3-affiliate-profile">;
export type CommissionDay = Answer<"v3-affiliate-commission-days">[number];
export type Commission = Answer<"v3-affiliate-commissions">["channelCommissionInfoItems"][number];
export type ReferralActivity = Answer<"v3-affiliate-referral-activity">["records"][number];
export type Referral = Answer<"v3-affiliate-referrals">["channelUserInfoItemList"][number];
export type SubAffiliateDay = Answer<"v3-sub-affiliates">["records"][number];
export type CommissionExplanation = Answer<"v3-explain-commission">;
export type StatementHead = Answer<"v3-affiliate-statement-heads">[number];

export class AffiliateClient {
  readonly #calls: InterfaceCalls;

  constructor(calls: InterfaceCalls) {
    this.#calls = calls;
  }

  /** Invite code, place in the tree, rates, balances, and when the next settlement is. */
  profile(options?: CallOptions): Promise<AffiliateProfile> {
    return this.#calls.call("v3-affiliate-profile", {}, options);
  }

  /** What each day brought by product and coin, oldest first; at most 92 days, the last 90. */
  commissionDays(
    query: Query<"v3-affiliate-commission-days"> = {},
    options?: CallOptions,
  ): Promise<CommissionDay[]> {
    return this.#calls.call("v3-affiliate-commission-days", { query }, options);
  }

  /** The caller's commissions, newest first; at most 90 days, the last 7 without bounds. */
  commissions(
    query: Query<"v3-affiliate-commissions"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-affiliate-commissions">> {
    return this.#calls.call("v3-affiliate-commissions", { query }, options);
  }

  /** What each invitee brought, in USDT at the moment of each movement. */
  referralActivity(
    query: Query<"v3-affiliate-referral-activity"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-affiliate-referral-activity">> {
    return this.#calls.call("v3-affiliate-referral-activity", { query }, options);
  }

  /** The caller's direct invitees, newest first. */
  referrals(
    query: Query<"v3-affiliate-referrals"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-affiliate-referrals">> {
    return this.#calls.call("v3-affiliate-referrals", { query }, options);
  }

  /** One row per direct sub-affiliate, product and day, newest day first. */
  subAffiliates(
    body: Body<"v3-sub-affiliates">,
    options?: CallOptions,
  ): Promise<Answer<"v3-sub-affiliates">> {
    return this.#calls.call("v3-sub-affiliates", { body }, options);
  }

  /** Pays somebody below out of the own spot wallet, once for each `clientWithdrawalId`. */
  withdrawInternally(
    withdrawal: Body<"v3-internal-withdrawal">,
    options?: CallOptions,
  ): Promise<Answer<"v3-internal-withdrawal">> {
    const body = { clientWithdrawalId: newClientId(), ...withdrawal };
    return this.#calls.call("v3-internal-withdrawal", { body }, options);
  }

  /** The caller's internal withdrawals of the last 31 days, newest first. */
  internalWithdrawals(
    query: Query<"v3-internal-withdrawals"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-internal-withdrawals">> {
    return this.#calls.call("v3-internal-withdrawals", { query }, options);
  }

  /** Fill, fee, rates, exact product, rounding, ledger entries and settlement of a commission. */
  explain(
    query: Query<"v3-explain-commission">,
    options?: CallOptions,
  ): Promise<CommissionExplanation> {
    return this.#calls.call("v3-explain-commission", { query }, options);
  }

  /** The file of a statement, byte for byte: JSON, or CSV. Verify it before you read it. */
  statement(query: Query<"v3-affiliate-statement">, options?: CallOptions): Promise<string> {
    return this.#calls.text("v3-affiliate-statement", { query }, options);
  }

  /** Ends of the caller's chain of hashes, oldest day first. */
  statementHeads(
    query: Query<"v3-affiliate-statement-heads"> = {},
    options?: CallOptions,
  ): Promise<StatementHead[]> {
    return this.#calls.call("v3-affiliate-statement-heads", { query }, options);
  }

  /** Checks a statement without the exchange; see `verifyAffiliateStatement`. */
  verifyStatement(text: string, publishedHash?: string): Promise<StatementVerdict> {
    return verifyAffiliateStatement(text, publishedHash);
  }
}

/**
 * Checks every hash, commission, balance, settlement and total of a statement, and that it ends in
 * the published hash, if that is given. Needs neither the exchange nor a key.
 */
export function verifyAffiliateStatement(
  text: string,
  publishedHash?: string,
): Promise<StatementVerdict> {
  return verifyStatement(text, sha256Hex, publishedHash);
}
