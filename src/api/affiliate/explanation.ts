/** Everything behind one commission. An addition to the specification. */
import Type from "typebox";
import { COMMISSION_FLAGS } from "../../domain/index.ts";
import { route } from "../route.ts";
import { decimal, ID_PATTERN, timeMs } from "../v3/fields.ts";
import { ADDITIONS_TAG, PRODUCT_TYPES } from "./fields.ts";
import { COMMISSION_STATUSES } from "./reports.ts";

const RATE_VERSION = Type.Object({
  uid: Type.String({ description: "The affiliate these rates belong to" }),
  version: Type.Integer({ description: "From 1, incremented with each change" }),
  spotRate: decimal("A fraction of the fee"),
  futuresRate: decimal("A fraction of the fee"),
  since: timeMs("Effective from"),
});

const FILL = Type.Object({
  tradeId: Type.String({ description: "Trade id" }),
  role: Type.Enum(["maker", "taker"], { description: "The trader's role" }),
  price: decimal("Price"),
  quantity: decimal("Base quantity"),
  quoteQuantity: decimal("Price × quantity"),
  quoteCoin: Type.String({ description: "The quote asset" }),
  time: timeMs("Traded at"),
});

const CALCULATION = Type.Object({
  fee: decimal("The fee of the fill"),
  ownRate: decimal("The affiliate's rate for the product"),
  rateBelow: Type.Union([Type.String(), Type.Null()], {
    description: "The highest rate below, which is subtracted; null if there is none",
  }),
  rate: decimal("Applied rate: ownRate − rateBelow"),
  exactProduct: decimal("fee × rate with every digit"),
  roundedOff: decimal("Lost by rounding down to the coin's smallest unit"),
  gross: decimal("exactProduct − roundedOff"),
  capped: decimal("Withheld by the cap on commissions per trader"),
  commission: decimal("gross − capped"),
});

const LEDGER_ENTRY = Type.Object({
  time: timeMs("Posted at"),
  from: Type.String({ description: "fees, affiliate-payable, or <uid>/spot.available" }),
  to: Type.String({ description: "fees, affiliate-payable, or <uid>/spot.available" }),
  amount: decimal("A settlement is one entry for everything it pays in a coin"),
  coin: Type.String({ description: "Asset" }),
});

const SETTLEMENT = Type.Object({
  settlementId: Type.String({ description: "Id of the settlement" }),
  time: timeMs("Settled at"),
  accrued: decimal("Everything payable to the affiliate in the coin"),
  recovered: decimal("Part of it deducted for what was owed after a reversal"),
  paid: decimal("Part of it paid into the spot wallet"),
});

const RELEASE = Type.Object({
  reason: Type.String({ description: "The operator's reason" }),
  time: timeMs("Released at"),
});

const REVERSAL = Type.Object({
  reversalId: Type.String({ description: "The reversal's row" }),
  commissionId: Type.String({ description: "The reversed commission's row" }),
  reason: Type.String({ description: "The operator's reason" }),
  time: timeMs("Reversed at"),
  fromPayable: decimal("Taken from unsettled commissions"),
  fromSpot: decimal("Taken from the spot wallet"),
  owed: decimal("Deducted from later settlements"),
});

const EXPLANATION = {
  tag: ADDITIONS_TAG,
  summary: "Everything behind one commission",
  description:
    "An addition to the specification: the fill, the fee, the rate and its version, the " +
    "exact product, the rounded and capped amounts, every ledger entry, settlement, " +
    "release and reversal, and the reason if a commission is 0.",
  query: Type.Object({
    commissionId: Type.String({ pattern: ID_PATTERN, description: "Of getAffiliateCommission" }),
  }),
  answer: Type.Object({
    commissionId: Type.String({ description: "The commission" }),
    affiliateUid: Type.String({ description: "The affiliate who earned it" }),
    uid: Type.String({ description: "The trader" }),
    sourceType: Type.Integer({
      minimum: 1,
      maximum: 2,
      description: "1: the trader is the affiliate's own invitee; 2: via a sub-affiliate",
    }),
    viaUid: Type.Union([Type.String(), Type.Null()], {
      description: "The sub-affiliate directly below; null for the affiliate's own invitee",
    }),
    productType: Type.Enum(PRODUCT_TYPES, { description: "SPOT, or FUTURES for contracts" }),
    symbol: Type.String({ description: "Trading pair" }),
    coin: Type.String({ description: "Asset" }),
    commission: decimal("Negative for a reversal"),
    time: timeMs("Time of the fill or the reversal"),
    status: Type.Enum(COMMISSION_STATUSES, { description: "Status" }),
    flags: Type.Array(Type.Enum(COMMISSION_FLAGS), { description: "Why the commission was held" }),
    fill: Type.Union([FILL, Type.Null()], { description: "The fill; null for a reversal" }),
    calculation: Type.Union([CALCULATION, Type.Null()], {
      description: "How the commission follows from the fee; null for a reversal",
    }),
    rateVersion: Type.Union([RATE_VERSION, Type.Null()], {
      description: "The rates at the time of the fill; null for a reversal",
    }),
    rateVersionBelow: Type.Union([RATE_VERSION, Type.Null()], {
      description:
        "Rates of the affiliate below; null for the affiliate's own invitee and for a " +
        "reversal",
    }),
    ledgerEntries: Type.Array(LEDGER_ENTRY, { description: "Oldest first" }),
    settlement: Type.Union([SETTLEMENT, Type.Null()], {
      description: "The settlement that paid it; null if unpaid",
    }),
    release: Type.Union([RELEASE, Type.Null()], {
      description: "When and why it was released; null if it was never held or still is",
    }),
    reversal: Type.Union([REVERSAL, Type.Null()], {
      description: "The reversal; null if there is none",
    }),
    whyZero: Type.Union([Type.String(), Type.Null()], {
      description: "Why the commission is 0, in words; null if it is not",
    }),
  }),
} as const;

export const v2ExplainCommissionRoute = route("v2-explain-commission", {
  ...EXPLANATION,
  envelope: "timestamped",
});
export const v3ExplainCommissionRoute = route("v3-explain-commission", EXPLANATION);

export const EXPLANATION_ROUTES = [v2ExplainCommissionRoute, v3ExplainCommissionRoute] as const;
