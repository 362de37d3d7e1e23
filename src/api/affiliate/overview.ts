/**
 * What an affiliate wants to see first: the own place, rates and balances, and the earnings of each
 * day. Additions to the specification.
 */
import Type from "typebox";
import { route } from "../route.ts";
import { decimal, timeMs } from "../v3/fields.ts";
import { ADDITIONS_TAG, day, PRODUCT_TYPES } from "./fields.ts";

const PROFILE = {
  tag: ADDITIONS_TAG,
  summary: "The caller's place, rates and balances",
  description:
    "An addition to the specification: invite code, place in the tree, the rates in force, what " +
    "is payable, held, owed and has been paid in each coin, and when the next settlement is.",
  answer: Type.Object({
    uid: Type.String({ description: "The caller" }),
    inviteCode: Type.String({ description: "Who registers with it is the caller's invitee" }),
    parentUid: Type.Union([Type.String(), Type.Null()], {
      description: "The affiliate above; null for none",
    }),
    depth: Type.Integer({ description: "1 without an affiliate above" }),
    spotRate: decimal("A fraction of the fee"),
    futuresRate: decimal("A fraction of the fee"),
    rateVersion: Type.Integer({ description: "From 1; one more with each change" }),
    ratesSince: timeMs("In force from"),
    balances: Type.Array(
      Type.Object({
        coin: Type.String({ description: "Of the amounts" }),
        payable: decimal("Waits for the next settlement"),
        held: decimal("Waits for the operator"),
        owed: decimal("Kept back from the next settlements, after a reversal"),
        paid: decimal("What all settlements so far have paid into the spot wallet"),
      }),
      { description: "Coins in which there is or was anything, by name" },
    ),
    nextSettlementTime: timeMs("The next full hour of exchange time"),
  }),
} as const;

export const v2AffiliateProfileRoute = route("v2-affiliate-profile", {
  ...PROFILE,
  envelope: "timestamped",
});
export const v3AffiliateProfileRoute = route("v3-affiliate-profile", PROFILE);

const COMMISSION_DAYS = {
  tag: ADDITIONS_TAG,
  summary: "What the caller earned on each day",
  description:
    "An addition to the specification: one row per UTC day, product and coin in which there was " +
    "a commission or a reversal, oldest first. At most 92 days; the last 90 without bounds. More " +
    "than 20,000 rows are refused: ask for fewer days.",
  query: Type.Object({
    from: Type.Optional(day("First day")),
    to: Type.Optional(day("Last day; without it today")),
  }),
  answer: Type.Array(
    Type.Object({
      date: Type.String({ description: "UTC day, YYYY-MM-DD" }),
      productType: Type.Enum(PRODUCT_TYPES, { description: "Of the fills" }),
      coin: Type.String({ description: "Of the commission" }),
      commissions: Type.Integer({ description: "How many; reversals are not counted" }),
      commission: decimal("Their sum, less reversals made on that day"),
      commissionUsdt: decimal("In USDT at the fills; 0 for a coin that had no price then"),
      volumeUsdt: decimal("Notional of the fills in USDT, of each side that was earned on"),
    }),
  ),
} as const;

export const v2CommissionDaysRoute = route("v2-affiliate-commission-days", {
  ...COMMISSION_DAYS,
  envelope: "timestamped",
});
export const v3CommissionDaysRoute = route("v3-affiliate-commission-days", COMMISSION_DAYS);

export const OVERVIEW_ROUTES = [
  v2AffiliateProfileRoute,
  v3AffiliateProfileRoute,
  v2CommissionDaysRoute,
  v3CommissionDaysRoute,
] as const;
