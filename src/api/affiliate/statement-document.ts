/**
 * The JSON form of a statement, field by field. Its text and its checks are those of
 * `affiliate-statement`.
 */
import Type from "typebox";
import { COMMISSION_FLAGS, PRODUCTS } from "../../domain/index.ts";
import { decimal, timeMs } from "../v3/fields.ts";

const HASH = Type.String({ description: "SHA-256, hex" });
const ASSET = Type.String({ description: "Coin" });
const id = (description: string) => Type.Integer({ description: `${description}; 0 for none` });

/** Behind an entry, before the first one, or at the end. */
const WAITING = decimal("Waits for settlement");
const HELD = decimal("Waits for an operator");
const OWED = decimal("Is kept back from settlements to come");

const OPENING = Type.Object({
  asset: ASSET,
  scale: Type.Integer({ description: "Amounts are whole numbers of 10^-scale" }),
  payable: WAITING,
  held: HELD,
  owed: OWED,
});

const ENTRY = Type.Object({
  ordinal: Type.Integer({ description: "From 1, without gaps, over the whole history" }),
  timeMs: timeMs("When"),
  kind: Type.Enum(["commission", "release", "reversal", "settlement"], {
    description: "What happened",
  }),
  id: id("Of the commission, reversal or settlement"),
  aboutId: id("The commission that a release or reversal is about"),
  product: Type.Enum([...PRODUCTS, ""], { description: "Of the fill; empty for a settlement" }),
  symbol: Type.String({ description: "Of the fill" }),
  traderUid: id("Whose fill"),
  role: Type.Enum(["maker", "taker", ""], { description: "Of the trader in the fill" }),
  tradeId: id("The trade"),
  viaUid: id("The affiliate below through whom it came"),
  asset: ASSET,
  notional: decimal("Of the fill, in the quote asset"),
  fee: decimal("Of the fill"),
  rate: decimal("As applied; fee × rate, rounded down, is capped + amount"),
  rateVersion: id("Of the rate"),
  viaRateVersion: id("Of the rate that was subtracted"),
  capped: decimal("What the cap took"),
  amount: decimal("Earned, let go, taken back, or accrued until a settlement"),
  flags: Type.Array(Type.Enum(COMMISSION_FLAGS), { description: "Why it is held" }),
  isHeld: Type.Boolean({ description: "It waits for an operator, or is the reversal of one" }),
  fromPayable: decimal("Of a reversal"),
  fromSpot: decimal("Of a reversal"),
  newlyOwed: decimal("Of a reversal"),
  recovered: decimal("Of a settlement"),
  paid: decimal("Of a settlement"),
  payableAfter: WAITING,
  heldAfter: HELD,
  owedAfter: OWED,
  hash: HASH,
});

const TOTAL = Type.Object({
  asset: ASSET,
  entries: Type.Integer({ description: "How many" }),
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
    format: Type.String({ description: "Name and version of the form" }),
    affiliateUid: Type.Integer({ description: "Whose statement it is" }),
    from: Type.String({ description: "First UTC day, YYYY-MM-DD" }),
    to: Type.String({ description: "Last UTC day, YYYY-MM-DD" }),
    complete: Type.Boolean({ description: "False while the last day is still today" }),
    part: Type.Integer({ description: "Which of the parts this is, from 1" }),
    parts: Type.Integer({ description: "1 also without entries" }),
    openingOrdinal: id("Of the last entry before"),
    openingHash: HASH,
    opening: Type.Array(OPENING, { description: "One for each coin of the entries" }),
    entries: Type.Array(ENTRY, { description: "Oldest first, one chain" }),
    closingOrdinal: id("Of the last entry"),
    closingHash: HASH,
    totals: Type.Array(TOTAL, { description: "In the order of opening" }),
    digest: Type.String({ description: "SHA-256, hex, over all but the entries" }),
  },
  { description: "The statement in its JSON form" },
);
