/** Affiliates and their rates, and the one policy of caps and flags for all of them. */
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
    description: "what waits for settlement, what is held, and what is owed after reversals",
  }),
});

export const setAffiliate = operatorRoute("setAffiliate", {
  tag: TAG,
  summary:
    "Make a user an affiliate, or change the rates for fills from now on. A parent affiliate " +
    "is given once, then or later, and never changed",
  params: OneAffiliate,
  body: Fields({ spotRate: Amount, futuresRate: Amount, parentUid: Type.Optional(Uid) }),
  answer: Affiliate,
});

export const listAffiliates = operatorRoute("listAffiliates", {
  tag: TAG,
  summary: "All affiliates, in order of uid",
  query: PageAfterNumber,
  answer: PageOf(Affiliate, Uid),
});

export const getAffiliate = operatorRoute("getAffiliate", {
  tag: TAG,
  summary: "One affiliate: place in the tree, rates, and what is to be paid",
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
    "Set the whole policy; what is not given is off. The cap is in USDT for each affiliate and " +
    "referred user over 30 UTC days; what is held waits until it is released",
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
  summary: "The policy as it is in force",
  answer: Policy,
});
