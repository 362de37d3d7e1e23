/** Spot v3: places, tests, amends and cancels orders. */
import { v3AmendOrderRoute } from "../../api/additions/amend-order.ts";
import { v3CancelAllAfterRoute, v3CountdownsRoute } from "../../api/additions/dead-man-switch.ts";
import { v3TestOrderRoute } from "../../api/additions/order-test.ts";
import { ERRORS, errorMessage, refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import { IDENTIFIED_ORDER, placeOrdersRoute } from "../../api/socket-routes.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import {
  cancelOpenOrdersRoute,
  cancelOrderRoute,
  cancelOrdersRoute,
  placeOrderRoute,
} from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import type {
  CancelledSpotOrder,
  CommandOf,
  PlacedSpotOrder,
  Reply,
  SpotFillView,
} from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import {
  type BodyInput,
  type Endpoint,
  type EndpointRequest,
  type Exchange,
  endpoint,
  type Outcome,
} from "../endpoint.ts";
import { InputShape } from "../http/input-shape.ts";
import {
  amendedAnswer,
  failureMark,
  listCountdowns,
  NEW_ORDER_NAMES,
  ORDER_KEY_NAMES,
  placeBatch,
  readAmendment,
  readOrderKey,
  readOrderKeys,
  sentClientId,
  setCountdown,
} from "../order-calls.ts";
import type { Read } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";
import { earlierExecution } from "./order-lookup.ts";
import { progressAnswer } from "./order-progress.ts";

type NewOrder = BodyInput<typeof placeOrderRoute>;
type IdentifiedOrder = NewOrder & { readonly newClientOrderId: string };
type PlacedRow = AnswerOf<typeof placeOrdersRoute>[number];
type CancelledAnswer = AnswerOf<typeof cancelOrderRoute>;
type CancelBody = BodyInput<typeof cancelOrdersRoute>;
type CancelRow = AnswerOf<typeof cancelOrdersRoute>["orderList"][number];

const IDENTIFIED_SHAPE = new InputShape(IDENTIFIED_ORDER);

/** Without a client order id the order gets the id of the request. */
function requestedOrder(
  request: EndpointRequest<unknown, NewOrder>,
): Read<CommandOf<"place-spot-order">> {
  const { caller, body } = request;
  return orderCommand(caller.uid, body, body.newClientOrderId ?? requestIdOf(request));
}

/** A market order counts base asset on either side; its price has no effect. */
function orderCommand(
  uid: number,
  body: NewOrder,
  clientOrderId: string,
): Read<CommandOf<"place-spot-order">> {
  const market = body.type === "MARKET";
  const price = market ? "" : body.price;
  if (price === undefined)
    return refuse("missing-parameter", "price", "a LIMIT order needs a price");
  return accept({
    type: "place-spot-order",
    uid,
    symbol: body.symbol,
    side: body.side,
    orderType: body.type,
    timeInForce: market ? "IOC" : body.timeInForce,
    price,
    quantity: body.quantity,
    quantityUnit: "base",
    clientOrderId,
  });
}

export const placeOrder = endpoint(placeOrderRoute, (request, exchange) => {
  const command = requestedOrder(request);
  if (!command.ok) return command;
  const { newOrderRespType } = request.body;
  return newOrderRespType === "ACK"
    ? exchange.engine.execute(command.value).then(placedOutcome)
    : placeForResult(exchange, command.value, newOrderRespType === "FULL");
});

/** A repetition changes nothing, so what came of the first placement is looked up. */
async function placeForResult(
  exchange: Exchange,
  command: CommandOf<"place-spot-order">,
  withFills: boolean,
): Promise<Outcome<AnswerOf<typeof placeOrderRoute>>> {
  const { uid, symbol, clientOrderId } = command;
  const query = { type: "spot-execution", uid, symbol, clientOrderId } as const;
  const [placed, execution] = await exchange.engine.executeAndQuery(command, query);
  if (!placed.ok) return withWireNames(placed, NEW_ORDER_NAMES);
  const isRepeated =
    !execution.ok && "reason" in execution && execution.reason === "order-not-found";
  const known = isRepeated
    ? await earlierExecution(exchange, placed.value, uid, withFills)
    : execution;
  if (!known.ok) return known;
  const { fills, ...order } = known.value;
  return accept({
    ...placedAnswer(placed.value),
    ...progressAnswer(order),
    ...(withFills && { fills: fills.map(fillAnswer) }),
  });
}

function fillAnswer({ price, quantity, fee, feeAsset, tradeId }: SpotFillView) {
  return { price, qty: quantity, commission: fee, commissionAsset: feeAsset, tradeId };
}

function placedOutcome(placed: Reply<PlacedSpotOrder>): Outcome<AnswerOf<typeof placeOrderRoute>> {
  return placed.ok ? accept(placedAnswer(placed.value)) : withWireNames(placed, NEW_ORDER_NAMES);
}

function placedAnswer({ bookVersion, createdMs, ...order }: PlacedSpotOrder) {
  const { symbol, orderId, clientOrderId } = order;
  const lastUpdateId = bookVersion;
  return { symbol, orderId, clientOrderId, transactTime: createdMs, lastUpdateId };
}

/** Up to ten orders, each by itself. */
const placeOrders = endpoint(placeOrdersRoute, async ({ caller, body }, { engine }) => {
  const orders = body.orders as readonly JsonObject[];
  const read = orders.map((order): Read<CommandOf<"place-spot-order">> => {
    const fields = IDENTIFIED_SHAPE.readParams(order);
    if (!fields.ok) return fields;
    const sent = fields.value as unknown as IdentifiedOrder;
    return orderCommand(caller.uid, sent, sent.newClientOrderId);
  });
  const placed = await placeBatch(engine, read, () => false);
  if (!placed.ok) return placed;
  return accept(
    placed.value.map((outcome, index): PlacedRow => {
      if (outcome.ok) return placedAnswer(outcome.value);
      return {
        clientOrderId: sentClientId(orders[index], "newClientOrderId"),
        code: ERRORS[outcome.reason].v3.code,
        msg: errorMessage(withWireNames(outcome, NEW_ORDER_NAMES)),
      };
    }),
  );
});

const testOrder = endpoint(v3TestOrderRoute, async (request, { engine }) => {
  const order = requestedOrder(request);
  if (!order.ok) return order;
  const tested = await engine.query({ type: "spot-order-test", order: order.value });
  return tested.ok ? tested : withWireNames(tested, NEW_ORDER_NAMES);
});

const amendOrder = endpoint(v3AmendOrderRoute, async (request, { engine }) => {
  const { uid } = request.caller;
  const read = readAmendment(request.body);
  if (!read.ok) return read;
  const type = "amend-spot-order";
  const command = { type, uid, symbol: null, ...read.value } as const;
  const amended = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  if (!amended.ok) return withWireNames(amended, ORDER_KEY_NAMES);
  return accept({ orderId: amended.value.orderId, ...amendedAnswer(amended.value) });
});

export const cancelOrder = endpoint(cancelOrderRoute, ({ caller, query }, { engine }) => {
  const key = readOrderKey(query);
  if (!key.ok) return key;
  const { uid } = caller;
  const type = "cancel-spot-order";
  return engine.execute({ type, uid, symbol: null, ...key.value }).then(cancelledOutcome);
});

function cancelledOutcome(cancelled: Reply<CancelledSpotOrder>): Outcome<CancelledAnswer> {
  return cancelled.ok
    ? accept(cancelledAnswer(cancelled.value))
    : withWireNames(cancelled, ORDER_KEY_NAMES);
}

/** Up to ten orders, each by itself. */
export const cancelOrders = endpoint(cancelOrdersRoute, async ({ caller, body }, { engine }) => {
  const keys = readOrderKeys(body.orderIds, body.origClientOrderIds, {
    orderIds: "orderIds",
    clientOrderIds: "origClientOrderIds",
    missing: "send orderIds or origClientOrderIds",
  });
  if (!keys.ok) return keys;
  const { uid } = caller;
  const type = "cancel-spot-order";
  const replies = await engine.executeAll<typeof type>(
    keys.value.map((key) => ({ type, uid, symbol: null, ...key })),
  );
  const orderList: CancelRow[] = [];
  for (const [index, reply] of replies.entries()) {
    if (reply.ok) orderList.push(cancelledAnswer(reply.value));
    else if ("unavailable" in reply) return reply;
    else orderList.push(failedRow(body, index, failureMark(reply)));
  }
  return accept({ orderList });
});

function failedRow(body: CancelBody, index: number, errorMsg: string): CancelRow {
  const failure = { status: "FAILED" as const, errorMsg };
  const sent = body.orderIds?.[index];
  if (sent === undefined) {
    return { origClientOrderId: body.origClientOrderIds?.[index] ?? "", ...failure };
  }
  const orderId = Number(sent);
  return { orderId: Number.isSafeInteger(orderId) ? orderId : String(sent), ...failure };
}

function cancelledAnswer(order: CancelledSpotOrder): CancelledAnswer {
  return {
    orderId: order.orderId,
    origClientOrderId: order.clientOrderId,
    status: "CANCELED",
    lastUpdateId: order.bookVersion,
  };
}

export const cancelOpenOrders = endpoint(
  cancelOpenOrdersRoute,
  async ({ caller: { uid }, query: { symbol } }, { engine }) => {
    const cancelled = await engine.execute({ type: "cancel-all-spot-orders", uid, symbol });
    return cancelled.ok ? accept(cancelled.value.map(cancelledAnswer)) : cancelled;
  },
);

const cancelAllAfter = endpoint(v3CancelAllAfterRoute, (request, exchange) =>
  setCountdown("spot", request, exchange),
);

const countdowns = endpoint(v3CountdownsRoute, ({ caller }, exchange) =>
  listCountdowns("spot", caller, exchange),
);

export const ORDER_ENDPOINTS: readonly Endpoint[] = [
  placeOrder,
  testOrder,
  amendOrder,
  cancelOrder,
  cancelOrders,
  cancelOpenOrders,
  cancelAllAfter,
  countdowns,
];

/** They have no route of HTTP. */
export const SOCKET_ORDER_ENDPOINTS: readonly Endpoint[] = [placeOrders];
