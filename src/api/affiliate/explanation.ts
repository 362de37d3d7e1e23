/** Everything behind one commission. An addition to the specification. */
import Type from "typebox";
import { COMMISSION_FLAGS } from "../../domain/index.ts";
import { route } from "../route.ts";
import { decimal, ID_PATTERN, timeMs } from "../v3/fields.ts";
import { ADDITIONS_TAG, PRODUCT_TYPES } from "./fields.ts";
import { COMMISSION_STATUSES } from "./reports.ts";

const RATE_VERSION = Type.Object({
  uid: Type.String({ description: "The affiliate whose rates these are" }),
  version: Type.Integer({ description: "From 1; one more with each change" }),
  spotRate: decimal("A fraction of the fee"),
  futuresRate: decimal("A fraction of the fee"),
  since: timeMs("In force from"),
});

const FILL = Type.Object({
  tradeId: Type.String({ description: "Trade id" }),
  role: Type.Enum(["maker", "taker"], { description: "The trader's" }),
  price: decimal("Price"),
  quantity: decimal("Base quantity"),
  quoteQuantity: decimal("Price × quantity"),
  quoteCoin: Type.String({ description: "What it is paid with" }),
  time: timeMs("Traded at"),
});

const CALCULATION = Type.Object({
  fee: decimal("What the fill paid"),
  ownRate: decimal("The affiliate's rate for the product"),
  rateBelow: Type.Union([Type.String(), Type.Null()], {
    description: "The highest rate below, which is subtracted; null without one",
  }),
  rate: decimal("As applied: ownRate − rateBelow"),
  exactProduct: decimal("fee × rate, every digit"),
  roundedOff: decimal("What rounding down to the coin's smallest unit left"),
  gross: decimal("exactProduct − roundedOff"),
  capped: decimal("What the cap on commissions per trader kept back"),
  commission: decimal("gross − capped"),
});

const LEDGER_ENTRY = Type.Object({
  time: timeMs("Posted at"),
  from: Type.String({ description: "fees, affiliate-payable, or <uid>/spot.available" }),
  to: Type.String({ description: "fees, affiliate-payable, or <uid>/spot.available" }),
  amount: decimal("A settlement is one entry for all that it pays in a coin"),
  coin: Type.String({ description: "Asset" }),
});

const SETTLEMENT = Type.Object({
  settlementId: Type.String({ description: "Id of the settlement" }),
  time: timeMs("Settled at"),
  accrued: decimal("Everything payable to the affiliate in the coin"),
  recovered: decimal("Of it, kept back for what was owed after a reversal"),
  paid: decimal("Of it, paid into the spot wallet"),
});

const RELEASE = Type.Object({
  reason: Type.String({ description: "The operator's words" }),
  time: timeMs("Released at"),
});

const REVERSAL = Type.Object({
  reversalId: Type.String({ description: "The row that takes back" }),
  commissionId: Type.String({ description: "The row that is taken back" }),
  reason: Type.String({ description: "The operator's words" }),
  time: timeMs("Reversed at"),
  fromPayable: decimal("Out of what waited for settlement"),
  fromSpot: decimal("Out of the spot wallet"),
  owed: decimal("Kept back from later settlements"),
});

const EXPLANATION = {
  tag: ADDITIONS_TAG,
  summary: "Everything behind one commission",
  description:
    "An addition to the specification: the fill, the fee, the rate and its version, the exact " +
    "product and what was rounded off and capped, every ledger entry, settlement, release and " +
    "reversal; and, when a commission is 0, why.",
  query: Type.Object({
    commissionId: Type.String({ pattern: ID_PATTERN, description: "Of getAffiliateCommission" }),
  }),
  answer: Type.Object({
    commissionId: Type.String({ description: "The commission" }),
    affiliateUid: Type.String({ description: "Who earned it" }),
    uid: Type.String({ description: "Who traded" }),
    sourceType: Type.Integer({
      minimum: 1,
      maximum: 2,
      description:
        "1: the trader is an invitee of the affiliate; 2: it came through a sub-affiliate",
    }),
    viaUid: Type.Union([Type.String(), Type.Null()], {
      description: "The sub-affiliate below through whom it came; null for an own invitee",
    }),
    productType: Type.Enum(PRODUCT_TYPES, { description: "SPOT, or FUTURES for contracts" }),
    symbol: Type.String({ description: "Trading pair" }),
    coin: Type.String({ description: "Asset" }),
    commission: decimal("Negative for a reversal"),
    time: timeMs("Of the fill, or of the reversal"),
    status: Type.Enum(COMMISSION_STATUSES, { description: "What became of it" }),
    flags: Type.Array(Type.Enum(COMMISSION_FLAGS), { description: "Why it was held" }),
    fill: Type.Union([FILL, Type.Null()], { description: "What was traded; null for a reversal" }),
    calculation: Type.Union([CALCULATION, Type.Null()], {
      description: "From the fee to the commission; null for a reversal",
    }),
    rateVersion: Type.Union([RATE_VERSION, Type.Null()], {
      description: "The rates that were in force; null for a reversal",
    }),
    rateVersionBelow: Type.Union([RATE_VERSION, Type.Null()], {
      description: "Those of the affiliate below; null for an own invitee and for a reversal",
    }),
    ledgerEntries: Type.Array(LEDGER_ENTRY, { description: "Oldest first" }),
    settlement: Type.Union([SETTLEMENT, Type.Null()], {
      description: "How it was paid; null before",
    }),
    release: Type.Union([RELEASE, Type.Null()], {
      description: "When and why it was let go; null where it was never held, or still is",
    }),
    reversal: Type.Union([REVERSAL, Type.Null()], {
      description: "How it was taken back; null where it was not",
    }),
    whyZero: Type.Union([Type.String(), Type.Null()], {
      description: "Why the commission is 0, in words; null when it is not",
    }),
  }),
} as const;

export const v2ExplainCommissionRoute = route("v2-explain-commission", {
  ...EXPLANATION,
  envelope: "timestamped",
});
export const v3ExplainCommissionRoute = route("v3-explain-commission", EXPLANATION);

export const EXPLANATION_ROUTES = [v2ExplainCommissionRoute, v3ExplainCommissionRoute] as const;
