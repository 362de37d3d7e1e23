/**
 * Events of the affiliate programme. Commission money moves from fees to affiliate-payable when it
 * accrues, from affiliate-payable to the affiliate's spot wallet when it is settled, and back to
 * fees when it is reversed.
 */
import { COMMISSION_FLAGS, PRODUCTS } from "../domain/index.ts";
import { big, choice, flag, list, nullable, record, text, uint } from "./record.ts";

/** `depth` is 1 for an affiliate without a parent; a version covers both rates. */
const affiliateSet = record(100, "affiliate-set", {
  actor: text,
  uid: uint,
  spotRateE8: uint,
  futuresRateE8: uint,
  parentUid: nullable(uint),
  depth: uint,
  rateVersion: uint,
});

/** The cap is in 10^-8 USDT. */
const affiliatePolicySet = record(101, "affiliate-policy-set", {
  actor: text,
  capPerReferral30dE8: nullable(big),
  holdSelfReferral: flag,
  holdWashTrades: flag,
  washTradeShareE8: uint,
});

const houseAccountSet = record(102, "house-account-set", { actor: text, uid: uint, house: flag });

/**
 * One side of a fill earned an affiliate a commission; follows the event of its trade. `viaUid` is
 * the affiliate below in the tree through whom it came, null for a direct client. `rateE8`
 * is the applied rate; for an affiliate higher up, the difference of the two rates. `notionalMinor`
 * is in the quote asset. Gross is fee × rate, rounded down; the commission is gross minus
 * `cappedMinor`.
 */
const commissionAccrued = record(103, "commission-accrued", {
  commissionId: uint,
  tradeId: uint,
  product: choice(PRODUCTS),
  symbol: text,
  isMaker: flag,
  traderUid: uint,
  affiliateUid: uint,
  viaUid: nullable(uint),
  asset: text,
  feeMinor: big,
  rateE8: uint,
  rateVersion: uint,
  viaRateVersion: nullable(uint),
  notionalMinor: big,
  cappedMinor: big,
  commissionMinor: big,
  flags: list(choice(COMMISSION_FLAGS)),
  isHeld: flag,
});

/**
 * What is left of the whole share after rounding down each commission of one side of a fill: fees
 * → rounding. Follows the last commission of that side.
 */
const commissionRounded = record(104, "commission-rounded", {
  tradeId: uint,
  traderUid: uint,
  asset: text,
  residueMinor: big,
});

const commissionReleased = record(105, "commission-released", {
  actor: text,
  reason: text,
  commissionId: uint,
  affiliateUid: uint,
  asset: text,
  amountMinor: big,
});

/**
 * A reversal is an entry of its own, numbered like a commission. It is taken from what awaits
 * settlement, then from the spot wallet; the rest is owed and withheld from later settlements.
 */
const commissionReversed = record(106, "commission-reversed", {
  actor: text,
  reason: text,
  reversalId: uint,
  commissionId: uint,
  affiliateUid: uint,
  traderUid: uint,
  product: choice(PRODUCTS),
  symbol: text,
  asset: text,
  amountMinor: big,
  fromPayableMinor: big,
  fromSpotMinor: big,
  owedMinor: big,
  spotEquityMinor: big,
});

/**
 * An affiliate was paid what had accrued in an asset, up to the commission of this number, without
 * held ones. `accruedMinor` = `recoveredMinor` (owed before) + `paidMinor`.
 */
const commissionsSettled = record(107, "commissions-settled", {
  settlementId: uint,
  affiliateUid: uint,
  asset: text,
  accruedMinor: big,
  recoveredMinor: big,
  paidMinor: big,
  uptoCommissionId: uint,
  spotEquityMinor: big,
});

/** An operator requested a settlement before the full hour. */
const settlementAsked = record(108, "settlement-asked", { actor: text, reason: text });

/** Equities are those of both spot wallets, afterwards. */
const internalWithdrawalMade = record(109, "internal-withdrawal-made", {
  withdrawalId: uint,
  requestId: nullable(text),
  uid: uint,
  toUid: uint,
  asset: text,
  amountMinor: big,
  spotEquityMinor: big,
  toSpotEquityMinor: big,
});

export const AFFILIATE_EVENTS = [
  affiliateSet,
  affiliatePolicySet,
  houseAccountSet,
  commissionAccrued,
  commissionRounded,
  commissionReleased,
  commissionReversed,
  commissionsSettled,
  settlementAsked,
  internalWithdrawalMade,
] as const;
