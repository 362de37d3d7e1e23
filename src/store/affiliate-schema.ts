/** The tables and indexes of the affiliate programme: see `schema.ts`. */
import type { AffiliateTables } from "./affiliate-tables.ts";
import type { TableShape } from "./table-shape.ts";

export const AFFILIATE_TABLES: Readonly<Record<keyof AffiliateTables, TableShape>> = {
  usdt_prices: { key: ["asset"], numbers: [], texts: ["asset", "price"] },
  affiliates: {
    key: ["uid"],
    numbers: ["uid", "parent_uid", "parent_since_commission"],
    texts: [],
  },
  affiliate_rates: {
    key: ["uid", "version"],
    numbers: ["uid", "version", "since_ms", "since_commission"],
    texts: ["spot_rate", "futures_rate"],
  },
  commissions: {
    key: ["affiliate_uid", "product", "ordinal"],
    numbers: [
      "affiliate_uid",
      "ordinal",
      "trader_ordinal",
      "asset_ordinal",
      "both_ordinal",
      "commission_id",
      "reversed_id",
      "trader_uid",
      "trade_id",
      "maker",
      "via_uid",
      "via_rate_version",
      "rate_version",
      "time_ms",
      "held",
      "waits_since_settlement",
      "reversed_since_settlement",
    ],
    texts: [
      "product",
      "symbol",
      "asset",
      "notional",
      "fee",
      "rate",
      "capped",
      "amount",
      "flags",
      "usdt_value",
    ],
    indexes: [
      ["affiliate_uid", "product", "trader_uid", "trader_ordinal"],
      ["affiliate_uid", "product", "asset", "asset_ordinal"],
      ["affiliate_uid", "product", "trader_uid", "asset", "both_ordinal"],
      ["commission_id"],
    ],
  },
  commission_actions: {
    key: ["commission_id", "action"],
    numbers: ["commission_id", "time_ms", "reversal_id"],
    texts: ["action", "actor", "reason", "from_payable", "from_spot", "newly_owed"],
  },
  affiliate_settlements: {
    key: ["affiliate_uid", "asset", "settlement_id"],
    numbers: ["affiliate_uid", "settlement_id", "time_ms"],
    texts: ["asset", "accrued", "recovered", "paid", "paid_until"],
  },
  affiliate_entries: {
    key: ["affiliate_uid", "ordinal"],
    numbers: ["affiliate_uid", "ordinal", "time_ms"],
    texts: ["asset", "line", "hash"],
    indexes: [["affiliate_uid", "asset", "ordinal"]],
  },
  affiliate_coins: {
    key: ["affiliate_uid", "asset"],
    numbers: ["affiliate_uid", "first_ordinal"],
    texts: ["asset"],
    indexes: [["affiliate_uid", "first_ordinal", "asset"]],
  },
  affiliate_day_heads: {
    key: ["affiliate_uid", "day"],
    numbers: ["affiliate_uid", "ordinal"],
    texts: ["day", "hash"],
  },
  affiliate_days: {
    key: ["affiliate_uid", "day", "product", "asset"],
    numbers: ["affiliate_uid", "commissions"],
    texts: ["day", "product", "asset", "amount", "usdt_value", "volume"],
  },
  referrals: {
    key: ["inviter_uid", "ordinal"],
    numbers: ["inviter_uid", "ordinal", "uid", "registered_ms", "kyc"],
    texts: [],
    indexes: [["uid"], ["inviter_uid", "registered_ms", "ordinal"]],
  },
  referral_activity: {
    key: ["uid", "time_ms"],
    numbers: ["uid", "time_ms"],
    texts: ["deposits", "withdrawals", "spot_volume", "contract_volume", "commission"],
  },
  sub_affiliate_days: {
    key: ["parent_uid", "product", "day", "sub_uid"],
    numbers: ["parent_uid", "sub_uid", "sub_ordinal"],
    texts: ["product", "day", "volume", "net_fee", "paid_commission"],
    indexes: [
      ["parent_uid", "product", "sub_uid", "sub_ordinal"],
      ["parent_uid", "product", "sub_uid", "day"],
    ],
  },
  sub_affiliate_day_totals: {
    key: ["parent_uid", "product", "day"],
    numbers: ["parent_uid", "rows_until"],
    texts: ["product", "day"],
    indexes: [["parent_uid", "product", "rows_until"]],
  },
  unsettled_days: {
    key: ["affiliate_uid", "asset", "product", "day"],
    numbers: ["affiliate_uid"],
    texts: ["asset", "product", "day", "usdt_value"],
  },
  internal_withdrawals: {
    key: ["uid", "uid_ordinal"],
    numbers: ["uid", "uid_ordinal", "asset_ordinal", "withdrawal_id", "to_uid", "time_ms"],
    texts: ["asset", "amount"],
    indexes: [
      ["uid", "asset", "asset_ordinal"],
      ["uid", "withdrawal_id"],
      ["uid", "time_ms", "uid_ordinal"],
      ["uid", "asset", "time_ms", "asset_ordinal"],
    ],
  },
};
