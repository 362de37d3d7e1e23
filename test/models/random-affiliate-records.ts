/** Random values of the commands and events of the affiliate programme, for `random-records.ts`. */
import { COMMISSION_FLAGS, PRODUCTS } from "../../src/domain/index.ts";
import type { RandomFields } from "./random-contract-records.ts";

export function randomAffiliateCommands({ text, uint, flag, pick, orNull }: RandomFields) {
  return {
    "set-affiliate": () => ({
      actor: text(),
      uid: uint(),
      spotRate: text(),
      futuresRate: text(),
      parentUid: orNull(uint),
    }),
    "set-affiliate-policy": () => ({
      actor: text(),
      capPerReferral30d: orNull(text),
      holdSelfReferral: flag(),
      holdWashTrades: flag(),
      washTradeShare: text(),
    }),
    "set-house-account": () => ({ actor: text(), uid: uint(), house: flag() }),
    "release-commission": () => ({ actor: text(), commissionId: uint(), reason: text() }),
    "reverse-commission": () => ({
      actor: text(),
      commissionId: uint(),
      reason: text(),
      affiliateUid: uint(),
      traderUid: uint(),
      product: pick(PRODUCTS),
      symbol: text(),
      asset: text(),
      amount: text(),
    }),
    "settle-commissions": () => ({ actor: text(), reason: text() }),
    "withdraw-internally": () => ({
      uid: uint(),
      toUid: uint(),
      asset: text(),
      amount: text(),
      requestId: orNull(text),
    }),
  };
}

export function randomAffiliateEvents(fields: RandomFields) {
  const { text, uint, big, flag, orNull } = fields;
  return {
    ...randomCommissionEvents(fields),
    "affiliate-set": () => ({
      actor: text(),
      uid: uint(),
      spotRateE8: uint(),
      futuresRateE8: uint(),
      parentUid: orNull(uint),
      depth: uint(),
      rateVersion: uint(),
    }),
    "affiliate-policy-set": () => ({
      actor: text(),
      capPerReferral30dE8: orNull(big),
      holdSelfReferral: flag(),
      holdWashTrades: flag(),
      washTradeShareE8: uint(),
    }),
    "house-account-set": () => ({ actor: text(), uid: uint(), house: flag() }),
    "settlement-asked": () => ({ actor: text(), reason: text() }),
    "internal-withdrawal-made": () => ({
      withdrawalId: uint(),
      requestId: orNull(text),
      uid: uint(),
      toUid: uint(),
      asset: text(),
      amountMinor: big(),
      spotEquityMinor: big(),
      toSpotEquityMinor: big(),
    }),
  };
}

function randomCommissionEvents({ text, uint, big, flag, pick, orNull, list }: RandomFields) {
  return {
    "commission-accrued": () => ({
      commissionId: uint(),
      tradeId: uint(),
      product: pick(PRODUCTS),
      symbol: text(),
      isMaker: flag(),
      traderUid: uint(),
      affiliateUid: uint(),
      viaUid: orNull(uint),
      asset: text(),
      feeMinor: big(),
      rateE8: uint(),
      rateVersion: uint(),
      viaRateVersion: orNull(uint),
      notionalMinor: big(),
      cappedMinor: big(),
      commissionMinor: big(),
      flags: list(() => pick(COMMISSION_FLAGS)),
      isHeld: flag(),
    }),
    "commission-rounded": () => ({
      tradeId: uint(),
      traderUid: uint(),
      asset: text(),
      residueMinor: big(),
    }),
    "commission-released": () => ({
      actor: text(),
      reason: text(),
      commissionId: uint(),
      affiliateUid: uint(),
      asset: text(),
      amountMinor: big(),
    }),
    "commission-reversed": () => ({
      actor: text(),
      reason: text(),
      reversalId: uint(),
      commissionId: uint(),
      affiliateUid: uint(),
      traderUid: uint(),
      product: pick(PRODUCTS),
      symbol: text(),
      asset: text(),
      amountMinor: big(),
      fromPayableMinor: big(),
      fromSpotMinor: big(),
      owedMinor: big(),
      spotEquityMinor: big(),
    }),
    "commissions-settled": () => ({
      settlementId: uint(),
      affiliateUid: uint(),
      asset: text(),
      accruedMinor: big(),
      recoveredMinor: big(),
      paidMinor: big(),
      uptoCommissionId: uint(),
      spotEquityMinor: big(),
    }),
  };
}
