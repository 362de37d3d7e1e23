/**
 * The affiliate programme: reports, explanations, internal withdrawals, and statements that are
 * verified here. Amounts are decimal text, times Unix milliseconds, days UTC (YYYY-MM-DD).
 */
import { type StatementVerdict, verifyStatement } from "../affiliate-statement/index.ts";
import type { ApiCalls } from "./api-calls.ts";
import { sha256Hex } from "./credentials.ts";
import { body, bodyWithId, call, classOf, optionalQuery, query } from "./methods.ts";
import type { CallOptions } from "./retries.ts";
import type { Answer, Query } from "./route-types.ts";

export type AffiliateProfile = Answer<"v3-affiliate-profile">;
export type CommissionDay = Answer<"v3-affiliate-commission-days">[number];
export type Commission = Answer<"v3-affiliate-commissions">["channelCommissionInfoItems"][number];
export type ReferralActivity = Answer<"v3-affiliate-referral-activity">["records"][number];
export type Referral = Answer<"v3-affiliate-referrals">["channelUserInfoItemList"][number];
export type SubAffiliateDay = Answer<"v3-sub-affiliates">["records"][number];
export type CommissionExplanation = Answer<"v3-explain-commission">;
export type StatementHead = Answer<"v3-affiliate-statement-heads">[number];

const AFFILIATE = {
  /** Invite code, place in the tree, rates, balances, and the time of the next settlement. */
  profile: call("v3-affiliate-profile"),
  /** Earnings of each day by product and coin, oldest first; at most 92 days, by default 90. */
  commissionDays: optionalQuery("v3-affiliate-commission-days"),
  /** The caller's commissions, newest first; at most 90 days, by default the last 7. */
  commissions: optionalQuery("v3-affiliate-commissions"),
  /** Earnings from each invitee, in USDT at the time of each movement. */
  referralActivity: optionalQuery("v3-affiliate-referral-activity"),
  /** The caller's direct invitees, newest first. */
  referrals: optionalQuery("v3-affiliate-referrals"),
  /** One row per direct sub-affiliate, product and day, newest day first. */
  subAffiliates: body("v3-sub-affiliates"),
  /** Pays a user below from the own spot wallet, once for each `clientWithdrawalId`. */
  withdrawInternally: bodyWithId("v3-internal-withdrawal", "clientWithdrawalId"),
  /** The caller's internal withdrawals of the last 31 days, newest first. */
  internalWithdrawals: optionalQuery("v3-internal-withdrawals"),
  /** Fill, fee, rates, exact product, rounding, ledger entries and settlement of a commission. */
  explain: query("v3-explain-commission"),
  /** The file of a statement, byte for byte: JSON or CSV. Verify it before you read it. */
  statement: (calls: ApiCalls) => (query: Query<"v3-affiliate-statement">, options?: CallOptions) =>
    calls.text("v3-affiliate-statement", { query }, options),
  /** Heads of the caller's hash chain, oldest day first. */
  statementHeads: optionalQuery("v3-affiliate-statement-heads"),
  /** Verifies a statement without the exchange; see `verifyAffiliateStatement`. */
  verifyStatement: () => verifyAffiliateStatement,
};

export class AffiliateClient extends classOf(AFFILIATE) {}

/**
 * Verifies every hash, commission, balance, settlement and total of a statement, and that it ends
 * in the published hash, if one is given. Needs neither the exchange nor a key.
 */
export function verifyAffiliateStatement(
  text: string,
  publishedHash?: string,
): Promise<StatementVerdict> {
  return verifyStatement(text, sha256Hex, publishedHash);
}
