/** Spot v3: places, tests, amends and cancels orders. */
import { v3AmendOrderRoute } from "../../api/additions/amend-order.ts";
import { v3CancelAllAfterRoute, v3CountdownsRoute } from "../../api/additions/dead-man-switch.ts";
import { v3TestOrderRoute } from "../../api/additions/order-test.ts";
import { refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import {
  cancelOpenOrdersRoute,
  cancelOrderRoute,
  cancelOrdersRoute,
  placeOrderRoute,
} from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import type { CancelledOrder, CommandOf, PlacedOrder, Reply } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import {
  type BodyInput,
  type Endpoint,
  type EndpointRequest,
  endpoint,
  type Outcome,
} from "../endpoint.ts";
import {
  amendedAnswer,
  failureMark,
  listCountdowns,
  NEW_ORDER_NAMES,
  ORDER_KEY_NAMES,
  readAmendment,
  readOrderKey,
  readOrderKeys,
  setCountdown,
} from "../order-calls.ts";
import type { Read } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";

type CancelledAnswer = AnswerOf<typeof cancelOrderRoute>;
type CancelBody = BodyInput<typeof cancelOrdersRoute>;
type CancelRow = AnswerOf<typeof cancelOrdersRoute>["orderList"][number];

/**
 * A market order counts base asset on either side; its price has no effect. Without a client order
 * id the order gets the id of the request.
 */
function orderCommand(
  request: EndpointRequest<unknown, BodyInput<typeof placeOrderRoute>>,
): Read<CommandOf<"place-spot-order">> {
  const { caller, body } = request;
  const market = body.type === "MARKET";
  const price = market ? "" : body.price;
  if (price === undefined)
    return refuse("missing-parameter", "price", "a LIMIT order needs a price");
  return accept({
    type: "place-spot-order",
    uid: caller.uid,
    symbol: body.symbol,
    side: body.side,
    orderType: body.type,
    timeInForce: market ? "IOC" : body.timeInForce,
    price,
    quantity: body.quantity,
    quantityUnit: "base",
    clientOrderId: body.newClientOrderId ?? requestIdOf(request),
  });
}

export const placeOrder = endpoint(placeOrderRoute, (request, { engine }) => {
  const command = orderCommand(request);
  return command.ok ? engine.execute(command.value).then(placedOutcome) : command;
});

function placedOutcome(placed: Reply<PlacedOrder>): Outcome<AnswerOf<typeof placeOrderRoute>> {
  if (!placed.ok) return withWireNames(placed, NEW_ORDER_NAMES);
  const { symbol, orderId, clientOrderId, createdMs } = placed.value;
  return accept({ symbol, orderId, clientOrderId, transactTime: createdMs });
}

const testOrder = endpoint(v3TestOrderRoute, async (request, { engine }) => {
  const order = orderCommand(request);
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

function cancelledOutcome(cancelled: Reply<CancelledOrder>): Outcome<CancelledAnswer> {
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

function cancelledAnswer(order: CancelledOrder): CancelledAnswer {
  return {
    orderId: order.orderId,
    origClientOrderId: order.clientOrderId,
    status: "CANCELED",
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
