/** Affiliate profile: the caller's place in the tree, rates and balances. */
import { v2AffiliateProfileRoute, v3AffiliateProfileRoute } from "../../api/affiliate/overview.ts";
import type { AnswerOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import type { AffiliateView } from "../../protocol/index.ts";
import type { PaidCommissions } from "../../queries/history-port.ts";
import { type Endpoint, endpoint, type Handler } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { queryCallingAffiliate } from "./parameters.ts";

type Profile = AnswerOf<typeof v2AffiliateProfileRoute>;

/** Settlements are at full hours of exchange time. */
const SETTLEMENT_EVERY_MS = 60 * 60 * 1000;

const profile: Handler<typeof v2AffiliateProfileRoute> = async ({ caller }, exchange) => {
  const affiliate = await queryCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const user = await exchange.engine.query<"user">({ type: "user", uid: caller.uid });
  if (!user.ok) return user;
  const question = { affiliateUid: caller.uid };
  const paid = await queryHistory(exchange, "paid-commissions", question, affiliate.sequence);
  if (!paid.ok) return paid;
  const { uid, parentUid, depth, spotRate, futuresRate, rateVersion, ratesSinceMs, balances } =
    affiliate.value;
  const settledHours = Math.floor(affiliate.timestampMs / SETTLEMENT_EVERY_MS);
  return accept({
    uid: String(uid),
    inviteCode: user.value.inviteCode,
    parentUid: parentUid === null ? null : String(parentUid),
    depth,
    spotRate,
    futuresRate,
    rateVersion,
    ratesSince: ratesSinceMs,
    balances: balancesOf(balances, paid.value),
    nextSettlementTime: (settledHours + 1) * SETTLEMENT_EVERY_MS,
  });
};

/** The engine knows what waits, the history what was paid. */
function balancesOf(
  waiting: AffiliateView["balances"],
  paid: readonly PaidCommissions[],
): Profile["balances"] {
  const coins = [...waiting, ...paid].map(({ asset }) => asset);
  return [...new Set(coins)].sort().map((coin) => {
    const now = waiting.find(({ asset }) => asset === coin);
    return {
      coin,
      payable: now?.payable ?? "0",
      held: now?.held ?? "0",
      owed: now?.owed ?? "0",
      paid: paid.find(({ asset }) => asset === coin)?.paid ?? "0",
    };
  });
}

export const v2AffiliateProfile = endpoint(v2AffiliateProfileRoute, profile);
export const v3AffiliateProfile = endpoint(v3AffiliateProfileRoute, profile);

export const PROFILE_ENDPOINTS: readonly Endpoint[] = [v2AffiliateProfile, v3AffiliateProfile];
