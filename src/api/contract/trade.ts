/** Signed contract routes about a user's orders, fills and the closing of positions. */
import Type from "typebox";
import {
  ORDER_STATUSES,
  ORDER_TYPES,
  POSITION_SIDES,
  SIDES,
  TIMES_IN_FORCE,
} from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { CANCEL_REASONS, MATCH_TYPES, ORDER_SOURCES } from "../order-words.ts";
import { route } from "../route.ts";
import {
  CLIENT_ORDER_ID,
  count,
  decimal,
  decimalInput,
  END_TIME,
  FROM_ID,
  ID_IN_BODY,
  ID_PATTERN,
  ORDER_ID_TEXT,
  ORDER_KEY,
  SIDE,
  START_TIME,
  SYMBOL,
  timeMs,
} from "../v3/fields.ts";
import {
  CLIENT_ID,
  idInBody,
  OUTCOME,
  PAGE_FROM_ZERO,
  POSITION_SIDE,
  SL_WORKING_TYPE,
  SYMBOL_OPTIONAL,
  TRADE_TAG as TAG,
  TP_WORKING_TYPE,
  triggerInput,
} from "./fields.ts";

const PLACED_ORDER = {
  orderId: Type.String({ description: 'Order id; "0" if the order was rejected' }),
  clientOrderId: Type.String({ description: "The caller's own id" }),
  ...OUTCOME,
} as const;

const LAST_UPDATE_ID = Type.Integer({
  description: "Version of the book after it and all that followed from it, as in depth",
});
/** In batches, whose rejected orders have none. */
const LAST_UPDATE_ID_IF_DONE = Type.Optional(LAST_UPDATE_ID);

/** A batch contains several of these. */
export const NEW_ORDER = Type.Object({
  symbol: SYMBOL,
  side: SIDE,
  positionSide: POSITION_SIDE,
  type: Type.Enum(ORDER_TYPES, {
    description: "LIMIT waits at its price or better, MARKET takes what is there",
    "x-refusal": "invalid-order-type",
  }),
  timeInForce: Type.Optional(
    Type.Enum(TIMES_IN_FORCE, {
      description: "Needed for LIMIT; without effect on a market order, which is IOC",
      "x-refusal": "invalid-time-in-force",
      "x-empty-is-absent": true,
    }),
  ),
  quantity: decimalInput("Decimal text, in the base asset"),
  price: Type.Optional(decimalInput("Decimal text; needed for LIMIT, ignored for MARKET")),
  newClientOrderId: CLIENT_ID,
  tpTriggerPrice: Type.Optional(triggerInput("Attaches a take-profit at market price")),
  slTriggerPrice: Type.Optional(triggerInput("Attaches a stop-loss at market price")),
  TpWorkingType: Type.Optional(TP_WORKING_TYPE),
  SlWorkingType: Type.Optional(SL_WORKING_TYPE),
});

export const placeOrderRoute = route("contract-place-order", {
  tag: TAG,
  summary: "Place an order",
  description:
    "side and positionSide together say whether the order opens or closes. Repeating an " +
    "order with the same newClientOrderId and the same content returns the first order. " +
    "An attached take-profit or stop-loss becomes a separate conditional order with the " +
    "first fill.",
  body: NEW_ORDER,
  answer: Type.Object({ ...PLACED_ORDER, lastUpdateId: LAST_UPDATE_ID }),
});

const PLACE_BATCH_MAX = 5;

export const placeOrdersRoute = route("contract-place-orders", {
  tag: TAG,
  summary: "Place up to five orders",
  description: "Each order is accepted or rejected on its own; results are in request order.",
  body: Type.Object({
    batchOrders: Type.Array(Type.Object({}), {
      "x-items": NEW_ORDER,
      minItems: 1,
      maxItems: PLACE_BATCH_MAX,
      description: "One to five orders, each as in POST /capi/v3/order",
      "x-refusal": "parameter-out-of-range",
    }),
  }),
  answer: Type.Array(Type.Object({ ...PLACED_ORDER, lastUpdateId: LAST_UPDATE_ID_IF_DONE })),
});

const SIDES_FIELD = Type.Enum(SIDES, { description: "BUY or SELL" });
const POSITION_SIDES_FIELD = Type.Enum(POSITION_SIDES, { description: "LONG or SHORT" });

/** The fields of an ended order in a list; a single order has seven more. */
const LISTED_ORDER = {
  orderId: Type.Integer({ description: "Order id" }),
  symbol: Type.String({ description: "Trading pair" }),
  side: SIDES_FIELD,
  positionSide: POSITION_SIDES_FIELD,
  status: Type.Enum(ORDER_STATUSES, { description: "NEW: open, possibly partly filled" }),
  type: Type.Enum(ORDER_TYPES, { description: "LIMIT or MARKET" }),
  time: timeMs("Placed at"),
  price: decimal('"0" for a market order'),
  origQty: decimal("Requested quantity"),
  executedQty: decimal("Quantity filled"),
  avgPrice: decimal('Average fill price; "0" without fills'),
  updateTime: timeMs("Last changed at"),
  clientOrderId: Type.String({ description: "The caller's own id" }),
  cumQuote: decimal("Value of the fills, in the quote asset"),
  timeInForce: Type.Enum(TIMES_IN_FORCE, {
    description:
      "GTC: until cancelled. IOC: immediate or cancel. FOK: fill or kill. POST_ONLY: maker " +
      "only",
  }),
} as const;

const ORDER = Type.Object({
  ...LISTED_ORDER,
  stopPrice: decimal('Always "0": conditional orders are listed separately'),
  reduceOnly: Type.Boolean({ description: "Whether it closes" }),
  workingType: Type.Literal("CONTRACT_PRICE", { description: "Always CONTRACT_PRICE" }),
  priceProtect: Type.Literal(false, { description: "Always false" }),
  priceMatch: Type.Literal("NONE", { description: "Always NONE: prices are as sent" }),
  selfTradePreventionMode: Type.Literal("NONE", {
    description: "Always NONE: self-trade prevention is set per user",
  }),
  goodTillDate: Type.Literal(0, { description: "Always 0: orders have no end date" }),
});

export const orderRoute = route("contract-order", {
  tag: TAG,
  summary: "One order, open or ended",
  description:
    "By orderId or origClientOrderId; orderId takes precedence. Includes orders placed by " +
    "conditional orders. Ended orders are available as long as the history is kept.",
  query: ORDER_KEY,
  answer: ORDER,
});

export const cancelOrderRoute = route("contract-cancel-order", {
  tag: TAG,
  summary: "Cancel an order",
  description: "By orderId or origClientOrderId; orderId takes precedence. Existing fills stay.",
  query: ORDER_KEY,
  answer: Type.Object({
    orderId: Type.String({ description: "Order id, as text" }),
    origClientOrderId: Type.String({ description: "The caller's own id" }),
    ...OUTCOME,
    lastUpdateId: LAST_UPDATE_ID,
  }),
});

const CANCEL_BATCH_MAX = 10;

export const cancelOrdersRoute = route("contract-cancel-orders", {
  tag: TAG,
  summary: "Cancel up to ten orders",
  description:
    "Each order is cancelled or rejected on its own; results are in request order. The " +
    "JSON body is part of the signed text.",
  body: Type.Object({
    orderIdList: Type.Optional(
      Type.Array(ID_IN_BODY, {
        maxItems: CANCEL_BATCH_MAX,
        description: "Up to ten order ids",
        "x-refusal": "parameter-out-of-range",
        "x-empty-is-absent": true,
      }),
    ),
    origClientOrderIdList: Type.Optional(
      Type.Array(CLIENT_ORDER_ID, {
        maxItems: CANCEL_BATCH_MAX,
        description: "Instead of orderIdList, up to ten client order ids",
        "x-refusal": "parameter-out-of-range",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({
    orderList: Type.Array(
      Type.Object({
        orderId: Type.String({ description: 'As sent; "" if only the client order id was sent' }),
        origClientOrderId: Type.String({ description: "The caller's own id" }),
        ...OUTCOME,
        lastUpdateId: LAST_UPDATE_ID_IF_DONE,
        errorMsg: Type.Optional(
          Type.String({ description: "Only on failure: FAILED_ and the reason" }),
        ),
      }),
      { description: "In request order" },
    ),
  }),
});

const CANCELLED_ORDER = {
  orderId: Type.Integer({ description: "Order id" }),
  ...OUTCOME,
} as const;

/** The cancelled conditional orders, each with its id. */
export const CANCELLED_ORDERS = Type.Array(Type.Object(CANCELLED_ORDER));

export const cancelAllOrdersRoute = route("contract-cancel-all-orders", {
  tag: TAG,
  summary: "Cancel every open order of a market, or of all",
  description: "Conditional orders stay.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(Type.Object({ ...CANCELLED_ORDER, lastUpdateId: LAST_UPDATE_ID })),
});

export const closePositionsRoute = route("contract-close-positions", {
  tag: TAG,
  summary: "Close positions at market price",
  description:
    "Closes the positions of one symbol, one position by its id, or all positions. " +
    "Resting orders that close the same position do not prevent this; those that would " +
    "then close too much are cancelled.",
  body: Type.Object({
    symbol: Type.Optional(SYMBOL),
    positionId: Type.Optional(idInBody("Only this position")),
  }),
  answer: Type.Array(
    Type.Object({
      positionId: Type.Integer({ description: "Position id" }),
      success: Type.Boolean({ description: "Whether it succeeded" }),
      successOrderId: Type.Integer({ description: "The closing order; 0 if there is none" }),
      errorMessage: Type.String({ description: "Error message, or empty" }),
    }),
  ),
});

export const openOrdersRoute = route("contract-open-orders", {
  tag: TAG,
  summary: "Open orders, by ascending order id",
  description:
    "For one contract or all, including partly filled orders. To get the next page, send " +
    "the last id as orderId.",
  query: Type.Object({
    symbol: Type.Optional(SYMBOL),
    orderId: Type.Optional(
      Type.String({
        pattern: ID_PATTERN,
        description: "Only orders with an id greater than this",
        "x-empty-is-absent": true,
      }),
    ),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 100, "Rows at most", 100)),
    page: Type.Optional(PAGE_FROM_ZERO),
  }),
  answer: Type.Array(ORDER),
});

export const ORDER_HISTORY_FILTER = Type.Object({
  symbol: Type.Optional(SYMBOL),
  limit: Type.Optional(count(1, 1000, "Rows at most", 500)),
  startTime: Type.Optional(START_TIME),
  endTime: Type.Optional(END_TIME),
  page: Type.Optional(PAGE_FROM_ZERO),
});

const DETAIL = Type.Optional(
  withDefault(
    Type.Enum(["BASIC", "FULL"], { description: "Ours: FULL adds fields of Rialto's own" }),
    "BASIC",
  ),
);

export const orderHistoryRoute = route("contract-order-history", {
  tag: TAG,
  summary: "Ended orders, newest first",
  description:
    "Includes orders placed by conditional orders. The time range covers at most 90 days.",
  query: Type.Object({ ...ORDER_HISTORY_FILTER.properties, detail: DETAIL }),
  answer: Type.Array(
    Type.Object({
      ...LISTED_ORDER,
      orderSource: Type.Optional(
        Type.Enum(ORDER_SOURCES, {
          description:
            "Only with detail=FULL: who placed it. API is the caller, ALGO a conditional order " +
            "that was triggered",
        }),
      ),
      cancelReason: Type.Optional(
        Type.Enum(CANCEL_REASONS, {
          description: "Only with detail=FULL: why it was cancelled, as in the orders channel",
        }),
      ),
    }),
  ),
});

export const userTradesRoute = route("contract-user-trades", {
  tag: TAG,
  summary: "The caller's fills, newest first",
  description:
    "One row per side of a match that belongs to the caller. " +
    "With fromId the oldest from that trade id on come first; continue with the last id plus " +
    "one. The two rows of a self-trade are never on two pages, so a page may end with one row " +
    "more than its limit. Other filters hold as well.",
  query: Type.Object({
    symbol: Type.Optional(SYMBOL),
    orderId: Type.Optional(ORDER_ID_TEXT),
    fromId: Type.Optional(FROM_ID),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 100, "Rows at most", 100)),
    detail: DETAIL,
  }),
  answer: Type.Array(
    Type.Object({
      id: Type.Integer({ description: "Trade id" }),
      orderId: Type.Integer({ description: "Order id" }),
      symbol: Type.String({ description: "Trading pair" }),
      buyer: Type.Boolean({ description: "Whether the caller bought" }),
      commission: decimal("Fee"),
      commissionAsset: Type.String({ description: "The margin asset" }),
      maker: Type.Boolean({ description: "Whether the order was the maker" }),
      price: decimal("Price"),
      qty: decimal("Quantity in the base asset"),
      quoteQty: decimal("Price × quantity"),
      realizedPnl: decimal('Realised P&L of this fill before the fee; "0" if it opened'),
      side: SIDES_FIELD,
      positionSide: POSITION_SIDES_FIELD,
      time: timeMs("Traded at"),
      matchType: Type.Optional(
        Type.Enum(MATCH_TYPES, {
          description:
            "Only with detail=FULL. BOOK: a resting order. LIQUIDATION: the taker is a " +
            "liquidation. ADL: a deleveraging. NETTING: the account's own long and short",
        }),
      ),
    }),
  ),
});

export const CONTRACT_TRADE_ROUTES = [
  placeOrderRoute,
  placeOrdersRoute,
  orderRoute,
  cancelOrderRoute,
  cancelOrdersRoute,
  cancelAllOrdersRoute,
  closePositionsRoute,
  openOrdersRoute,
  orderHistoryRoute,
  userTradesRoute,
] as const;
