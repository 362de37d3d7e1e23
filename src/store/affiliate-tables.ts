/** The tables of the affiliate programme: see `tables.ts`. Nobody's uid is 0. */
import type { Product } from "../domain/index.ts";

/** What a coin last traded at against USDT. */
export interface UsdtPricesTable {
  asset: string;
  price: string;
}

export interface AffiliatesTable {
  uid: number;
  /** 0 for none. */
  parent_uid: number;
  /** The last commission that had been given a number when the parent was set. */
  parent_since_commission: number;
}

/** The rates of an affiliate through time. */
export interface AffiliateRatesTable {
  uid: number;
  version: number;
  spot_rate: string;
  futures_rate: string;
  since_ms: number;
  /** The last commission that had been given a number before. */
  since_commission: number;
}

/**
 * A commission, or the reversal of one. The ordinals number an affiliate's rows of a product from
 * 1: all, those of a trader, of a coin, and of both. Time grows with them.
 */
export interface CommissionsTable {
  affiliate_uid: number;
  product: Product;
  ordinal: number;
  trader_ordinal: number;
  asset_ordinal: number;
  both_ordinal: number;
  commission_id: number;
  /** The commission that a reversal is of; 0 for a commission. */
  reversed_id: number;
  trader_uid: number;
  symbol: string;
  asset: string;
  trade_id: number;
  maker: number;
  /** The affiliate below; 0 for a direct client. Of a reversal as of its commission. */
  via_uid: number;
  via_rate_version: number;
  notional: string;
  fee: string;
  rate: string;
  rate_version: number;
  capped: string;
  /** Negative for a reversal. */
  amount: string;
  /** Separated by blanks. */
  flags: string;
  /** Of the amount, at the fill. */
  usdt_value: string;
  time_ms: number;
  /** 1 for as long as it waits for an operator. */
  held: number;
  /** The last settlement of anybody before it began to wait for one: a later one pays it. */
  waits_since_settlement: number;
  /** The same at its reversal; -1 when there is none. */
  reversed_since_settlement: number;
}

/** What an operator did to a commission. Amounts are "0" for a release. */
export interface CommissionActionsTable {
  commission_id: number;
  action: "release" | "reversal";
  actor: string;
  reason: string;
  time_ms: number;
  reversal_id: number;
  from_payable: string;
  from_spot: string;
  newly_owed: string;
}

export interface AffiliateSettlementsTable {
  affiliate_uid: number;
  asset: string;
  settlement_id: number;
  accrued: string;
  recovered: string;
  paid: string;
  /** By this settlement and all before it. */
  paid_until: string;
  time_ms: number;
}

/** The chain of an affiliate: `line` is the canonical text that is hashed. */
export interface AffiliateEntriesTable {
  affiliate_uid: number;
  ordinal: number;
  time_ms: number;
  asset: string;
  line: string;
  hash: string;
}

/** The coins of an affiliate's chain. */
export interface AffiliateCoinsTable {
  affiliate_uid: number;
  asset: string;
  first_ordinal: number;
}

/** Where the chain stood at the end of a day in which it grew. */
export interface AffiliateDayHeadsTable {
  affiliate_uid: number;
  day: string;
  ordinal: number;
  hash: string;
}

/**
 * What an affiliate earned on a UTC day of a product in a coin. Reversals count on the day on which
 * they were made.
 */
export interface AffiliateDaysTable {
  affiliate_uid: number;
  day: string;
  product: Product;
  asset: string;
  /** Without reversals. */
  commissions: number;
  amount: string;
  /** In USDT at the fills; a reversal takes off what its commission was worth. */
  usdt_value: string;
  /** Of the fills, in USDT at the fills. */
  volume: string;
}

/** Who registered with whose code; the ordinals number an inviter's rows from 1. */
export interface ReferralsTable {
  inviter_uid: number;
  ordinal: number;
  uid: number;
  registered_ms: number;
  kyc: number;
}

/**
 * What an invitee brought up to and with this moment, in USDT: what a range holds is the difference
 * of two rows.
 */
export interface ReferralActivityTable {
  uid: number;
  time_ms: number;
  deposits: string;
  withdrawals: string;
  spot_volume: string;
  contract_volume: string;
  commission: string;
}

/** A sub-affiliate's day, in USDT. The ordinal numbers its rows of a product from 1. */
export interface SubAffiliateDaysTable {
  parent_uid: number;
  product: Product;
  day: string;
  sub_uid: number;
  sub_ordinal: number;
  volume: string;
  net_fee: string;
  paid_commission: string;
}

/** How many of these rows there are of all sub-affiliates, up to and with a day. */
export interface SubAffiliateDayTotalsTable {
  parent_uid: number;
  product: Product;
  day: string;
  rows_until: number;
}

/** What a day's commissions will add to its `paid_commission` when the coin is settled. */
export interface UnsettledDaysTable {
  affiliate_uid: number;
  asset: string;
  product: Product;
  day: string;
  usdt_value: string;
}

/** The ordinals number a sender's rows, and those of one coin, from 1. */
export interface InternalWithdrawalsTable {
  uid: number;
  uid_ordinal: number;
  asset_ordinal: number;
  withdrawal_id: number;
  to_uid: number;
  asset: string;
  amount: string;
  time_ms: number;
}

export interface AffiliateTables {
  usdt_prices: UsdtPricesTable;
  affiliates: AffiliatesTable;
  affiliate_rates: AffiliateRatesTable;
  commissions: CommissionsTable;
  commission_actions: CommissionActionsTable;
  affiliate_settlements: AffiliateSettlementsTable;
  affiliate_entries: AffiliateEntriesTable;
  affiliate_coins: AffiliateCoinsTable;
  affiliate_day_heads: AffiliateDayHeadsTable;
  affiliate_days: AffiliateDaysTable;
  referrals: ReferralsTable;
  referral_activity: ReferralActivityTable;
  sub_affiliate_days: SubAffiliateDaysTable;
  sub_affiliate_day_totals: SubAffiliateDayTotalsTable;
  unsettled_days: UnsettledDaysTable;
  internal_withdrawals: InternalWithdrawalsTable;
}
