/** Signed v3 routes about a user's spot orders and fills. */
import Type from "typebox";
import { ORDER_STATUSES, ORDER_TYPES, TIMES_IN_FORCE } from "../../domain/index.ts";
import type { Access } from "../route.ts";
import { route } from "../route.ts";
import { SPOT_READ } from "./account.ts";
import {
  CLIENT_ORDER_ID,
  count,
  decimal,
  decimalInput,
  END_TIME,
  ID_IN_BODY,
  ORDER_ID_TEXT,
  ORDER_KEY,
  SIDE,
  START_TIME,
  SYMBOL,
  timeMs,
} from "./fields.ts";

const SPOT_WRITE: Access = { anyOf: ["spot"] };
const TAG = "Spot v3: trading";

/** What a new order is sent with, also where it is only tested. */
export const NEW_ORDER = Type.Object({
  symbol: SYMBOL,
  side: SIDE,
  type: Type.Enum(ORDER_TYPES, { "x-refusal": "invalid-order-type" }),
  timeInForce: Type.Optional(
    Type.Enum(TIMES_IN_FORCE, {
      description: "Default GTC; without effect on a market order, which is IOC",
      "x-refusal": "invalid-time-in-force",
      "x-empty-is-absent": true,
    }),
  ),
  quantity: decimalInput("Decimal text, in the base asset, also for a market buy"),
  price: Type.Optional(decimalInput("Decimal text; needed for LIMIT, ignored for MARKET")),
  newClientOrderId: Type.Optional(CLIENT_ORDER_ID),
});

export const placeOrderRoute = route({
  id: "v3-place-order",
  family: "v3",
  method: "POST",
  path: "/api/v3/order",
  tag: TAG,
  summary: "Place an order",
  description:
    "Repeating an order with the same newClientOrderId and the same content answers with the " +
    "first order again, so a retry after a lost answer is safe.",
  access: SPOT_WRITE,
  limit: { kind: "weight", ip: 2, uid: 5 },
  countsAsOrder: true,
  body: NEW_ORDER,
  answer: Type.Object({
    symbol: Type.String(),
    orderId: Type.Integer(),
    clientOrderId: Type.String(),
    transactTime: timeMs("Placed at"),
  }),
});

const ORDER = Type.Object({
  symbol: Type.String(),
  orderId: Type.Integer(),
  clientOrderId: Type.String(),
  price: decimal('"0" for a market order'),
  origQty: decimal("Quantity asked for"),
  executedQty: decimal("Quantity filled"),
  cummulativeQuoteQty: decimal("Quote asset of the fills"),
  status: Type.Enum(ORDER_STATUSES, { description: "NEW is open, also when partly filled" }),
  timeInForce: Type.Enum(TIMES_IN_FORCE),
  type: Type.Enum(ORDER_TYPES),
  side: SIDE,
  time: timeMs("Placed at"),
  updateTime: timeMs("Last changed at"),
  isWorking: Type.Boolean({ description: "It rests in the book" }),
});

export const orderRoute = route({
  id: "v3-order",
  family: "v3",
  method: "GET",
  path: "/api/v3/order",
  tag: TAG,
  summary: "One order, open or ended",
  access: SPOT_READ,
  limit: { kind: "weight", ip: 2, uid: 2 },
  query: ORDER_KEY,
  answer: ORDER,
});

const CANCELLED_ORDER = Type.Object({
  orderId: Type.Integer(),
  origClientOrderId: Type.String(),
  status: Type.Literal("CANCELED"),
});

export const cancelOrderRoute = route({
  id: "v3-cancel-order",
  family: "v3",
  method: "DELETE",
  path: "/api/v3/order",
  tag: TAG,
  summary: "Cancel an order",
  access: SPOT_WRITE,
  limit: { kind: "weight", ip: 1, uid: 1 },
  query: ORDER_KEY,
  answer: CANCELLED_ORDER,
});

const CANCEL_BATCH_MAX = 10;

export const cancelOrdersRoute = route({
  id: "v3-cancel-orders",
  family: "v3",
  method: "DELETE",
  path: "/api/v3/order/batch",
  tag: TAG,
  summary: "Cancel up to ten orders",
  description:
    "Every order is cancelled or refused by itself; the answer is in the order of the request. " +
    "The JSON body is part of the signed text.",
  access: SPOT_WRITE,
  limit: { kind: "weight", ip: 5, uid: 10 },
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
            description: "A number; text where the request had an id above 2^53",
          }),
        ),
        origClientOrderId: Type.Optional(Type.String()),
        status: Type.Enum(["CANCELED", "FAILED"]),
        errorMsg: Type.Optional(Type.String({ description: "Only when it failed" })),
      }),
    ),
  }),
});

export const openOrdersRoute = route({
  id: "v3-open-orders",
  family: "v3",
  method: "GET",
  path: "/api/v3/openOrders",
  tag: TAG,
  summary: "Open orders, newest first",
  access: SPOT_READ,
  limit: { kind: "weight", ip: 3, uid: 3 },
  query: Type.Object({ symbol: Type.Optional(SYMBOL) }),
  answer: Type.Array(ORDER),
});

export const cancelOpenOrdersRoute = route({
  id: "v3-cancel-open-orders",
  family: "v3",
  method: "DELETE",
  path: "/api/v3/openOrders",
  tag: TAG,
  summary: "Cancel every open order of a market",
  access: SPOT_WRITE,
  limit: { kind: "weight", ip: 1, uid: 1 },
  query: Type.Object({ symbol: SYMBOL }),
  answer: Type.Array(CANCELLED_ORDER),
});

export const allOrdersRoute = route({
  id: "v3-all-orders",
  family: "v3",
  method: "GET",
  path: "/api/v3/allOrders",
  tag: TAG,
  summary: "Open and ended orders of a market, newest first",
  access: SPOT_READ,
  limit: { kind: "weight", ip: 10, uid: 10 },
  query: Type.Object({
    symbol: SYMBOL,
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Default 100")),
    page: Type.Optional(count(1, 100_000, "Default 1")),
  }),
  answer: Type.Array(ORDER),
});

export const myTradesRoute = route({
  id: "v3-my-trades",
  family: "v3",
  method: "GET",
  path: "/api/v3/myTrades",
  tag: TAG,
  summary: "The caller's fills in a market, newest first",
  access: SPOT_READ,
  limit: { kind: "weight", ip: 5, uid: 5 },
  query: Type.Object({
    symbol: SYMBOL,
    orderId: Type.Optional(ORDER_ID_TEXT),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Default 100")),
  }),
  answer: Type.Array(
    Type.Object({
      symbol: Type.String(),
      id: Type.Integer({ description: "Trade id" }),
      orderId: Type.Integer(),
      price: decimal("Price"),
      qty: decimal("Quantity in the base asset"),
      quoteQty: decimal("Price × quantity"),
      commission: decimal("Fee"),
      commissionAsset: Type.String({
        description: "The asset received, which the fee is taken from",
      }),
      time: timeMs("Traded at"),
      isBuyer: Type.Boolean(),
      maker: Type.Boolean({ description: "The order rested in the book" }),
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
