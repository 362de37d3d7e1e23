/** Every affiliate endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { v2CommissionDaysEndpoint, v3CommissionDaysEndpoint } from "./commission-days.ts";
import { v2ExplainCommissionEndpoint, v3ExplainCommissionEndpoint } from "./explain-commission.ts";
import {
  v2InternalWithdrawalEndpoint,
  v3InternalWithdrawalEndpoint,
} from "./internal-withdrawal.ts";
import { v2AffiliateProfileEndpoint, v3AffiliateProfileEndpoint } from "./profile.ts";
import { v2ReferralActivityEndpoint, v3ReferralActivityEndpoint } from "./referral-activity.ts";
import { v2ReferralsEndpoint, v3ReferralsEndpoint } from "./referrals.ts";
import { v2CommissionsEndpoint, v3CommissionsEndpoint } from "./reports.ts";
import { v2StatementHeadsEndpoint, v3StatementHeadsEndpoint } from "./statement-heads.ts";
import { v2StatementEndpoint, v3StatementEndpoint } from "./statements.ts";
import {
  v2SubAffiliatesEndpoint,
  v3SubAffiliatesByGetEndpoint,
  v3SubAffiliatesEndpoint,
} from "./sub-affiliates.ts";
import { v2InternalWithdrawalsEndpoint, v3InternalWithdrawalsEndpoint } from "./withdrawals.ts";

export const AFFILIATE_ENDPOINTS: readonly Endpoint[] = [
  v2CommissionsEndpoint,
  v3CommissionsEndpoint,
  v2ReferralActivityEndpoint,
  v3ReferralActivityEndpoint,
  v2ReferralsEndpoint,
  v3ReferralsEndpoint,
  v2SubAffiliatesEndpoint,
  v3SubAffiliatesEndpoint,
  v3SubAffiliatesByGetEndpoint,
  v2InternalWithdrawalEndpoint,
  v3InternalWithdrawalEndpoint,
  v2InternalWithdrawalsEndpoint,
  v3InternalWithdrawalsEndpoint,
  v2AffiliateProfileEndpoint,
  v3AffiliateProfileEndpoint,
  v2CommissionDaysEndpoint,
  v3CommissionDaysEndpoint,
  v2ExplainCommissionEndpoint,
  v3ExplainCommissionEndpoint,
  v2StatementEndpoint,
  v3StatementEndpoint,
  v2StatementHeadsEndpoint,
  v3StatementHeadsEndpoint,
];
