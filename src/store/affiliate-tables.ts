/** The tables of the affiliate programme: see `tables.ts`. Nobody's uid is 0. */
import type { Product } from "../domain/index.ts";
import { integer, table, text } from "./table.ts";

export const AFFILIATE_TABLES = {
  /** The last trade price of a coin against USDT. */
  usdt_prices: table({
    columns: {
      asset: text(),
      price: text(),
    },
    key: ["asset"],
  }),

  affiliates: table({
    columns: {
      uid: integer(),
      /** 0 for none. */
      parent_uid: integer(),
      /** The last commission id issued before the parent was set. */
      parent_since_commission: integer(),
    },
    key: ["uid"],
  }),

  /** The rates of an affiliate through time. */
  affiliate_rates: table({
    columns: {
      uid: integer(),
      version: integer(),
      spot_rate: text(),
      futures_rate: text(),
      since_ms: integer(),
      /** The last commission id issued before. */
      since_commission: integer(),
    },
    key: ["uid", "version"],
  }),

  /**
   * A commission, or the reversal of one. The ordinals number an affiliate's rows of a product from
   * 1: all, those of a trader, of a coin, and of both. Time grows with them.
   */
  commissions: table({
    columns: {
      affiliate_uid: integer(),
      product: text<Product>(),
      ordinal: integer(),
      trader_ordinal: integer(),
      asset_ordinal: integer(),
      both_ordinal: integer(),
      commission_id: integer(),
      /** The commission that a reversal reverses; 0 for a commission. */
      reversed_id: integer(),
      trader_uid: integer(),
      symbol: text(),
      asset: text(),
      trade_id: integer(),
      maker: integer(),
      /** The affiliate below; 0 for a direct client. A reversal has that of its commission. */
      via_uid: integer(),
      via_rate_version: integer(),
      notional: text(),
      fee: text(),
      rate: text(),
      rate_version: integer(),
      capped: text(),
      /** Negative for a reversal. */
      amount: text(),
      /** Separated by blanks. */
      flags: text(),
      /** The amount in USDT at the fill. */
      usdt_value: text(),
      time_ms: integer(),
      /** 1 while it awaits an operator's decision. */
      held: integer(),
      /** The exchange's last settlement before it began to await one: a later one pays it. */
      waits_since_settlement: integer(),
      /** The last settlement before its reversal; -1 without a reversal. */
      reversed_since_settlement: integer(),
    },
    key: ["affiliate_uid", "product", "ordinal"],
    indexes: [
      ["affiliate_uid", "product", "trader_uid", "trader_ordinal"],
      ["affiliate_uid", "product", "asset", "asset_ordinal"],
      ["affiliate_uid", "product", "trader_uid", "asset", "both_ordinal"],
      ["commission_id"],
    ],
  }),

  /** What an operator did to a commission. Amounts are "0" for a release. */
  commission_actions: table({
    columns: {
      commission_id: integer(),
      action: text<"release" | "reversal">(),
      actor: text(),
      reason: text(),
      time_ms: integer(),
      reversal_id: integer(),
      from_payable: text(),
      from_spot: text(),
      newly_owed: text(),
    },
    key: ["commission_id", "action"],
  }),

  affiliate_settlements: table({
    columns: {
      affiliate_uid: integer(),
      asset: text(),
      settlement_id: integer(),
      accrued: text(),
      recovered: text(),
      paid: text(),
      /** By this settlement and all before it. */
      paid_until: text(),
      time_ms: integer(),
    },
    key: ["affiliate_uid", "asset", "settlement_id"],
  }),

  /** The chain of an affiliate: `line` is the canonical text that is hashed. */
  affiliate_entries: table({
    columns: {
      affiliate_uid: integer(),
      ordinal: integer(),
      time_ms: integer(),
      asset: text(),
      line: text(),
      hash: text(),
    },
    key: ["affiliate_uid", "ordinal"],
    indexes: [["affiliate_uid", "asset", "ordinal"]],
  }),

  /** The coins of an affiliate's chain. */
  affiliate_coins: table({
    columns: {
      affiliate_uid: integer(),
      asset: text(),
      first_ordinal: integer(),
    },
    key: ["affiliate_uid", "asset"],
    indexes: [["affiliate_uid", "first_ordinal", "asset"]],
  }),

  /** The end of the chain after a day in which it grew. */
  affiliate_day_heads: table({
    columns: {
      affiliate_uid: integer(),
      day: text(),
      ordinal: integer(),
      hash: text(),
    },
    key: ["affiliate_uid", "day"],
  }),

  /**
   * What an affiliate earned on a UTC day in a product and a coin. Reversals count on the day they
   * were made.
   */
  affiliate_days: table({
    columns: {
      affiliate_uid: integer(),
      day: text(),
      product: text<Product>(),
      asset: text(),
      /** Without reversals. */
      commissions: integer(),
      amount: text(),
      /** In USDT at the fills; a reversal takes off what its commission was worth. */
      usdt_value: text(),
      /** Of the fills, in USDT at the fills. */
      volume: text(),
    },
    key: ["affiliate_uid", "day", "product", "asset"],
  }),

  /** Who registered with whose code; the ordinals number an inviter's rows from 1. */
  referrals: table({
    columns: {
      inviter_uid: integer(),
      ordinal: integer(),
      uid: integer(),
      registered_ms: integer(),
      kyc: integer(),
    },
    key: ["inviter_uid", "ordinal"],
    indexes: [["uid"], ["inviter_uid", "registered_ms", "ordinal"]],
  }),

  /**
   * What an invitee brought up to and including this moment, in USDT: a range is the difference of
   * two rows.
   */
  referral_activity: table({
    columns: {
      uid: integer(),
      time_ms: integer(),
      deposits: text(),
      withdrawals: text(),
      spot_volume: text(),
      contract_volume: text(),
      commission: text(),
    },
    key: ["uid", "time_ms"],
  }),

  /** A sub-affiliate's day, in USDT. The ordinal numbers its rows of a product from 1. */
  sub_affiliate_days: table({
    columns: {
      parent_uid: integer(),
      product: text<Product>(),
      day: text(),
      sub_uid: integer(),
      sub_ordinal: integer(),
      volume: text(),
      net_fee: text(),
      paid_commission: text(),
    },
    key: ["parent_uid", "product", "day", "sub_uid"],
    indexes: [
      ["parent_uid", "product", "sub_uid", "sub_ordinal"],
      ["parent_uid", "product", "sub_uid", "day"],
    ],
  }),

  /** How many of these rows there are of all sub-affiliates, up to and with a day. */
  sub_affiliate_day_totals: table({
    columns: {
      parent_uid: integer(),
      product: text<Product>(),
      day: text(),
      rows_until: integer(),
    },
    key: ["parent_uid", "product", "day"],
    indexes: [["parent_uid", "product", "rows_until"]],
  }),

  /** What a day's commissions will add to its `paid_commission` when the coin is settled. */
  unsettled_days: table({
    columns: {
      affiliate_uid: integer(),
      asset: text(),
      product: text<Product>(),
      day: text(),
      usdt_value: text(),
    },
    key: ["affiliate_uid", "asset", "product", "day"],
  }),

  /** The ordinals number a sender's rows, and those of one coin, from 1. */
  internal_withdrawals: table({
    columns: {
      uid: integer(),
      uid_ordinal: integer(),
      asset_ordinal: integer(),
      withdrawal_id: integer(),
      to_uid: integer(),
      asset: text(),
      amount: text(),
      time_ms: integer(),
    },
    key: ["uid", "uid_ordinal"],
    indexes: [
      ["uid", "asset", "asset_ordinal"],
      ["uid", "withdrawal_id"],
      ["uid", "time_ms", "uid_ordinal"],
      ["uid", "asset", "time_ms", "asset_ordinal"],
    ],
  }),
};
