/**
 * Statements of an affiliate's commissions with their hash chain, and the heads of the chain by
 * day. Additions to the specification.
 */
import Type from "typebox";
import { withDefault } from "../defaults.ts";
import { route } from "../route.ts";
import { count } from "../v3/fields.ts";
import { ADDITIONS_TAG, day } from "./fields.ts";
import { STATEMENT_DOCUMENT } from "./statement-document.ts";
import { STATEMENT_FORMATS, type StatementFacts, type StatementFormat } from "./statement-facts.ts";

const STATEMENT_PART_MAX = 1_000_000;
const HEADS_MAX = 366;

export const CSV_MEDIA = "text/csv";

const STATEMENT = {
  tag: ADDITIONS_TAG,
  query: Type.Object({
    from: day("First day"),
    to: day("Last day, at most today"),
    format: Type.Optional(
      withDefault(
        Type.Enum(STATEMENT_FORMATS, {
          description: "json or csv",
          "x-empty-is-absent": true,
        }),
        "json",
      ),
    ),
    part: Type.Optional(count(1, STATEMENT_PART_MAX, "Part, counted from 1", 1)),
  }),
  summary: "A statement that can be verified offline",
} as const;

const ABOUT =
  "An addition to the specification: every commission, release, reversal and " +
  "settlement of whole UTC days in order, each hashed together with the previous hash, " +
  "with opening and closing balances, in parts of at most 50,000 entries. `rialto " +
  "affiliate verify` verifies the file. ";

export const v2StatementRoute = route("v2-affiliate-statement", {
  ...STATEMENT,
  description: `${ABOUT}The file is the text of \`document\`.`,
  envelope: "timestamped",
  answer: Type.Unsafe<StatementFacts & { readonly escapedPieces: readonly Uint8Array[] }>(
    Type.Object({
      format: Type.Enum(STATEMENT_FORMATS, { description: "Format of the document" }),
      part: Type.Integer({ description: "Number of this part, from 1" }),
      parts: Type.Integer({ description: "Number of parts; 1 even without entries" }),
      entries: Type.Integer({ description: "Number of entries in all parts" }),
      complete: Type.Boolean({ description: "False while the last day is today" }),
      document: Type.String({ description: "The file, byte for byte" }),
    }),
  ),
});
export const v3StatementRoute = route("v3-affiliate-statement", {
  ...STATEMENT,
  description: `${ABOUT}The response is the file itself.`,
  answer: Type.Unsafe<{ readonly format: StatementFormat; readonly pieces: readonly Uint8Array[] }>(
    STATEMENT_DOCUMENT,
  ),
  answerMedia: [CSV_MEDIA],
});

const HEADS = {
  tag: ADDITIONS_TAG,
  summary: "Heads of the caller's hash chain, oldest first",
  description:
    "An addition to the specification: number and hash of the last entry of each UTC day " +
    "with entries. The operator publishes the same heads; a statement must end with one.",
  query: Type.Object({
    from: Type.Optional(day("First day; without it the first of all")),
    limit: Type.Optional(count(1, HEADS_MAX, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      date: Type.String({ description: "UTC day, YYYY-MM-DD" }),
      ordinal: Type.Integer({ description: "Number of the day's last entry, from 1" }),
      hash: Type.String({ description: "Its SHA-256, hex" }),
      complete: Type.Boolean({ description: "Whether the day is over and the head final" }),
    }),
  ),
} as const;

export const v2StatementHeadsRoute = route("v2-affiliate-statement-heads", {
  ...HEADS,
  envelope: "timestamped",
});
export const v3StatementHeadsRoute = route("v3-affiliate-statement-heads", HEADS);

export const STATEMENT_ROUTES = [
  v2StatementRoute,
  v3StatementRoute,
  v2StatementHeadsRoute,
  v3StatementHeadsRoute,
] as const;
