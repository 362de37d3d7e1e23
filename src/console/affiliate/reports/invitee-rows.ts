/** Merges two reports about the same invitees. */
import type { Referral, ReferralActivity } from "../../../client/index.ts";

export interface Invitee extends Referral {
  /** Null for an invitee who registered between the two requests. */
  readonly activity: ReferralActivity | null;
}

export function inviteeRows(
  referrals: readonly Referral[],
  activities: readonly ReferralActivity[],
): readonly Invitee[] {
  const byUid = new Map(activities.map((activity) => [activity.uid, activity]));
  return referrals.map((referral) => ({
    ...referral,
    activity: byUid.get(referral.uid) ?? null,
  }));
}
