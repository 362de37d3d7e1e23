/**
 * Commissions that were earned: looking at one, letting go of what is held, taking back what should
 * not have been paid, and settling at once. Each change takes a reason, for the audit.
 */
import { Type } from "typebox";
import {
  Actor,
  Amount,
  AssetName,
  CommissionFlags,
  CommissionId,
  Count,
  Fields,
  Limit,
  MarketSymbol,
  Nullable,
  OneOf,
  PageAfterNumber,
  PageOf,
  Product,
  Reason,
  SignedAmount,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Commissions";

const OneCommission = Fields({ commissionId: CommissionId });

const WithReason = Fields({ reason: Reason });

const Status = OneOf(["accrued", "held", "settled", "reversed", "reversal"]);

const Role = OneOf(["maker", "taker"]);

const COMMON = {
  commissionId: CommissionId,
  affiliateUid: Uid,
  traderUid: Uid,
  product: Product,
  symbol: MarketSymbol,
  asset: AssetName,
  flags: CommissionFlags,
  time: TimestampMs,
};

const HeldCommission = Fields({ ...COMMON, amount: Amount });

const RateVersion = Fields({
  uid: Uid,
  version: Count,
  spotRate: Amount,
  futuresRate: Amount,
  since: TimestampMs,
});

const Release = Fields({ actor: Actor, reason: Type.String(), time: TimestampMs });

const Reversal = Fields({
  reversalId: CommissionId,
  commissionId: CommissionId,
  actor: Actor,
  reason: Type.String(),
  time: TimestampMs,
  fromPayable: Amount,
  fromSpot: Amount,
  owed: Amount,
});

const Detail = Fields({
  ...COMMON,
  amount: SignedAmount,
  status: Status,
  fee: Amount,
  rate: Amount,
  gross: SignedAmount,
  capped: Amount,
  viaUid: Nullable(Uid),
  takerAmount: Amount,
  makerAmount: Amount,
  fill: Nullable(
    Fields({
      tradeId: Count,
      role: Role,
      price: Amount,
      quantity: Amount,
      quoteQuantity: Amount,
      quoteAsset: AssetName,
      time: TimestampMs,
    }),
  ),
  rateVersion: Nullable(RateVersion),
  viaRateVersion: Nullable(RateVersion),
  settlement: Nullable(
    Fields({
      settlementId: Count,
      time: TimestampMs,
      accrued: Amount,
      recovered: Amount,
      paid: Amount,
    }),
  ),
  release: Nullable(Release),
  reversal: Nullable(Reversal),
});

export const listHeldCommissions = operatorRoute("listHeldCommissions", {
  tag: TAG,
  summary: "Commissions that are held, of all affiliates or of one, oldest first",
  query: Fields({
    affiliateUid: Type.Optional(Uid),
    after: Type.Optional(Count),
    limit: Type.Optional(Limit),
  }),
  answer: PageOf(HeldCommission, CommissionId),
});

export const getCommission = operatorRoute("getCommission", {
  tag: TAG,
  summary: "One commission or reversal: its fill, fee, rates, and what became of it",
  params: OneCommission,
  answer: Detail,
});

export const releaseCommission = operatorRoute("releaseCommission", {
  tag: TAG,
  summary: "Let go of a commission that is held: the next settlement pays it",
  params: OneCommission,
  body: WithReason,
  answer: Release,
});

export const listCommissionReleases = operatorRoute("listCommissionReleases", {
  tag: TAG,
  summary: "The release of a commission: one at most",
  params: OneCommission,
  answer: Fields({ items: Type.Array(Release) }),
});

export const reverseCommission = operatorRoute("reverseCommission", {
  tag: TAG,
  summary:
    "Take a commission back by an entry of the opposite amount: out of what waits for " +
    "settlement, then out of the spot wallet; the rest is kept back from later settlements",
  params: OneCommission,
  body: WithReason,
  answer: Reversal,
});

export const listCommissionReversals = operatorRoute("listCommissionReversals", {
  tag: TAG,
  summary: "The reversal of a commission: one at most",
  params: OneCommission,
  answer: Fields({ items: Type.Array(Reversal) }),
});

export const settleCommissions = operatorRoute("settleCommissions", {
  tag: TAG,
  summary: "Pay what waits for settlement now instead of at the next full hour",
  body: WithReason,
  answer: Fields({ settlements: Count }),
});

export const listWaitingForSettlement = operatorRoute("listWaitingForSettlement", {
  tag: TAG,
  summary:
    "What the next settlement pays or keeps back, by affiliate and asset. A page covers " +
    "`limit` affiliates, of which those that wait for nothing are left out",
  query: PageAfterNumber,
  answer: PageOf(
    Fields({ affiliateUid: Uid, asset: AssetName, payable: Amount, owed: Amount }),
    Uid,
  ),
});
