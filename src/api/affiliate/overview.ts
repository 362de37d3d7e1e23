/**
 * The affiliate's overview: place in the tree, rates, balances, and the earnings of each day.
 * Additions to the specification.
 */
import Type from "typebox";
import { route } from "../route.ts";
import { decimal, timeMs } from "../v3/fields.ts";
import { ADDITIONS_TAG, day, PRODUCT_TYPES } from "./fields.ts";

const PROFILE = {
  tag: ADDITIONS_TAG,
  summary: "The caller's position in the tree, rates and balances",
  description:
    "An addition to the specification: invite code, position in the tree, current rates, " +
    "the payable, held, owed and paid amounts per coin, and the time of the next " +
    "settlement.",
  answer: Type.Object({
    uid: Type.String({ description: "The caller" }),
    inviteCode: Type.String({
      description: "Anyone who registers with this code is permanently attributed to the caller",
    }),
    parentUid: Type.Union([Type.String(), Type.Null()], {
      description: "The affiliate above; null for none",
    }),
    depth: Type.Integer({ description: "1 without an affiliate above" }),
    spotRate: decimal("A fraction of the fee"),
    futuresRate: decimal("A fraction of the fee"),
    rateVersion: Type.Integer({ description: "From 1, incremented with each change" }),
    ratesSince: timeMs("Effective from"),
    balances: Type.Array(
      Type.Object({
        coin: Type.String({ description: "The asset of the amounts" }),
        payable: decimal("Paid at the next settlement"),
        held: decimal("Awaiting operator review"),
        owed: decimal("Deducted from the next settlements, after a reversal"),
        paid: decimal("Total paid into the spot wallet by settlements so far"),
      }),
      { description: "Coins with a current or past amount, by name" },
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
  summary: "The caller's earnings per day",
  description:
    "An addition to the specification: one row per UTC day, product and coin with a " +
    "commission or a reversal, oldest first. At most 92 days; the default is the last " +
    "90. Requests for more than 20,000 rows are rejected: ask for fewer days.",
  query: Type.Object({
    from: Type.Optional(day("First day")),
    to: Type.Optional(day("Last day; without it today")),
  }),
  answer: Type.Array(
    Type.Object({
      date: Type.String({ description: "UTC day, YYYY-MM-DD" }),
      productType: Type.Enum(PRODUCT_TYPES, { description: "Product of the fills" }),
      coin: Type.String({ description: "Asset of the commission" }),
      commissions: Type.Integer({ description: "Number of commissions, without reversals" }),
      commission: decimal("Their sum, minus reversals made on that day"),
      commissionUsdt: decimal(
        "In USDT, valued at the fills; 0 for a coin that had no price at the time",
      ),
      volumeUsdt: decimal("Notional of the fills in USDT, once per side that earned a commission"),
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
