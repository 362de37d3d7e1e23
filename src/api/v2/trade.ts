/**
 * Signed v2 routes about a user's orders and fills. Properties are checked in their order: of
 * several missing or wrong parameters the first one is named.
 */
import Type from "typebox";
import { route } from "../route.ts";
import {
  AFTER,
  ANSWERED_SYMBOL,
  amount,
  amountInput,
  BEFORE,
  CLIENT_ORDER_ID,
  NEW_CLIENT_ORDER_ID,
  nullableText,
  ORDER_ID,
  ORDER_ID_ITEM,
  optionalAmountInput,
  PAGE_FROM_ZERO,
  rowsInBody,
  SYMBOL,
  TRADE_TAG as TAG,
  textMs,
} from "./fields.ts";

/** An order without its market; a batch contains several of these. */
export const NEW_ORDER = Type.Object({
  side: Type.String({
    pattern: "^([Bb][Uu][Yy]|[Ss][Ee][Ll][Ll])$",
    description: "buy or sell, in any case",
    examples: ["buy"],
    "x-refusal": "invalid-side",
  }),
  orderType: Type.String({
    pattern: "^([Ll][Ii][Mm][Ii][Tt]|[Mm][Aa][Rr][Kk][Ee][Tt])$",
    description: "limit or market, in any case",
    examples: ["limit"],
    "x-refusal": "invalid-order-type",
  }),
  force: Type.String({
    maxLength: 40,
    description:
      "normal (good till cancelled), postOnly (maker only), fok (fill or kill), ioc " +
      "(immediate or cancel); has no effect on a market order",
    examples: ["normal"],
    "x-refusal": "invalid-time-in-force",
  }),
  price: Type.Optional(
    optionalAmountInput("Limit price; required when orderType is limit, ignored when it is market"),
  ),
  quantity: amountInput(
    "Order amount: base asset, but for a market buy the amount of quote asset to spend",
  ),
  clientOrderId: NEW_CLIENT_ORDER_ID,
});

export const placeOrderRoute = route("v2-place-order", {
  tag: TAG,
  summary: "Place Order",
  description:
    "Idempotent by clientOrderId: the same id with the same payload returns the first " +
    "order, with another payload it is rejected.",
  body: Type.Object({ symbol: SYMBOL, ...NEW_ORDER.properties }),
  answer: Type.Object({
    orderId: Type.Integer({ description: "Order id" }),
    clientOrderId: Type.String({ description: "Caller-chosen order id" }),
  }),
});

const PLACE_BATCH_MAX = 50;

export const placeOrdersRoute = route("v2-place-orders", {
  tag: TAG,
  summary: "Batch Place Orders",
  description:
    "Up to fifty orders in one market. Each order is accepted or rejected on its own; " +
    "results are in request order.",
  body: Type.Object({
    symbol: SYMBOL,
    orderList: Type.Array(Type.Object({}), {
      "x-items": NEW_ORDER,
      minItems: 1,
      maxItems: PLACE_BATCH_MAX,
      description: "One to fifty orders, each as in POST /api/v2/trade/orders without symbol",
      "x-refusal": "parameter-out-of-range",
    }),
  }),
  answer: Type.Object({
    resultList: Type.Array(
      Type.Object({
        orderId: Type.Union([Type.Integer(), Type.Null()], {
          description: "Order id; null if the order was rejected",
        }),
        clientOrderId: Type.String({ description: "Caller-chosen order id" }),
        err_code: nullableText("Error code"),
        err_msg: nullableText("Error message"),
      }),
      { description: "In request order" },
    ),
  }),
});

export const cancelOrderRoute = route("v2-cancel-order", {
  tag: TAG,
  summary: "Cancel Order",
  description:
    "orderId or clientOid is required; orderId takes precedence. If the order cannot be " +
    "cancelled, the response is HTTP 200 with result false.",
  body: Type.Object({
    symbol: SYMBOL,
    orderId: Type.Optional(ORDER_ID),
    clientOid: Type.Optional(CLIENT_ORDER_ID),
  }),
  answer: Type.Object({
    order_id: Type.String({
      description: "Order id; empty if no order was found by clientOid",
    }),
    client_oid: nullableText("Caller-chosen order id"),
    symbol: ANSWERED_SYMBOL,
    result: Type.Boolean({ description: "Whether the order was cancelled" }),
    err_code: nullableText("Error code"),
    err_msg: nullableText("Error message"),
  }),
});

export const CANCEL_BATCH_MAX = 50;

const CANCELLED = Type.Object({
  successList: Type.Array(Type.String(), { description: "Ids of the cancelled orders" }),
  failureList: Type.Array(
    Type.Object({
      orderId: Type.String({ description: "As sent; empty if only clientOids was sent" }),
      clientOid: Type.Optional(Type.String({ description: "As sent" })),
      errMsg: Type.String({ description: "FAILED_ and the reason: FAILED_ORDER_NOT_FOUND" }),
    }),
    { description: "Orders that could not be cancelled, and why" },
  ),
});

export const cancelOrdersRoute = route("v2-cancel-orders", {
  tag: TAG,
  summary: "Batch Cancel Orders",
  description:
    `Up to ${CANCEL_BATCH_MAX} orders of one market. Each order is cancelled or rejected ` +
    "on its own. orderIds or clientOids is required.",
  body: Type.Object({
    symbol: SYMBOL,
    orderIds: Type.Optional(
      Type.Array(ORDER_ID_ITEM, {
        "x-max-items": CANCEL_BATCH_MAX,
        description: `Up to ${CANCEL_BATCH_MAX} order ids`,
        "x-empty-is-absent": true,
      }),
    ),
    clientOids: Type.Optional(
      Type.Array(NEW_CLIENT_ORDER_ID, {
        "x-max-items": CANCEL_BATCH_MAX,
        description: `Instead of orderIds, up to ${CANCEL_BATCH_MAX} caller-chosen order ids`,
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: CANCELLED,
});

export const cancelSymbolOrdersRoute = route("v2-cancel-symbol-orders", {
  tag: TAG,
  summary: "Cancel Order by Symbol",
  description: "Cancels every open order of a market.",
  body: Type.Object({ symbol: SYMBOL }),
  answer: CANCELLED,
});

const ORDER = Type.Object({
  accountId: Type.String({ description: "The user" }),
  symbol: Type.String({ description: "As sent by the caller, otherwise e.g. BTCUSDT_SPBL" }),
  orderId: Type.String({ description: "Order id, as text" }),
  clientOrderId: Type.String({ description: "The caller's own id" }),
  price: amount('"0" for a market order'),
  quantity: amount("As sent; for a market buy by amount, in the quote asset"),
  orderType: Type.Enum(["limit", "market"], { description: "limit or market" }),
  side: Type.Enum(["buy", "sell"], { description: "buy or sell" }),
  status: Type.Enum(["open", "filled", "canceled"], {
    description: "open and canceled orders may be partly filled",
  }),
  latestFillPrice: amount('Price of the latest fill; "0" without fills'),
  maxFillPrice: amount('Highest fill price; "0" without fills'),
  minFillPrice: amount('Lowest fill price; "0" without fills'),
  fillQuantity: amount("Quantity filled, base asset"),
  fillTotalAmount: amount("Value of the fills, quote asset"),
  cTime: textMs("Placed at"),
  uTime: textMs("Last changed at"),
});

export const orderRoute = route("v2-order", {
  tag: TAG,
  summary: "Get Order Details",
  description:
    "One order, open or ended, in a list. orderId or clientOrderId is required; orderId " +
    "takes precedence.",
  body: Type.Object({
    orderId: Type.Optional(ORDER_ID),
    clientOrderId: Type.Optional(CLIENT_ORDER_ID),
  }),
  answer: Type.Array(ORDER),
});

const NEXT_PAGE = Type.Boolean({ description: "More rows follow this page" });
const UNCOUNTED = Type.Null({ description: "Always null: history rows are not counted" });

export const openOrdersRoute = route("v2-open-orders", {
  tag: TAG,
  summary: "Get Open Orders",
  description: "Open orders of a market, newest first.",
  body: Type.Object({
    symbol: SYMBOL,
    limit: Type.Optional(rowsInBody(100)),
    pageNo: Type.Optional(PAGE_FROM_ZERO),
  }),
  answer: Type.Object({
    orderInfoResultList: Type.Array(ORDER, { description: "Rows of this page" }),
    nextPage: NEXT_PAGE,
    totals: Type.Integer({ description: "Open orders of the market" }),
  }),
});

export const orderHistoryRoute = route("v2-order-history", {
  tag: TAG,
  summary: "Get History Orders",
  description:
    "Open and ended orders of a market by placement time, newest first. Paging reaches " +
    "100,000 orders back; use before to go further.",
  body: Type.Object({
    symbol: SYMBOL,
    after: Type.Optional(AFTER),
    before: Type.Optional(BEFORE),
    pageIndex: Type.Optional(PAGE_FROM_ZERO),
    pageSize: Type.Optional(rowsInBody(10)),
  }),
  answer: Type.Object({
    orderInfoResultList: Type.Array(ORDER, { description: "Rows of this page" }),
    nextPage: NEXT_PAGE,
    totals: UNCOUNTED,
  }),
});

export const fillsRoute = route("v2-fills", {
  tag: TAG,
  summary: "Get Fills",
  description:
    "The caller's fills in a market, newest first. Paging reaches 100,000 fills back; " +
    "use before to go further.",
  body: Type.Object({
    symbol: SYMBOL,
    orderId: Type.Optional(ORDER_ID),
    after: Type.Optional(AFTER),
    before: Type.Optional(BEFORE),
    pageIndex: Type.Optional(PAGE_FROM_ZERO),
    pageSize: Type.Optional(rowsInBody(10)),
  }),
  answer: Type.Object({
    fillsOrderResultList: Type.Array(
      Type.Object({
        accountId: Type.String({ description: "The user" }),
        symbol: ANSWERED_SYMBOL,
        baseCoin: Type.String({ description: "The base asset" }),
        quoteCoin: Type.String({ description: "The quote asset" }),
        orderId: Type.String({ description: "Order id, as text" }),
        fillId: Type.String({ description: "Trade id" }),
        orderType: Type.Literal("", { description: "Always empty; see orderInfo" }),
        side: Type.Enum(["buy", "sell"], { description: "buy or sell" }),
        fillPrice: amount("Price"),
        fillQuantity: amount("Quantity, base asset"),
        fillTotalAmount: amount("Price × quantity"),
        fees: amount("Fee in the asset received: base for a buy, quote for a sell"),
        cTime: textMs("Traded at"),
      }),
      { description: "Rows of this page" },
    ),
    nextPage: NEXT_PAGE,
    totals: UNCOUNTED,
  }),
});

export const V2_TRADE_ROUTES = [
  placeOrderRoute,
  placeOrdersRoute,
  cancelOrderRoute,
  cancelOrdersRoute,
  cancelSymbolOrdersRoute,
  orderRoute,
  openOrdersRoute,
  orderHistoryRoute,
  fillsRoute,
] as const;
