/**
 * The four reports of the affiliate programme. Each has a v2 route in its own envelope and a v3
 * route without one; the sub-affiliate report of v3 also accepts GET, which some clients use.
 */
import Type, { type TSchema } from "typebox";
import { COMMISSION_FLAGS } from "../../domain/index.ts";
import { route } from "../route.ts";
import { decimal, END_TIME, START_TIME, timeMs } from "../v3/fields.ts";
import {
  COIN,
  orItsDigits,
  PAGE,
  PAGE_SIZE,
  PRODUCT_TYPE,
  PRODUCT_TYPE_OPTIONAL,
  PRODUCT_TYPES,
  REPORTS_TAG,
  uidInBody,
  uidInQuery,
} from "./fields.ts";

export const COMMISSION_STATUSES = ["accrued", "held", "settled", "reversed", "reversal"] as const;

const PAGES = {
  pages: Type.Integer({ description: "total / pageSize, rounded up" }),
  pageSize: Type.Integer({ description: "Rows per page" }),
  total: Type.Integer({ description: "Total number of rows" }),
} as const;

const REPORT_QUERY = {
  startTime: Type.Optional(START_TIME),
  endTime: Type.Optional(END_TIME),
  page: Type.Optional(PAGE),
  pageSize: Type.Optional(PAGE_SIZE),
} as const;

const COMMISSION_ITEM = Type.Object({
  uid: Type.String({ description: "The trader" }),
  date: timeMs("Time of the fill"),
  dealTime: Type.String({ description: "The same time as a string" }),
  coin: Type.String({ description: "The asset of fee and commission" }),
  productType: Type.Enum(PRODUCT_TYPES, { description: "SPOT, or FUTURES for contracts" }),
  fee: decimal('The fee of the fill; "0" for a reversal'),
  commission: decimal("The caller's commission; negative for a reversal"),
  rate: decimal("Applied rate; via a sub-affiliate, the difference of two rates"),
  symbol: Type.String({ description: "Trading pair" }),
  sourceType: Type.Integer({
    minimum: 1,
    maximum: 2,
    description: "1: the trader is the caller's own invitee; 2: via a sub-affiliate",
  }),
  takerAmount: decimal('Quote notional of a taker fill, otherwise "0"'),
  makerAmount: decimal('Quote notional of a maker fill, otherwise "0"'),
  commissionId: Type.String({ description: "Ours: the parameter of explainCommission" }),
  status: Type.Enum(COMMISSION_STATUSES, {
    description:
      "Ours: accrued is paid at the next settlement, held awaits operator review, settled " +
      "is paid, reversed was taken back by a separate row with status reversal",
  }),
  flags: Type.Array(Type.Enum(COMMISSION_FLAGS), {
    description: "Ours: why the commission was held",
  }),
});

const COMMISSIONS = {
  tag: REPORTS_TAG,
  summary: "Get Affiliate Commission",
  description:
    "The caller's commissions, newest first, one row per side of a fill. Both ends of " +
    "the range are inclusive; it covers at most 90 days and defaults to the last 7. If " +
    "both ends are given and the later one is not in the future, pages never change; " +
    "otherwise new fills shift the rows.",
  query: Type.Object({
    uid: Type.Optional(uidInQuery("Only this trader, anyone below the caller")),
    startTime: REPORT_QUERY.startTime,
    endTime: REPORT_QUERY.endTime,
    coin: Type.Optional(COIN),
    productType: Type.Optional(PRODUCT_TYPE_OPTIONAL),
    page: REPORT_QUERY.page,
    pageSize: REPORT_QUERY.pageSize,
  }),
  answer: Type.Object({
    ...PAGES,
    channelCommissionInfoItems: Type.Array(COMMISSION_ITEM, { description: "Rows of this page" }),
  }),
} as const;

export const v2CommissionsRoute = route("v2-affiliate-commissions", {
  ...COMMISSIONS,
  envelope: "timestamped",
});
export const v3CommissionsRoute = route("v3-affiliate-commissions", COMMISSIONS);

const REFERRAL_ACTIVITY = {
  tag: REPORTS_TAG,
  summary: "Get Affiliate Referral Data",
  description:
    "Activity of each of the caller's invitees, idle ones included, in USDT at the time " +
    "of each movement. At most 90 days, which is also the default.",
  query: Type.Object({
    uid: Type.Optional(uidInQuery("Only this invitee")),
    ...REPORT_QUERY,
  }),
  answer: Type.Object({
    ...PAGES,
    records: Type.Array(
      Type.Object({
        uid: Type.String({ description: "The invitee" }),
        depositAmount: decimal("Deposits into both wallets"),
        withdrawalAmount: decimal("Withdrawals from both wallets"),
        spotTradingAmount: decimal("Spot volume, without self-trades"),
        futuresTradingAmount: decimal("Contract volume, without self-trades"),
        commission: decimal("The caller's commissions on it, settled or not, minus reversals"),
      }),
      { description: "Rows of this page" },
    ),
  }),
} as const;

export const v2ReferralActivityRoute = route("v2-affiliate-referral-activity", {
  ...REFERRAL_ACTIVITY,
  envelope: "timestamped",
});
export const v3ReferralActivityRoute = route("v3-affiliate-referral-activity", REFERRAL_ACTIVITY);

const REFERRALS = {
  tag: REPORTS_TAG,
  summary: "Get Affiliate UIDs",
  description:
    "The caller's direct invitees, newest first. The range applies to registration " +
    "times; the default is all.",
  query: Type.Object({
    uid: Type.Optional(uidInQuery("Only this invitee")),
    ...REPORT_QUERY,
  }),
} as const;

const REFERRAL = {
  uid: Type.String({ description: "The user" }),
  registerTime: timeMs("Registered at"),
  kycResult: Type.Boolean({
    description: "Whether the user has passed identity verification (KYC)",
  }),
} as const;

export const v2ReferralsRoute = route("v2-affiliate-referrals", {
  ...REFERRALS,
  envelope: "merged",
  answer: Type.Object({
    total: PAGES.total,
    list: Type.Array(Type.Object(REFERRAL), { description: "Rows of this page" }),
  }),
});
export const v3ReferralsRoute = route("v3-affiliate-referrals", {
  ...REFERRALS,
  answer: Type.Object({
    ...PAGES,
    channelUserInfoItemList: Type.Array(
      Type.Object({
        ...REFERRAL,
        inviteCode: Type.String({ description: "The invite code the user registered with" }),
      }),
      { description: "Rows of this page" },
    ),
  }),
});

const SUB_AFFILIATES = {
  tag: REPORTS_TAG,
  summary: "Get Subaffiliates Data",
  description:
    "One row per direct sub-affiliate, product and UTC day touched by the range, newest " +
    "day first, in USDT at the time of each fill. At most 90 days; the default is the " +
    "last 7.",
  answer: Type.Object({
    records: Type.Array(
      Type.Object({
        subAffiliateUid: Type.String({ description: "The sub-affiliate" }),
        productType: Type.Enum(PRODUCT_TYPES, { description: "SPOT, or FUTURES for contracts" }),
        date: Type.String({ description: "UTC day, YYYY-MM-DD" }),
        tradingVolume: decimal("Volume of the fills that earned the sub-affiliate a commission"),
        netTradingFee: decimal("Fees of these fills"),
        paidCommission: decimal("The settled part of their commissions, minus reversals"),
      }),
      { description: "Rows of this page" },
    ),
    total: PAGES.total,
    size: Type.Integer({ description: "Page size" }),
    current: Type.Integer({ description: "Page number, from 1" }),
    pages: PAGES.pages,
  }),
} as const;

function subAffiliatesInput<Uid extends TSchema>(subUid: Uid) {
  return Type.Object({
    subUid: Type.Optional(subUid),
    startTime: Type.Optional(orItsDigits(START_TIME)),
    endTime: Type.Optional(orItsDigits(END_TIME)),
    productType: PRODUCT_TYPE,
    pageNum: Type.Optional(orItsDigits(PAGE)),
    pageSize: Type.Optional(orItsDigits(PAGE_SIZE)),
  });
}

const SUB_UID = "Only this sub-affiliate";
const SUB_AFFILIATES_BODY = subAffiliatesInput(uidInBody(SUB_UID));

export const v2SubAffiliatesRoute = route("v2-sub-affiliates", {
  ...SUB_AFFILIATES,
  body: SUB_AFFILIATES_BODY,
});
export const v3SubAffiliatesRoute = route("v3-sub-affiliates", {
  ...SUB_AFFILIATES,
  body: SUB_AFFILIATES_BODY,
});
export const v3SubAffiliatesByGetRoute = route("v3-sub-affiliates-by-get", {
  ...SUB_AFFILIATES,
  query: subAffiliatesInput(uidInQuery(SUB_UID)),
});

export const AFFILIATE_REPORT_ROUTES = [
  v2CommissionsRoute,
  v3CommissionsRoute,
  v2ReferralActivityRoute,
  v3ReferralActivityRoute,
  v2ReferralsRoute,
  v3ReferralsRoute,
  v2SubAffiliatesRoute,
  v3SubAffiliatesRoute,
  v3SubAffiliatesByGetRoute,
] as const;
