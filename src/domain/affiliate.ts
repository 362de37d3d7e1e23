/** Terms and limits of the affiliate programme. */

/** Why a commission is held for operator review. */
export const COMMISSION_FLAGS = ["self-referral", "wash-trade"] as const;
export type CommissionFlag = (typeof COMMISSION_FLAGS)[number];

/** Maximum depth of the affiliate tree. */
export const AFFILIATE_DEPTH_MAX = 10;

/** Highest rates, in 10^-8: half of a spot fee, four fifths of a contract fee. */
export const SPOT_COMMISSION_RATE_MAX_E8 = 50_000_000;
export const CONTRACT_COMMISSION_RATE_MAX_E8 = 80_000_000;
