/** What the affiliate projections read back. */
import type { HistoryDatabase } from "../../store/index.ts";
import { RowReaders } from "../row-readers.ts";

export type AffiliateReaders = ReturnType<typeof affiliateReaders>;

export function affiliateReaders(history: HistoryDatabase) {
  const read = new RowReaders(history);
  const ofAffiliate = ["affiliate_uid", "product"] as const;
  const ofParent = ["parent_uid", "product"] as const;
  return {
    affiliates: () => read.all("affiliates"),
    unsettledDays: () => read.all("unsettled_days"),
    usdtPrices: () => read.all("usdt_prices"),
    commission: read.row("commissions", ["commission_id"]),
    /** The last ordinals of an affiliate's commissions: of all, a trader, a coin, and both. */
    lastOrdinals: {
      ordinal: read.last("commissions", ofAffiliate, "ordinal"),
      trader: read.last("commissions", [...ofAffiliate, "trader_uid"], "trader_ordinal"),
      asset: read.last("commissions", [...ofAffiliate, "asset"], "asset_ordinal"),
      both: read.last("commissions", [...ofAffiliate, "trader_uid", "asset"], "both_ordinal"),
    },
    lastEntry: read.row("affiliate_entries", ["affiliate_uid"], "ordinal"),
    lastEntryOfCoin: read.row("affiliate_entries", ["affiliate_uid", "asset"], "ordinal"),
    lastSettlement: read.row("affiliate_settlements", ["affiliate_uid", "asset"], "settlement_id"),
    affiliateDay: read.row("affiliate_days", ["affiliate_uid", "day", "product", "asset"]),
    rates: read.row("affiliate_rates", ["uid", "version"]),
    lastReferralOrdinal: read.last("referrals", ["inviter_uid"], "ordinal"),
    referral: read.row("referrals", ["uid"]),
    lastActivity: read.row("referral_activity", ["uid"], "time_ms"),
    subAffiliateDay: read.row("sub_affiliate_days", [...ofParent, "day", "sub_uid"]),
    lastDayOrdinal: read.last("sub_affiliate_days", [...ofParent, "sub_uid"], "sub_ordinal"),
    lastDayTotal: read.last("sub_affiliate_day_totals", ofParent, "rows_until"),
    lastWithdrawal: read.last("internal_withdrawals", ["uid"], "uid_ordinal"),
    lastWithdrawalOfCoin: read.last("internal_withdrawals", ["uid", "asset"], "asset_ordinal"),
  };
}
