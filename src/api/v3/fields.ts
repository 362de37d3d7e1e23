/**
 * Fields that several v3 routes share. Fields of queries and bodies define the error for a wrong
 * value.
 */
import Type, { type TInteger } from "typebox";
import { CLIENT_ORDER_ID_PATTERN, DECIMAL_PATTERN, SIDES } from "../../domain/index.ts";
import { type WithDefault, withDefault } from "../defaults.ts";

/**
 * Nineteen digits: room for any 64-bit id, so that a foreign id is an unknown order, not bad input.
 */
export const ID_PATTERN = "^(0|[1-9][0-9]{0,18})$";
/** The same as a number, as precisely as a number can be. */
const ID_MAX = 1e19;
const DECIMAL_LENGTH_MAX = 37;
/** The last millisecond of the year 9999. */
export const TIME_MS_MAX = 253_402_300_799_999;

export const SYMBOL = Type.String({
  maxLength: 40,
  description: "Trading pair exactly as listed, e.g. BTCUSDT",
  "x-refusal": "unknown-symbol",
});
export const SYMBOLS = Type.String({
  maxLength: 8_000,
  description:
    'Up to 100 trading pairs: comma-separated, or a JSON array such as ["BTCUSDT","ETHUSDT"]',
});
/** One pair, several, or all of them without both. */
export const SYMBOL_CHOICE = Type.Object({
  symbol: Type.Optional(SYMBOL),
  symbols: Type.Optional(SYMBOLS),
});

/** A whole number that a client sends; null and "" count as absent. */
export function count(minimum: number, maximum: number, description: string): TInteger;
export function count(
  minimum: number,
  maximum: number,
  description: string,
  byDefault: number,
): WithDefault<TInteger, number>;
export function count(minimum: number, maximum: number, description: string, byDefault?: number) {
  const schema = Type.Integer({
    minimum,
    maximum,
    description,
    "x-refusal": "parameter-out-of-range",
    "x-empty-is-absent": true,
  });
  return byDefault === undefined ? schema : withDefault(schema, byDefault);
}

export const START_TIME = count(0, TIME_MS_MAX, "Inclusive start, Unix milliseconds");
export const END_TIME = count(0, TIME_MS_MAX, "Inclusive end, Unix milliseconds");

export const ORDER_ID_TEXT = Type.String({
  pattern: ID_PATTERN,
  description: "Order id",
  "x-empty-is-absent": true,
});
export const FROM_ID = Type.String({
  pattern: ID_PATTERN,
  description: "Only trades with this id or a later one, oldest first",
  "x-empty-is-absent": true,
});
/** An id in a body: a number, or its digits as text. */
export const ID_IN_BODY = Type.Union([
  Type.Integer({ minimum: 0, maximum: ID_MAX }),
  Type.String({ pattern: ID_PATTERN }),
]);
export const CLIENT_ORDER_ID = Type.String({
  pattern: CLIENT_ORDER_ID_PATTERN,
  description: "1 to 40 of A-Z a-z 0-9 . _ : / # -; null and empty count as absent",
  "x-refusal": "invalid-client-order-id",
  "x-empty-is-absent": true,
});
/** One of the two is required; the order id decides when both are sent. */
export const ORDER_KEY = Type.Object({
  orderId: Type.Optional(ORDER_ID_TEXT),
  origClientOrderId: Type.Optional(CLIENT_ORDER_ID),
});

export const SIDE = Type.Enum(SIDES, { description: "BUY or SELL", "x-refusal": "invalid-side" });

/** A decimal that a client sends. */
export function decimalInput(description: string) {
  return Type.String({
    pattern: DECIMAL_PATTERN,
    maxLength: DECIMAL_LENGTH_MAX,
    description,
    "x-empty-is-absent": true,
  });
}
/** A decimal in an answer: plain digits, no exponent, no trailing zeros, possibly a sign. */
export function decimal(description: string) {
  return Type.String({ description });
}
export function timeMs(description: string) {
  return Type.Integer({ description: `${description}, Unix milliseconds` });
}
