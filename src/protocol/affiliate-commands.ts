/**
 * Commands of the affiliate programme. Commissions accrue with the fills that cause them and are
 * settled by `advance-time`; these commands are requests by users and operators.
 */
import { PRODUCTS } from "../domain/index.ts";
import { choice, type Decoded, flag, nullable, record, text, uint } from "./record.ts";

/**
 * Makes a user an affiliate or changes the rates, which are fractions of the fee. A null parent
 * leaves the place in the tree unchanged; a parent can only be set once.
 */
const setAffiliate = record(80, "set-affiliate", {
  actor: text,
  uid: uint,
  spotRate: text,
  futuresRate: text,
  parentUid: nullable(uint),
});

/** The whole policy. `capPerReferral30d` is in USDT, null for no cap; the share is a fraction. */
const setAffiliatePolicy = record(81, "set-affiliate-policy", {
  actor: text,
  capPerReferral30d: nullable(text),
  holdSelfReferral: flag,
  holdWashTrades: flag,
  washTradeShare: text,
});

/** A house account trades for the venue: its fills earn no commissions. */
const setHouseAccount = record(82, "set-house-account", { actor: text, uid: uint, house: flag });

/** Releases a held commission: the next settlement pays it. */
const releaseCommission = record(83, "release-commission", {
  actor: text,
  commissionId: uint,
  reason: text,
});

/**
 * Reverses a commission with an entry of the opposite amount. The operator API reads the affiliate
 * and amount from the history, because the engine only keeps held commissions.
 */
const reverseCommission = record(84, "reverse-commission", {
  actor: text,
  commissionId: uint,
  reason: text,
  affiliateUid: uint,
  traderUid: uint,
  product: choice(PRODUCTS),
  symbol: text,
  asset: text,
  amount: text,
});

/** Pays accrued commissions now instead of at the next full hour. */
const settleCommissions = record(85, "settle-commissions", { actor: text, reason: text });

/**
 * An affiliate pays a user below from the affiliate's spot wallet. A repeated `requestId` returns
 * the first answer; without a `requestId`, every command is a payment.
 */
const withdrawInternally = record(86, "withdraw-internally", {
  uid: uint,
  toUid: uint,
  asset: text,
  amount: text,
  requestId: nullable(text),
});

export const AFFILIATE_COMMANDS = [
  setAffiliate,
  setAffiliatePolicy,
  setHouseAccount,
  releaseCommission,
  reverseCommission,
  settleCommissions,
  withdrawInternally,
] as const;

export type AffiliateCommand = Decoded<(typeof AFFILIATE_COMMANDS)[number]>;
