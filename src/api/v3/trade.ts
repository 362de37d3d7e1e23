/** Signed v3 routes about a user's spot orders and fills. */
import Type from "typebox";
import { ORDER_STATUSES, ORDER_TYPES, TIMES_IN_FORCE } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { route } from "../route.ts";
import {
  CLIENT_ORDER_ID,
  count,
  decimal,
  decimalInput,
  END_TIME,
  FROM_ID,
  ID_IN_BODY,
  ORDER_ID_TEXT,
  ORDER_KEY,
  SIDE,
  START_TIME,
  SYMBOL,
  timeMs,
} from "./fields.ts";

const TAG = "Spot v3: trading";

/** The parameters of a new order, also for an order test. */
export const NEW_ORDER = Type.Object({
  symbol: SYMBOL,
  side: SIDE,
  type: Type.Enum(ORDER_TYPES, {
    description: "LIMIT waits at its price or better, MARKET takes what is there",
    "x-refusal": "invalid-order-type",
  }),
  timeInForce: Type.Optional(
    withDefault(
      Type.Enum(TIMES_IN_FORCE, {
        description: "Without effect on a market order, which is IOC",
        "x-refusal": "invalid-time-in-force",
        "x-empty-is-absent": true,
      }),
      "GTC",
    ),
  ),
  quantity: decimalInput("Decimal text, in the base asset, also for a market buy"),
  price: Type.Optional(decimalInput("Decimal text; needed for LIMIT, ignored for MARKET")),
  newClientOrderId: Type.Optional(CLIENT_ORDER_ID),
  newOrderRespType: Type.Optional(
    withDefault(
      Type.Enum(["ACK", "RESULT", "FULL"], {
        description: "ACK: confirmation. RESULT: the order after matching. FULL: with its fills",
        "x-empty-is-absent": true,
      }),
      "ACK",
    ),
  ),
});

const FILL = Type.Object({
  price: decimal("Price of the match"),
  qty: decimal("Quantity matched"),
  commission: decimal("The fee"),
  commissionAsset: Type.String({ description: "Asset of the fee: the one received" }),
  tradeId: Type.Integer({ description: "Id of the match" }),
});

export const placeOrderRoute = route("v3-place-order", {
  tag: TAG,
  summary: "Place an order",
  description:
    "Repeating an order with the same newClientOrderId and the same content returns the " +
    "first order, so a retry after a lost response is safe. Without one, the id is " +
    "derived from the signed request, so the same bytes are the same order.",
  body: NEW_ORDER,
  answer: Type.Object({
    symbol: Type.String({ description: "Trading pair" }),
    orderId: Type.Integer({ description: "Order id" }),
    clientOrderId: Type.String({ description: "The caller's own id" }),
    transactTime: timeMs("Placed at"),
    lastUpdateId: Type.Integer({ description: "Version of the book after the order, as in depth" }),
    price: Type.Optional(decimal("This and the following fields only with RESULT and FULL")),
    origQty: Type.Optional(decimal("Requested quantity")),
    executedQty: Type.Optional(decimal("Quantity filled")),
    cummulativeQuoteQty: Type.Optional(decimal("Value of the fills, quote asset")),
    status: Type.Optional(
      Type.Enum(ORDER_STATUSES, { description: "NEW: open, possibly partly filled" }),
    ),
    timeInForce: Type.Optional(Type.Enum(TIMES_IN_FORCE, { description: "As it was placed" })),
    type: Type.Optional(Type.Enum(ORDER_TYPES, { description: "LIMIT or MARKET" })),
    side: Type.Optional(SIDE),
    fills: Type.Optional(
      Type.Array(FILL, { description: "Only FULL: in order, at most the first 1,000" }),
    ),
  }),
});

const ORDER = Type.Object({
  symbol: Type.String({ description: "Trading pair" }),
  orderId: Type.Integer({ description: "Order id" }),
  clientOrderId: Type.String({ description: "The caller's own id" }),
  price: decimal('"0" for a market order'),
  origQty: decimal("Requested quantity"),
  executedQty: decimal("Quantity filled"),
  cummulativeQuoteQty: decimal("Value of the fills, quote asset"),
  status: Type.Enum(ORDER_STATUSES, { description: "NEW: open, possibly partly filled" }),
  timeInForce: Type.Enum(TIMES_IN_FORCE, {
    description:
      "GTC: until cancelled. IOC: immediate or cancel. FOK: fill or kill. POST_ONLY: maker " +
      "only",
  }),
  type: Type.Enum(ORDER_TYPES, { description: "LIMIT or MARKET" }),
  side: SIDE,
  time: timeMs("Placed at"),
  updateTime: timeMs("Last changed at"),
  isWorking: Type.Boolean({ description: "Whether it rests in the book" }),
});

export const orderRoute = route("v3-order", {
  tag: TAG,
  summary: "One order, open or ended",
  description:
    "By orderId or origClientOrderId; orderId takes precedence. Ended orders are " +
    "available as long as the history is kept.",
  query: ORDER_KEY,
  answer: ORDER,
});

const CANCELLED_ORDER = Type.Object({
  orderId: Type.Integer({ description: "Order id" }),
  origClientOrderId: Type.String({ description: "The caller's own id" }),
  status: Type.Literal("CANCELED", { description: "Success" }),
  lastUpdateId: Type.Integer({ description: "Version of the book after it, as in depth" }),
});

export const cancelOrderRoute = route("v3-cancel-order", {
  tag: TAG,
  summary: "Cancel an order",
  description: "By orderId or origClientOrderId; orderId takes precedence. Existing fills stay.",
  query: ORDER_KEY,
  answer: CANCELLED_ORDER,
});

const CANCEL_BATCH_MAX = 10;

export const cancelOrdersRoute = route("v3-cancel-orders", {
  tag: TAG,
  summary: "Cancel up to ten orders",
  description:
    "Each order is cancelled or rejected on its own; results are in request order. The " +
    "JSON body is part of the signed text.",
  body: Type.Object({
    orderIds: Type.Optional(
      Type.Array(ID_IN_BODY, {
        maxItems: CANCEL_BATCH_MAX,
        description: "Up to ten order ids",
        "x-refusal": "parameter-out-of-range",
        "x-empty-is-absent": true,
      }),
    ),
    origClientOrderIds: Type.Optional(
      Type.Array(CLIENT_ORDER_ID, {
        maxItems: CANCEL_BATCH_MAX,
        description: "Instead of orderIds, up to ten client order ids",
        "x-refusal": "parameter-out-of-range",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({
    orderList: Type.Array(
      Type.Object({
        orderId: Type.Optional(
          Type.Union([Type.Integer(), Type.String()], {
            description: "A number; a string if the request had an id above 2^53",
          }),
        ),
        origClientOrderId: Type.Optional(Type.String({ description: "The caller's own id" })),
        status: Type.Enum(["CANCELED", "FAILED"], { description: "Whether it was cancelled" }),
        lastUpdateId: Type.Optional(
          Type.Integer({ description: "Version of the book after it; absent on failure" }),
        ),
        errorMsg: Type.Optional(Type.String({ description: "Only on failure" })),
      }),
      { description: "In request order" },
    ),
  }),
});

export const openOrdersRoute = route("v3-open-orders", {
  tag: TAG,
  summary: "Open orders, newest first",
  description: "For one market or all, including partly filled orders.",
  query: Type.Object({ symbol: Type.Optional(SYMBOL) }),
  answer: Type.Array(ORDER),
});

export const cancelOpenOrdersRoute = route("v3-cancel-open-orders", {
  tag: TAG,
  summary: "Cancel every open order of a market",
  description: "Lists the cancelled orders. An order that filled at the same time is not included.",
  query: Type.Object({ symbol: SYMBOL }),
  answer: Type.Array(CANCELLED_ORDER),
});

export const allOrdersRoute = route("v3-all-orders", {
  tag: TAG,
  summary: "Open and ended orders of a market, newest first",
  description: "By placement time. Both ends of the range are inclusive.",
  query: Type.Object({
    symbol: SYMBOL,
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
    page: Type.Optional(count(1, 100_000, "Page", 1)),
  }),
  answer: Type.Array(ORDER),
});

export const myTradesRoute = route("v3-my-trades", {
  tag: TAG,
  summary: "The caller's fills in a market, newest first",
  description:
    "One row per side of a match that belongs to the caller; a self-trade has two. " +
    "With fromId the oldest from that trade id on come first; continue with the last id plus " +
    "one. The two rows of a self-trade are never on two pages, so a page may end with one row " +
    "more than its limit. Other filters hold as well.",
  query: Type.Object({
    symbol: SYMBOL,
    orderId: Type.Optional(ORDER_ID_TEXT),
    fromId: Type.Optional(FROM_ID),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      id: Type.Integer({ description: "Trade id" }),
      orderId: Type.Integer({ description: "Order id" }),
      price: decimal("Price"),
      qty: decimal("Quantity in the base asset"),
      quoteQty: decimal("Price × quantity"),
      commission: decimal("Fee"),
      commissionAsset: Type.String({
        description: "The asset received, in which the fee is charged",
      }),
      time: timeMs("Traded at"),
      isBuyer: Type.Boolean({ description: "Whether the caller bought" }),
      maker: Type.Boolean({ description: "Whether the order was the maker" }),
    }),
  ),
});

export const V3_TRADE_ROUTES = [
  placeOrderRoute,
  orderRoute,
  cancelOrderRoute,
  cancelOrdersRoute,
  openOrdersRoute,
  cancelOpenOrdersRoute,
  allOrdersRoute,
  myTradesRoute,
] as const;
