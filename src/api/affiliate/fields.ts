/** Fields that several affiliate routes share. */
import Type, { type TSchema } from "typebox";
import { withDefault } from "../defaults.ts";
import { count, ID_IN_BODY, ID_PATTERN } from "../v3/fields.ts";

export const REPORTS_TAG = "Affiliate: reports";
export const WITHDRAWALS_TAG = "Affiliate: internal withdrawals";
/** Beyond the specification. */
export const ADDITIONS_TAG = "Affiliate: explanations and statements";

export const PRODUCT_TYPES = ["SPOT", "FUTURES"] as const;

export const PRODUCT_TYPE = Type.Enum(PRODUCT_TYPES, { description: "SPOT or FUTURES" });
/** The same as an optional field. */
export const PRODUCT_TYPE_OPTIONAL = withDefault(
  Type.Enum(PRODUCT_TYPES, {
    description: "SPOT or FUTURES",
    "x-empty-is-absent": true,
  }),
  "SPOT",
);

/** Such a far page is empty; rows beyond it could not be counted exactly. */
const PAGE_MAX = 1_000_000_000;
const PAGE_SIZE_MAX = 200;

export const PAGE = count(1, PAGE_MAX, "Page, counted from 1", 1);
export const PAGE_SIZE = count(1, PAGE_SIZE_MAX, "Rows at most", 100);

/** A whole number that a body may also carry as text, like an id. */
export function orItsDigits<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, "x-digits-as-text": true };
}

/** A uid in a query. Any 64-bit number is valid, even if no user has it. */
export function uidInQuery(description: string) {
  return Type.String({ pattern: ID_PATTERN, description, "x-empty-is-absent": true });
}

/** A uid in a body: a number, or its digits as text. */
export function uidInBody(description: string) {
  return Type.Union(ID_IN_BODY.anyOf, {
    description: `${description}: a number, or its digits as text`,
    "x-empty-is-absent": true,
  });
}

const DAY_PATTERN = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";

export function day(description: string) {
  return Type.String({
    pattern: DAY_PATTERN,
    description: `${description}: a UTC day, YYYY-MM-DD`,
    "x-empty-is-absent": true,
  });
}

/** An asset that filters a list. */
export const COIN = Type.String({
  maxLength: 40,
  description: "Only this asset, exactly as listed, e.g. USDT",
  "x-refusal": "unknown-asset",
  "x-empty-is-absent": true,
});
