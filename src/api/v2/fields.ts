/**
 * Fields that several v2 routes share. Whole numbers in a body may be sent as text, as v2 clients
 * do.
 */
import Type from "typebox";
import { CLIENT_ORDER_ID_PATTERN, DECIMAL_PATTERN } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { TIME_MS_MAX } from "../v3/fields.ts";

export const MARKET_TAG = "Spot v2: market data";
export const TRADE_TAG = "Spot v2: trading";
export const ACCOUNT_TAG = "Spot v2: account";

const SYMBOL_LENGTH_MAX = 64;
const DECIMAL_LENGTH_MAX = 37;
/** A 64-bit integer has at most 19 digits. */
const ORDER_ID_PATTERN = "^\\d{1,19}$";

export const SYMBOL = Type.String({
  minLength: 1,
  maxLength: SYMBOL_LENGTH_MAX,
  description: "Trading pair: BTCUSDT or BTCUSDT_SPBL, in any case",
  examples: ["BTCUSDT_SPBL"],
});
export const ANSWERED_SYMBOL = Type.String({ description: "Trading pair, as sent by the caller" });
export const LISTED_SYMBOL = Type.String({ description: "Trading pair, e.g. BTCUSDT_SPBL" });

/** A decimal that a caller sends. */
export function amountInput(description: string) {
  return Type.String({ pattern: DECIMAL_PATTERN, maxLength: DECIMAL_LENGTH_MAX, description });
}
/** The same as an optional field; null and "" count as absent. */
export function optionalAmountInput(description: string) {
  return Type.String({
    pattern: DECIMAL_PATTERN,
    maxLength: DECIMAL_LENGTH_MAX,
    description,
    "x-empty-is-absent": true,
  });
}

export function amount(description: string) {
  return Type.String({ description });
}
export function longMs(description: string) {
  return Type.Integer({ description: `${description}, Unix ms` });
}
export function textMs(description: string) {
  return Type.String({ description: `${description}, Unix ms as a string` });
}
export function nullableText(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description });
}

export const ORDER_ID_ITEM = Type.Union([
  Type.String({ pattern: ORDER_ID_PATTERN }),
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
]);
export const ORDER_ID = Type.Union(ORDER_ID_ITEM.anyOf, {
  description: "Order id, as text; a number is accepted",
  "x-empty-is-absent": true,
});

export const NEW_CLIENT_ORDER_ID = Type.String({
  pattern: CLIENT_ORDER_ID_PATTERN,
  description: "Caller-chosen order id, 1 to 40 characters",
  "x-refusal": "invalid-client-order-id",
});
export const CLIENT_ORDER_ID = Type.String({
  pattern: CLIENT_ORDER_ID_PATTERN,
  description: "Caller-chosen order id",
  "x-refusal": "invalid-client-order-id",
  "x-empty-is-absent": true,
});

/** `pattern` accepts the same numbers as digits. */
function whole(minimum: number, maximum: number, pattern: string, description: string) {
  return Type.Union([Type.Integer({ minimum, maximum }), Type.String({ pattern })], {
    description,
    "x-refusal": "parameter-out-of-range",
    "x-empty-is-absent": true,
  });
}

const TIME_DIGITS = "^(0|[1-9][0-9]{0,13})$";
export const AFTER = whole(0, TIME_MS_MAX, TIME_DIGITS, "Inclusive start, Unix ms");
export const BEFORE = whole(0, TIME_MS_MAX, TIME_DIGITS, "Inclusive end, Unix ms");

/** `rows` is the default. */
export function rowsInBody(rows: number) {
  return withDefault(whole(1, 100, "^([1-9][0-9]?|100)$", "Rows at most, 1 to 100"), rows);
}
export const PAGE_FROM_ZERO = withDefault(
  whole(0, 100_000, "^(0|[1-9][0-9]{0,4}|100000)$", "Page, from 0 to 100000"),
  0,
);
export const PAGE_FROM_ONE = withDefault(
  whole(1, 10_000, "^([1-9][0-9]{0,3}|10000)$", "Page, from 1 to 10000"),
  1,
);
