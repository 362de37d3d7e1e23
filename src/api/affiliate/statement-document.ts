/**
 * The JSON form of a statement, field by field. `affiliate-statement` writes and verifies its text.
 */
import Type from "typebox";
import { COMMISSION_FLAGS, PRODUCTS } from "../../domain/index.ts";
import { decimal, timeMs } from "../v3/fields.ts";

const HASH = Type.String({ description: "SHA-256, hex" });
const ASSET = Type.String({ description: "Coin" });
const id = (description: string) => Type.Integer({ description: `${description}; 0 for none` });

/** After an entry, before the first one, or at the end. */
const WAITING = decimal("Awaiting settlement");
const HELD = decimal("Awaiting operator review");
const OWED = decimal("Deducted from later settlements");

const OPENING = Type.Object({
  asset: ASSET,
  scale: Type.Integer({ description: "Amounts are integers in units of 10^-scale" }),
  payable: WAITING,
  held: HELD,
  owed: OWED,
});

const ENTRY = Type.Object({
  ordinal: Type.Integer({ description: "From 1, without gaps, over the whole history" }),
  timeMs: timeMs("When"),
  kind: Type.Enum(["commission", "release", "reversal", "settlement"], {
    description: "Kind of entry",
  }),
  id: id("Id of the commission, reversal or settlement"),
  aboutId: id("The commission concerned by a release or reversal"),
  product: Type.Enum([...PRODUCTS, ""], {
    description: "Product of the fill; empty for a settlement",
  }),
  symbol: Type.String({ description: "Market of the fill" }),
  traderUid: id("The trader"),
  role: Type.Enum(["maker", "taker", ""], { description: "The trader's role in the fill" }),
  tradeId: id("The trade"),
  viaUid: id("The affiliate directly below, via whom it came"),
  asset: ASSET,
  notional: decimal("Notional of the fill, in the quote asset"),
  fee: decimal("Fee of the fill"),
  rate: decimal("Applied rate; fee × rate, rounded down, is capped + amount"),
  rateVersion: id("Version of the rate"),
  viaRateVersion: id("Version of the subtracted rate"),
  capped: decimal("Amount cut by the cap"),
  amount: decimal("Amount earned, released, reversed or settled"),
  flags: Type.Array(Type.Enum(COMMISSION_FLAGS), { description: "Why it is held" }),
  isHeld: Type.Boolean({
    description: "The commission is held, or this is the reversal of a held one",
  }),
  fromPayable: decimal("Reversals only"),
  fromSpot: decimal("Reversals only"),
  newlyOwed: decimal("Reversals only"),
  recovered: decimal("Settlements only"),
  paid: decimal("Settlements only"),
  payableAfter: WAITING,
  heldAfter: HELD,
  owedAfter: OWED,
  hash: HASH,
});

const TOTAL = Type.Object({
  asset: ASSET,
  entries: Type.Integer({ description: "Number of entries" }),
  earned: decimal("Sum"),
  capped: decimal("Sum"),
  released: decimal("Sum"),
  reversed: decimal("Sum"),
  fromPayable: decimal("Sum"),
  fromSpot: decimal("Sum"),
  newlyOwed: decimal("Sum"),
  accrued: decimal("Sum"),
  recovered: decimal("Sum"),
  paid: decimal("Sum"),
  payable: WAITING,
  held: HELD,
  owed: OWED,
});

export const STATEMENT_DOCUMENT = Type.Object(
  {
    format: Type.String({ description: "Name and version of the format" }),
    affiliateUid: Type.Integer({ description: "The affiliate" }),
    from: Type.String({ description: "First UTC day, YYYY-MM-DD" }),
    to: Type.String({ description: "Last UTC day, YYYY-MM-DD" }),
    complete: Type.Boolean({ description: "False while the last day is today" }),
    part: Type.Integer({ description: "Number of this part, from 1" }),
    parts: Type.Integer({ description: "Number of parts; 1 even without entries" }),
    openingOrdinal: id("Hash of the last entry before this statement"),
    openingHash: HASH,
    opening: Type.Array(OPENING, { description: "One for each coin in the entries" }),
    entries: Type.Array(ENTRY, { description: "Oldest first, as one hash chain" }),
    closingOrdinal: id("Hash of the last entry"),
    closingHash: HASH,
    totals: Type.Array(TOTAL, { description: "In the same order as opening" }),
    digest: Type.String({ description: "SHA-256, hex, over everything except the entries" }),
  },
  { description: "The statement in JSON format" },
);
