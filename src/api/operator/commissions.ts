/** Commissions: reading, release, reversal and settlement. Each change takes a reason. */
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
  summary: "List held commissions of all affiliates or of one, oldest first",
  query: Fields({
    affiliateUid: Type.Optional(Uid),
    after: Type.Optional(Count),
    limit: Type.Optional(Limit),
  }),
  answer: PageOf(HeldCommission, CommissionId),
});

export const getCommission = operatorRoute("getCommission", {
  tag: TAG,
  summary: "Get a commission or reversal: its fill, fee, rates and outcome",
  params: OneCommission,
  answer: Detail,
});

export const releaseCommission = operatorRoute("releaseCommission", {
  tag: TAG,
  summary: "Release a held commission; the next settlement pays it",
  params: OneCommission,
  body: WithReason,
  answer: Release,
});

export const listCommissionReleases = operatorRoute("listCommissionReleases", {
  tag: TAG,
  summary: "List the release of a commission (at most one)",
  params: OneCommission,
  answer: Fields({ items: Type.Array(Release) }),
});

export const reverseCommission = operatorRoute("reverseCommission", {
  tag: TAG,
  summary:
    "Reverse a commission by an entry of the opposite amount: from the payable balance, then " +
    "from the spot wallet; the rest is deducted from later settlements",
  params: OneCommission,
  body: WithReason,
  answer: Reversal,
});

export const listCommissionReversals = operatorRoute("listCommissionReversals", {
  tag: TAG,
  summary: "List the reversal of a commission (at most one)",
  params: OneCommission,
  answer: Fields({ items: Type.Array(Reversal) }),
});

export const settleCommissions = operatorRoute("settleCommissions", {
  tag: TAG,
  summary: "Settle payable commissions now instead of at the next full hour",
  body: WithReason,
  answer: Fields({ settlements: Count }),
});

export const listWaitingForSettlement = operatorRoute("listWaitingForSettlement", {
  tag: TAG,
  summary:
    "List what the next settlement pays or deducts, by affiliate and asset. A page covers " +
    "`limit` affiliates and leaves out those without an amount",
  query: PageAfterNumber,
  answer: PageOf(
    Fields({ affiliateUid: Uid, asset: AssetName, payable: Amount, owed: Amount }),
    Uid,
  ),
});
