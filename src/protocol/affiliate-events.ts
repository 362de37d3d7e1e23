/**
 * Events of the affiliate programme. Money of a commission goes fees → affiliate-payable when it
 * accrues, affiliate-payable → the affiliate's spot wallet when it is settled, and back to fees
 * when it is reversed.
 */
import { COMMISSION_FLAGS, PRODUCTS } from "../domain/index.ts";
import { big, choice, flag, list, nullable, record, text, uint } from "./record.ts";

/** `depth` counts from 1 for an affiliate without a parent; a version belongs to both rates. */
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
 * One side of a fill earned an affiliate a commission; it follows the event of its trade. `viaUid`
 * is the affiliate below in the tree through whom it came, null for a direct client; `rateE8` is
 * what was applied, for an affiliate above the difference of the two rates. `notionalMinor` is in
 * the quote asset. Fee × rate rounded down is gross, less `cappedMinor` is the commission.
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
 * What rounding down each commission of a fill's side left of the whole share: fees → rounding. It
 * follows the last commission of that side.
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
 * An entry of its own, numbered as commissions are. It is paid out of what waits for settlement,
 * then out of the spot wallet; the rest is owed and kept back from later settlements.
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
 * What an affiliate had coming in an asset was paid, up to the commission of this number, without
 * those that are held. `accruedMinor` = `recoveredMinor` (owed before) + `paidMinor`.
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

/** An operator did not wait for the full hour. */
const settlementAsked = record(108, "settlement-asked", { actor: text, reason: text });

/** Equities are of the spot wallets of both, afterwards. */
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
