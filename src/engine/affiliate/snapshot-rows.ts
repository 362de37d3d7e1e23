/** The rows of the snapshot's affiliate sections. A row on disk grows only by appended fields. */
import { COMMISSION_FLAGS, PRODUCTS } from "../../domain/index.ts";
import { big, choice, flag, list, nullable, record, text, uint } from "../../protocol/index.ts";

export const houseAccount = record(40, "house-account", { uid: uint });

export const affiliateMeta = record(41, "affiliate-meta", {
  nextCommissionId: uint,
  nextSettlementId: uint,
  nextWithdrawalId: uint,
  settlementDueMs: nullable(uint),
});

export const affiliatePolicy = record(42, "affiliate-policy", {
  capPerReferral30dE8: nullable(big),
  holdSelfReferral: flag,
  holdWashTrades: flag,
  washTradeShareE8: uint,
});

export const affiliate = record(43, "affiliate", {
  uid: uint,
  parentUid: nullable(uint),
  spotRateE8: uint,
  futuresRateE8: uint,
  rateVersion: uint,
  ratesSinceMs: uint,
});

export const affiliateBalance = record(44, "affiliate-balance", {
  uid: uint,
  assetIndex: uint,
  payableMinor: big,
  heldMinor: big,
  owedMinor: big,
});

export const heldCommission = record(45, "held-commission", {
  commissionId: uint,
  affiliateUid: uint,
  traderUid: uint,
  product: choice(PRODUCTS),
  symbol: text,
  assetIndex: uint,
  amountMinor: big,
  flags: list(choice(COMMISSION_FLAGS)),
  timestampMs: uint,
});

export const reversal = record(46, "reversal", { commissionId: uint, reversalId: uint });

/** What an affiliate earned by a user on a UTC day, while there is a cap. */
export const cappedDay = record(47, "capped-day", {
  affiliateUid: uint,
  traderUid: uint,
  day: uint,
  totalE8: big,
});

/** What a user traded on a UTC day, while wash trades are looked for. */
export const volumeDay = record(48, "volume-day", {
  uid: uint,
  related: flag,
  day: uint,
  totalE8: big,
});

export const internalLink = record(49, "internal-link", { uid: uint, otherUid: uint });

/** What the remembered movement with this request id does not say. */
export const internalWithdrawal = record(50, "internal-withdrawal", {
  uid: uint,
  requestId: text,
  withdrawalId: uint,
});
