/** Signed contract routes about a user's conditional orders. */
import Type from "typebox";
import {
  ALGO_ORDER_TYPES,
  ALGO_STATUSES,
  POSITION_SIDES,
  SIDES,
  TIMES_IN_FORCE,
  WORKING_TYPES,
} from "../../domain/index.ts";
import { route } from "../route.ts";
import {
  count,
  decimal,
  decimalInput,
  END_TIME,
  SIDE,
  START_TIME,
  SYMBOL,
  timeMs,
} from "../v3/fields.ts";
import {
  CLIENT_ID,
  idInBody,
  ORDER_ID_REQUIRED,
  OUTCOME,
  POSITION_SIDE,
  SL_WORKING_TYPE,
  SYMBOL_OPTIONAL,
  ALGO_TAG as TAG,
  TP_WORKING_TYPE,
  triggerInput,
  workingTypeInput,
} from "./fields.ts";
import { CANCELLED_ORDERS } from "./trade.ts";

export const placeAlgoOrderRoute = route("contract-place-algo-order", {
  tag: TAG,
  summary: "Place a conditional order",
  description:
    "Places a limit order at `price` (STOP, TAKE_PROFIT) or a market order when the last " +
    "trade price, or with workingType the mark price, reaches its trigger: STOP types buy when " +
    "the price rises and sell when it falls, TAKE_PROFIT types the opposite. A trailing stop " +
    "follows the best last price since activation at a distance of callbackRate percent. An " +
    "order whose condition is already met is rejected.",
  body: Type.Object({
    symbol: SYMBOL,
    side: SIDE,
    positionSide: POSITION_SIDE,
    type: Type.Enum(ALGO_ORDER_TYPES, {
      description: "What it does once it is triggered, and in which direction",
      "x-refusal": "invalid-order-type",
    }),
    quantity: decimalInput("Decimal text, in the base asset"),
    triggerPrice: Type.Optional(triggerInput("Needed but for a trailing stop")),
    price: Type.Optional(
      decimalInput("Limit price; needed for STOP and TAKE_PROFIT, ignored for the others"),
    ),
    workingType: Type.Optional(
      workingTypeInput("What its trigger looks at, but for a trailing stop"),
    ),
    clientAlgoId: CLIENT_ID,
    presetTakeProfitPrice: Type.Optional(
      triggerInput("Take-profit of the order that it places, at market price"),
    ),
    presetStopLossPrice: Type.Optional(
      triggerInput("Stop-loss of the order that it places, at market price"),
    ),
    TpWorkingType: Type.Optional(TP_WORKING_TYPE),
    SlWorkingType: Type.Optional(SL_WORKING_TYPE),
    callbackRate: Type.Optional(
      decimalInput("Percent, from 0.1 to 10; needed for a trailing stop, ignored for the others"),
    ),
    activationPrice: Type.Optional(
      triggerInput("A trailing stop is active from here on; without it at once"),
    ),
  }),
  answer: Type.Object({
    orderId: Type.String({ description: "Conditional order id" }),
    clientOrderId: Type.String({ description: "The clientAlgoId" }),
    ...OUTCOME,
  }),
});

export const cancelAlgoOrderRoute = route("contract-cancel-algo-order", {
  tag: TAG,
  summary: "Cancel a conditional order",
  description: "Only if it has not been triggered.",
  query: ORDER_ID_REQUIRED,
  answer: Type.Object({
    orderId: Type.String({ description: "Order id, as text" }),
    origClientOrderId: Type.String({ description: "The caller's own id" }),
    ...OUTCOME,
  }),
});

export const cancelAllAlgoOrdersRoute = route("contract-cancel-all-algo-orders", {
  tag: TAG,
  summary: "Cancel every conditional order of a market, or of all",
  description: "Orders placed by triggered ones stay.",
  query: SYMBOL_OPTIONAL,
  answer: CANCELLED_ORDERS,
});

const EXECUTE_PRICE = decimalInput('Limit price; "0" or absent: at market price');
const TRIGGER_PRICE_TYPE = workingTypeInput("What it looks at");

export const placeTpSlOrderRoute = route("contract-place-tp-sl-order", {
  tag: TAG,
  summary: "Place a take-profit or stop-loss for a position",
  description:
    "Closes all or part of the position when the trigger is reached. It is cancelled " +
    "when the position is closed.",
  body: Type.Object({
    symbol: SYMBOL,
    clientAlgoId: CLIENT_ID,
    planType: Type.Enum(["TAKE_PROFIT", "STOP_LOSS"], {
      description: "Whether the trigger is beyond the present price or before it",
    }),
    triggerPrice: triggerInput("Where it is triggered"),
    executePrice: Type.Optional(EXECUTE_PRICE),
    quantity: Type.Optional(
      decimalInput('Decimal text, in the base asset; "0" or absent: the whole position'),
    ),
    positionSide: POSITION_SIDE,
    triggerPriceType: Type.Optional(TRIGGER_PRICE_TYPE),
  }),
  answer: Type.Array(
    Type.Object({
      success: OUTCOME.success,
      orderId: Type.Integer({ description: "Conditional order id" }),
      errorCode: OUTCOME.errorCode,
      errorMessage: OUTCOME.errorMessage,
    }),
  ),
});

export const modifyTpSlOrderRoute = route("contract-modify-tp-sl-order", {
  tag: TAG,
  summary: "Change a take-profit or stop-loss that has not been triggered",
  description: "Trigger and limit price are replaced; the id stays.",
  body: Type.Object({
    orderId: idInBody("Conditional order id"),
    triggerPrice: triggerInput("Where it is triggered"),
    executePrice: Type.Optional(EXECUTE_PRICE),
    triggerPriceType: Type.Optional(
      Type.Enum(WORKING_TYPES, {
        description: "CONTRACT_PRICE (last trade) or MARK_PRICE; absent leaves it as it is",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({ success: Type.Literal(true, { description: "Success" }) }),
});

/** The fields of an ended conditional order in a list; an open one has seven more. */
function listedAlgoOrder<const Category extends string>(algoType: Category) {
  return {
    algoId: Type.Integer({ description: "Conditional order id" }),
    clientAlgoId: Type.String({ description: "The caller's own id" }),
    algoType: Type.Literal(algoType, {
      description: "CONDITIONAL in the list of open ones, PLAN in the history",
    }),
    orderType: Type.Enum(ALGO_ORDER_TYPES, {
      description: "What it does once it is triggered, and in which direction",
    }),
    symbol: Type.String({ description: "Trading pair" }),
    side: Type.Enum(SIDES, { description: "BUY or SELL" }),
    positionSide: Type.Enum(POSITION_SIDES, { description: "LONG or SHORT" }),
    timeInForce: Type.Enum(TIMES_IN_FORCE, { description: "Time in force of the child order" }),
    quantity: decimal('Requested quantity; "0" for the whole position'),
    algoStatus: Type.Enum(ALGO_STATUSES, {
      description:
        "NEW: waits for its parent's first fill; UNTRIGGERED: waits for the trigger price",
    }),
    actualOrderId: Type.Union([Type.Integer(), Type.Null()], {
      description: "The child order",
    }),
    actualPrice: decimal('Average fill price of the child order; "0" until it ends'),
    triggerPrice: decimal(
      'Trigger price; for a trailing stop its current level, "0" before activation',
    ),
    price: decimal('Limit price; "0" for market types'),
    workingType: Type.Enum(WORKING_TYPES, {
      description: "Price it watches: last trade (CONTRACT_PRICE) or mark price",
    }),
    createTime: timeMs("Placed at"),
    updateTime: timeMs("Last changed at"),
    triggerTime: timeMs("Triggered at; 0 if not triggered"),
  };
}

export const openAlgoOrdersRoute = route("contract-open-algo-orders", {
  tag: TAG,
  summary: "Open conditional orders, newest first",
  description: "For one contract or all. Triggered and ended ones are in allAlgoOrders.",
  query: Type.Object({
    symbol: Type.Optional(SYMBOL),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    page: Type.Optional(count(1, Number.MAX_SAFE_INTEGER, "Page, counted from 1", 1)),
    limit: Type.Optional(count(1, 100, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      ...listedAlgoOrder("CONDITIONAL"),
      tpTriggerPrice: Type.String({
        description: 'Trigger of the preset take-profit; "" if none',
      }),
      tpPrice: Type.String({ description: '"0" for market price; "" if none' }),
      slTriggerPrice: Type.String({
        description: 'Trigger of the preset stop-loss; "" if none',
      }),
      slPrice: Type.String({ description: '"0" for market price; "" if none' }),
      tpOrderType: Type.Enum([...WORKING_TYPES, ""], {
        description: 'Price the preset take-profit watches; "" if none',
      }),
      closePosition: Type.Boolean({ description: "Whether it closes the whole position" }),
      reduceOnly: Type.Boolean({ description: "Whether it closes" }),
    }),
  ),
});

export const algoOrderHistoryRoute = route("contract-all-algo-orders", {
  tag: TAG,
  summary: "Conditional orders that were triggered or ended, newest first",
  description: "The time range covers at most 90 days; use endTime to go further back.",
  query: Type.Object({
    symbol: Type.Optional(SYMBOL),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Rows at most", 500)),
  }),
  answer: Type.Object({
    orders: Type.Array(Type.Object(listedAlgoOrder("PLAN")), { description: "Newest first" }),
    hasMore: Type.Boolean({ description: "More rows follow" }),
  }),
});

export const CONTRACT_ALGO_ROUTES = [
  placeAlgoOrderRoute,
  cancelAlgoOrderRoute,
  cancelAllAlgoOrdersRoute,
  placeTpSlOrderRoute,
  modifyTpSlOrderRoute,
  openAlgoOrdersRoute,
  algoOrderHistoryRoute,
] as const;
