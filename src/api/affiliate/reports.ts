/**
 * The four reports of the affiliate programme. Each has a v2 route in its own envelope and a v3
 * route that answers bare; the sub-affiliate report of v3 is also asked for by GET, as some clients
 * do.
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
  pageSize: Type.Integer({ description: "Rows of a full page" }),
  total: Type.Integer({ description: "Rows of all pages" }),
} as const;

const REPORT_QUERY = {
  startTime: Type.Optional(START_TIME),
  endTime: Type.Optional(END_TIME),
  page: Type.Optional(PAGE),
  pageSize: Type.Optional(PAGE_SIZE),
} as const;

const COMMISSION_ITEM = Type.Object({
  uid: Type.String({ description: "Who traded" }),
  date: timeMs("The fill's time"),
  dealTime: Type.String({ description: "The same as text" }),
  coin: Type.String({ description: "The asset of fee and commission" }),
  productType: Type.Enum(PRODUCT_TYPES, { description: "SPOT, or FUTURES for contracts" }),
  fee: decimal('The fee that the fill paid; "0" for a reversal'),
  commission: decimal("What the caller earned of it; negative for a reversal"),
  rate: decimal("As applied; through a sub-affiliate the difference of two rates"),
  symbol: Type.String({ description: "Trading pair" }),
  sourceType: Type.Integer({
    minimum: 1,
    maximum: 2,
    description: "1: the trader is the caller's invitee; 2: it came through a sub-affiliate",
  }),
  takerAmount: decimal('Quote notional of a taker\'s fill, else "0"'),
  makerAmount: decimal('Quote notional of a maker\'s fill, else "0"'),
  commissionId: Type.String({ description: "Ours: what explainCommission takes" }),
  status: Type.Enum(COMMISSION_STATUSES, {
    description:
      "Ours: accrued waits for settlement, held for the operator, settled is paid, reversed was " +
      "taken back by a row of its own, whose status is reversal",
  }),
  flags: Type.Array(Type.Enum(COMMISSION_FLAGS), { description: "Ours: why it was held" }),
});

const COMMISSIONS = {
  tag: REPORTS_TAG,
  summary: "Get Affiliate Commission",
  description:
    "The caller's commissions, newest first, one row per side of a fill. Both ends of the range " +
    "are inclusive; it has at most 90 days, and is the last 7 days without bounds. With both " +
    "bounds and an end that is not in the future pages never change; otherwise new fills move " +
    "rows.",
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
    "What each of the caller's invitees brought, idle ones too, in USDT at the moment of each " +
    "movement. At most 90 days, which is also the range without bounds.",
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
        spotTradingAmount: decimal("Spot volume, without self-matches"),
        futuresTradingAmount: decimal("Contract volume, without self-matches"),
        commission: decimal("What the caller earned by it, settled or not, less reversals"),
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
    "The caller's direct invitees, newest first. The range is of registration times, without " +
    "bounds all of them.",
  query: Type.Object({
    uid: Type.Optional(uidInQuery("Only this invitee")),
    ...REPORT_QUERY,
  }),
} as const;

const REFERRAL = {
  uid: Type.String({ description: "The user" }),
  registerTime: timeMs("Registered at"),
  kycResult: Type.Boolean({ description: "Whether the user is known" }),
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
        inviteCode: Type.String({ description: "The code that the user registered with" }),
      }),
      { description: "Rows of this page" },
    ),
  }),
});

const SUB_AFFILIATES = {
  tag: REPORTS_TAG,
  summary: "Get Subaffiliates Data",
  description:
    "One row per direct sub-affiliate, product and UTC day that the range touches, newest day " +
    "first, in USDT at the moment of each fill. At most 90 days, and the last 7 days without " +
    "bounds.",
  answer: Type.Object({
    records: Type.Array(
      Type.Object({
        subAffiliateUid: Type.String({ description: "The sub-affiliate" }),
        productType: Type.Enum(PRODUCT_TYPES, { description: "SPOT, or FUTURES for contracts" }),
        date: Type.String({ description: "UTC day, YYYY-MM-DD" }),
        tradingVolume: decimal("Of the fills that the sub-affiliate earned on"),
        netTradingFee: decimal("Fees of these fills"),
        paidCommission: decimal("What has been settled of their commissions, less reversals"),
      }),
      { description: "Rows of this page" },
    ),
    total: PAGES.total,
    size: Type.Integer({ description: "Page size" }),
    current: Type.Integer({ description: "Page, from 1" }),
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
