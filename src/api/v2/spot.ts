/**
 * The v2 spot routes: place order, cancel order, account assets, ticker. Order of properties is
 * order of checks: of several missing or wrong parameters the first one is named.
 */
import Type from "typebox";
import { CLIENT_ORDER_ID_PATTERN, DECIMAL_PATTERN } from "../../domain/index.ts";
import { route } from "../route.ts";

const SYMBOL_LENGTH_MAX = 64;
const DECIMAL_LENGTH_MAX = 37;
/** A 64-bit integer has at most 19 digits. */
const ORDER_ID_PATTERN = "^\\d{1,19}$";

const symbol = Type.String({
  minLength: 1,
  maxLength: SYMBOL_LENGTH_MAX,
  description: "Trading pair: BTCUSDT or BTCUSDT_SPBL, in any case",
  examples: ["BTCUSDT_SPBL"],
});

const amount = (description: string) =>
  Type.String({ pattern: DECIMAL_PATTERN, maxLength: DECIMAL_LENGTH_MAX, description });

const answerAmount = (description: string) => Type.String({ description });
const longMs = (description: string) => Type.Integer({ description: `${description}, Unix ms` });

export const placeOrderRoute = route({
  id: "v2-place-order",
  family: "v2",
  method: "POST",
  path: "/api/v2/trade/orders",
  tag: "Spot v2",
  summary: "Place Order",
  description:
    "Idempotent by clientOrderId: the same id with the same payload answers the first order " +
    "again, with another payload it is refused.",
  access: { anyOf: ["spot"] },
  limit: { kind: "rate", perSecond: 10 },
  countsAsOrder: true,
  body: Type.Object({
    symbol,
    side: Type.String({
      pattern: "^([Bb][Uu][Yy]|[Ss][Ee][Ll][Ll])$",
      description: "buy or sell, in any case",
      examples: ["buy"],
      "x-refusal": "invalid-side",
    }),
    orderType: Type.Union([Type.Literal("limit"), Type.Literal("market")], {
      description: "limit or market",
      "x-refusal": "invalid-order-type",
    }),
    force: Type.Union(
      [Type.Literal("normal"), Type.Literal("postOnly"), Type.Literal("fok"), Type.Literal("ioc")],
      {
        description:
          "normal (good till cancelled), postOnly (maker only), fok (fill or kill), ioc " +
          "(immediate or cancel); has no effect on a market order",
        "x-refusal": "invalid-time-in-force",
      },
    ),
    price: Type.Optional(
      Type.String({
        pattern: DECIMAL_PATTERN,
        maxLength: DECIMAL_LENGTH_MAX,
        description: "Limit price; required when orderType is limit, ignored when it is market",
        "x-empty-is-absent": true,
      }),
    ),
    quantity: amount(
      "Order amount: base asset, but for a market buy the amount of quote asset to spend",
    ),
    clientOrderId: Type.String({
      pattern: CLIENT_ORDER_ID_PATTERN,
      description: "Caller-chosen order id, 1 to 40 characters",
      "x-refusal": "invalid-client-order-id",
    }),
  }),
  answer: Type.Object({
    orderId: Type.Integer({ description: "Order id" }),
    clientOrderId: Type.String({ description: "Caller-chosen order id" }),
  }),
});

const nullableText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

export const cancelOrderRoute = route({
  id: "v2-cancel-order",
  family: "v2",
  method: "POST",
  path: "/api/v2/trade/cancel-order",
  tag: "Spot v2",
  summary: "Cancel Order",
  description:
    "One of orderId and clientOid is required; orderId decides when both are sent. An order that " +
    "cannot be cancelled is answered with HTTP 200 and result false.",
  access: { anyOf: ["spot"] },
  limit: { kind: "weight", ip: 2, uid: 3 },
  body: Type.Object({
    symbol,
    orderId: Type.Optional(
      Type.Union(
        [
          Type.String({ pattern: ORDER_ID_PATTERN }),
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        ],
        { description: "Order id, as text; a number is accepted", "x-empty-is-absent": true },
      ),
    ),
    clientOid: Type.Optional(
      Type.String({
        pattern: CLIENT_ORDER_ID_PATTERN,
        description: "Caller-chosen order id",
        "x-refusal": "invalid-client-order-id",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({
    order_id: Type.String({
      description: "Order id; empty when the order was not found by clientOid",
    }),
    client_oid: nullableText("Caller-chosen order id"),
    symbol: Type.String({ description: "Trading pair, as the caller spelt it" }),
    result: Type.Boolean({ description: "Whether the order was cancelled" }),
    err_code: nullableText("Why not: a code of the table of errors"),
    err_msg: nullableText("Why not, in words"),
  }),
});

export const accountAssetsRoute = route({
  id: "v2-account-assets",
  family: "v2",
  method: "GET",
  path: "/api/v2/account/assets",
  tag: "Spot v2",
  summary: "Get Account Assets",
  access: { anyOf: ["read", "spot"] },
  limit: { kind: "rate", perSecond: 10 },
  answer: Type.Array(
    Type.Object({
      coinId: Type.Integer({ description: "Crypto id" }),
      coinName: Type.String({ description: "Name of the crypto" }),
      available: answerAmount("Available asset"),
      frozen: answerAmount("Frozen asset"),
      equity: answerAmount("Total asset"),
    }),
  ),
});

export const tickerRoute = route({
  id: "v2-ticker",
  family: "v2",
  method: "GET",
  path: "/api/v2/market/ticker",
  tag: "Spot v2",
  summary: "Get Single Ticker",
  description: "The rolling 24 hours up to the moment of the answer. No signature needed.",
  access: null,
  limit: { kind: "rate", perSecond: 20 },
  query: Type.Object({ symbol }),
  answer: Type.Object({
    symbol: Type.String({ description: "Trading pair, as the caller spelt it" }),
    priceChange: answerAmount("Price change"),
    priceChangePercent: answerAmount("Price change as a fraction of the opening price"),
    trades: Type.Integer({ description: "Trades in the window" }),
    size: answerAmount("Traded quantity, base asset"),
    value: answerAmount("Traded amount, quote asset"),
    high: answerAmount("Highest price"),
    low: answerAmount("Lowest price"),
    open: answerAmount("Opening price"),
    close: answerAmount("Closing price"),
    highTime: longMs("Time of the high"),
    lowTime: longMs("Time of the low"),
    startTime: longMs("Start of the window"),
    endTime: longMs("End of the window"),
    lastPrice: answerAmount("Last traded price"),
    markPrice: answerAmount("Mark price of the contract of this name, else 0"),
    indexPrice: answerAmount("Index price of the contract of this name, else 0"),
    openInterest: answerAmount("Open interest of the contract of this name, else 0"),
    ts: longMs("System time"),
  }),
});

export const V2_SPOT_ROUTES = [
  placeOrderRoute,
  cancelOrderRoute,
  accountAssetsRoute,
  tickerRoute,
] as const;
