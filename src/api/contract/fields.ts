/**
 * Fields that several contract routes share. Unlike on spot, client ids are required: null and
 * empty ones count as missing.
 */
import Type from "typebox";
import { CLIENT_ORDER_ID_PATTERN, POSITION_SIDES, WORKING_TYPES } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { count, decimalInput, ID_IN_BODY, ORDER_ID_TEXT, SYMBOL } from "../v3/fields.ts";

export const MARKET_TAG = "Contract v3: market data";
export const ACCOUNT_TAG = "Contract v3: account";
export const TRADE_TAG = "Contract v3: trading";
export const DEMO_TAG = "Contract v3: demo account";
export const ALGO_TAG = "Contract v3: conditional orders";

export const POSITION_SIDE = Type.Enum(POSITION_SIDES, {
  description: "LONG or SHORT: BUY LONG and SELL SHORT open, SELL LONG and BUY SHORT close",
});

export const SYMBOL_REQUIRED = Type.Object({ symbol: SYMBOL });
/** One pair, or all of them if absent. */
export const SYMBOL_OPTIONAL = Type.Object({ symbol: Type.Optional(SYMBOL) });

/** A caller's own id of an order. */
export const CLIENT_ID = Type.String({
  pattern: CLIENT_ORDER_ID_PATTERN,
  description: "1 to 40 of A-Z a-z 0-9 . _ : / # -",
  "x-refusal": "invalid-client-order-id",
});

/** A required id in a query. */
export const ORDER_ID_REQUIRED = Type.Object({ orderId: ORDER_ID_TEXT });

/** An id in a body; `description` says what it names. */
export function idInBody(description: string) {
  return Type.Union(ID_IN_BODY.anyOf, {
    description: `${description}: a number, or its digits as text`,
    "x-empty-is-absent": true,
  });
}

const WORKING_TYPE_TEXT = "CONTRACT_PRICE (last trade) or MARK_PRICE";
export function workingTypeInput(of: string) {
  return withDefault(
    Type.Enum(WORKING_TYPES, {
      description: `${of}: ${WORKING_TYPE_TEXT}`,
      "x-empty-is-absent": true,
    }),
    "CONTRACT_PRICE",
  );
}

export const TP_WORKING_TYPE = workingTypeInput("What the take-profit looks at");
export const SL_WORKING_TYPE = workingTypeInput("What the stop-loss looks at");

export const PAGE_FROM_ZERO = count(0, Number.MAX_SAFE_INTEGER, "Page, counted from 0", 0);

/** Decimal text of a price at which something is triggered. */
export function triggerInput(description: string) {
  return decimalInput(`${description}, decimal text on the market's tick`);
}

/** Part of every answer to a write; both texts are empty when it succeeded. */
export const OUTCOME = {
  success: Type.Boolean({ description: "Whether it succeeded" }),
  errorCode: Type.String({ description: "Error code, or empty" }),
  errorMessage: Type.String({ description: "Error message, or empty" }),
} as const;
