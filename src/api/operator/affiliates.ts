/** Affiliates, their rates, and the policy of caps and holds. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Flag,
  Nullable,
  PageAfterNumber,
  PageOf,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Affiliates";

const OneAffiliate = Fields({ uid: Uid });

const Affiliate = Fields({
  uid: Uid,
  parentUid: Nullable(Uid),
  depth: Count,
  spotRate: Amount,
  futuresRate: Amount,
  rateVersion: Count,
  ratesSince: TimestampMs,
  balances: Type.Array(Fields({ asset: AssetName, payable: Amount, held: Amount, owed: Amount }), {
    description: "payable at the next settlement, held, and owed after reversals",
  }),
});

export const setAffiliate = operatorRoute("setAffiliate", {
  tag: TAG,
  summary:
    "Make a user an affiliate, or change its rates for new fills. A parent affiliate can be " +
    "set once, at any time, and never changes",
  params: OneAffiliate,
  body: Fields({ spotRate: Amount, futuresRate: Amount, parentUid: Type.Optional(Uid) }),
  answer: Affiliate,
});

export const listAffiliates = operatorRoute("listAffiliates", {
  tag: TAG,
  summary: "List affiliates by uid",
  query: PageAfterNumber,
  answer: PageOf(Affiliate, Uid),
});

export const getAffiliate = operatorRoute("getAffiliate", {
  tag: TAG,
  summary: "Get an affiliate: place in the tree, rates and balances",
  params: OneAffiliate,
  answer: Affiliate,
});

const Policy = Fields({
  capPerReferral30d: Nullable(Amount),
  holdSelfReferral: Flag,
  holdWashTrades: Flag,
  washTradeShare: Amount,
});

export const setAffiliatePolicy = operatorRoute("setAffiliatePolicy", {
  tag: TAG,
  summary:
    "Replace the affiliate policy; omitted rules are off. The cap is in USDT per affiliate and " +
    "referred user over 30 UTC days; held commissions wait for their release",
  body: Fields({
    capPerReferral30d: Type.Optional(Nullable(Amount)),
    holdSelfReferral: Type.Optional(Flag),
    holdWashTrades: Type.Optional(Flag),
    washTradeShare: Type.Optional(Amount),
  }),
  answer: Policy,
});

export const getAffiliatePolicy = operatorRoute("getAffiliatePolicy", {
  tag: TAG,
  summary: "Get the affiliate policy",
  answer: Policy,
});
