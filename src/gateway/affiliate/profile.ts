/** GET profile: the caller's place in the tree, rates and balances. */
import { v2AffiliateProfileRoute, v3AffiliateProfileRoute } from "../../api/affiliate/overview.ts";
import type { AnswerOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";

/** Settlements are at full hours of exchange time. */
const SETTLEMENT_EVERY_MS = 60 * 60 * 1000;

async function profile(
  { caller }: EndpointRequest<unknown, unknown>,
  exchange: Exchange,
): Promise<Outcome<AnswerOf<typeof v2AffiliateProfileRoute>>> {
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const user = await exchange.engine.ask<"user">({ type: "user", uid: caller.uid });
  if (!user.ok) return user;
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
    balances: balances.map(({ asset, payable, held, owed }) => {
      return { coin: asset, payable, held, owed };
    }),
    nextSettlementTime: (settledHours + 1) * SETTLEMENT_EVERY_MS,
  });
}

export const v2AffiliateProfileEndpoint = endpoint(v2AffiliateProfileRoute, profile);
export const v3AffiliateProfileEndpoint = endpoint(v3AffiliateProfileRoute, profile);
