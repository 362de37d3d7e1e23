/** Spot v2: places, tests, amends and cancels orders. */
import type { Static } from "typebox";
import { v2AmendOrderRoute } from "../../api/additions/amend-order.ts";
import { v2TestOrderRoute } from "../../api/additions/order-test.ts";
import { ERRORS, errorMessage, refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import {
  CANCEL_BATCH_MAX,
  cancelOrderRoute,
  cancelOrdersRoute,
  cancelSymbolOrdersRoute,
  NEW_ORDER,
  placeOrderRoute,
  placeOrdersRoute,
} from "../../api/v2/trade.ts";
import { accept, type Rejection, reject, type TimeInForce } from "../../domain/index.ts";
import type { CancelledOrder, CommandOf, PlacedOrder } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type BodyInput, type Endpoint, endpoint, type Outcome } from "../endpoint.ts";
import { InputShape } from "../http/input-shape.ts";
import { failureMark, placeBatch, readOrderKeys, readTerms, sentClientId } from "../order-calls.ts";
import type { Read } from "../parameters.ts";
import { STATUSES } from "./order-reads-v2.ts";
import { readOrderKey, readSymbol } from "./parameters-v2.ts";

type PlacedRow = AnswerOf<typeof placeOrdersRoute>["resultList"][number];
type CancelResult = AnswerOf<typeof cancelOrderRoute>;
type CancelBody = BodyInput<typeof cancelOrdersRoute>;
type CancelFailure = AnswerOf<typeof cancelOrdersRoute>["failureList"][number];

const NEW_ORDER_SHAPE = new InputShape(NEW_ORDER);

const TIME_IN_FORCE: ReadonlyMap<string, TimeInForce> = new Map([
  ["normal", "GTC"],
  ["postOnly", "POST_ONLY"],
  ["fok", "FOK"],
  ["ioc", "IOC"],
]);

/** A market order's price and time in force have no effect. */
function orderCommand(
  uid: number,
  symbol: string,
  order: Static<typeof NEW_ORDER>,
): Read<CommandOf<"place-spot-order">> {
  const isMarket = order.orderType.toLowerCase() === "market";
  const timeInForce = isMarket ? "IOC" : TIME_IN_FORCE.get(order.force);
  if (timeInForce === undefined) {
    const known = [...TIME_IN_FORCE.keys()].join(", ");
    return refuse("invalid-time-in-force", "force", `one of ${known}`);
  }
  if (!isMarket && order.price === undefined) {
    return refuse("missing-parameter", "price", "a limit order needs it");
  }
  const side = order.side.toUpperCase() === "BUY" ? "BUY" : "SELL";
  return accept({
    type: "place-spot-order",
    uid,
    symbol,
    side,
    orderType: isMarket ? "MARKET" : "LIMIT",
    timeInForce,
    price: isMarket ? "" : (order.price ?? ""),
    quantity: order.quantity,
    quantityUnit: isMarket && side === "BUY" ? "quote" : "base",
    clientOrderId: order.clientOrderId,
  });
}

const placeOrder = endpoint(
  placeOrderRoute,
  ({ caller, body }, { engine }) => {
    const symbol = readSymbol(body.symbol);
    if (!symbol.ok) return symbol;
    const command = orderCommand(caller.uid, symbol.value, body);
    return command.ok ? engine.execute(command.value) : command;
  },
  // The alphabet of client order ids needs no escaping, and this is the hottest answer of all.
  ({ orderId, clientOrderId }) => `{"orderId":${orderId},"clientOrderId":"${clientOrderId}"}`,
);

/** Up to fifty orders of one market, each by itself. */
export const placeOrders = endpoint(placeOrdersRoute, async ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const orders = body.orderList as readonly JsonObject[];
  const read = orders.map((order): Read<CommandOf<"place-spot-order">> => {
    const fields = NEW_ORDER_SHAPE.readBody(order);
    return fields.ok ? orderCommand(caller.uid, symbol.value, fields.value as never) : fields;
  });
  const placed = await placeBatch(engine, read, (reason) => reason === "unknown-symbol");
  if (!placed.ok) return placed;
  const resultList = placed.value.map((outcome, index) => toPlacedRow(orders[index], outcome));
  return accept({ resultList });
});

function toPlacedRow(order: JsonObject | undefined, outcome: Read<PlacedOrder>): PlacedRow {
  if (outcome.ok) {
    const { orderId, clientOrderId } = outcome.value;
    return { orderId, clientOrderId, err_code: null, err_msg: null };
  }
  return {
    orderId: null,
    clientOrderId: sentClientId(order, "clientOrderId"),
    err_code: ERRORS[outcome.reason].v2.code,
    err_msg: errorMessage(outcome),
  };
}

const testOrder = endpoint(v2TestOrderRoute, async ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const order = orderCommand(caller.uid, symbol.value, body);
  return order.ok ? engine.query({ type: "spot-order-test", order: order.value }) : order;
});

const amendOrder = endpoint(v2AmendOrderRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const { uid } = caller;
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const key = readOrderKey(body.orderId, body.clientOrderId);
  if (!key.ok) return key;
  const terms = readTerms(body);
  if (!terms.ok) return terms;
  const type = "amend-spot-order";
  const command = { type, uid, symbol: symbol.value, ...key.value, ...terms.value } as const;
  const amended = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  if (!amended.ok) return amended;
  const order = amended.value;
  return accept({
    orderId: String(order.orderId),
    clientOrderId: order.clientOrderId,
    symbol: body.symbol,
    price: order.price,
    quantity: order.quantity,
    fillQuantity: order.filledQuantity,
    status: STATUSES[order.status],
    keptPriority: order.keptPriority,
    uTime: String(order.updatedMs),
  });
});

const cancelOrder = endpoint(cancelOrderRoute, ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const { orderId, clientOid } = body;
  if (orderId === undefined && clientOid === undefined) {
    return refuse("missing-order-id", "orderId", "or clientOid");
  }
  const orderIdText = orderId === undefined ? "" : String(orderId);
  const clientOrderId = clientOid ?? null;
  const orderIdNumber = orderId === undefined ? null : Number(orderId);
  if (orderIdNumber !== null && !Number.isSafeInteger(orderIdNumber)) {
    // We issue no such id, but it is a well-formed 64-bit integer: an order that does not exist.
    return accept(notCancelled(body.symbol, orderIdText, clientOrderId, reject("order-not-found")));
  }
  const command = {
    type: "cancel-spot-order",
    uid: caller.uid,
    symbol: symbol.value,
    orderId: orderIdNumber,
    clientOrderId: orderIdNumber === null ? clientOrderId : null,
  } as const;
  return engine.execute(command).then((reply): Outcome<CancelResult> => {
    if (reply.ok) return accept(cancelled(body.symbol, reply.value));
    if ("unavailable" in reply || !concernsOrder(reply)) return reply;
    return accept(notCancelled(body.symbol, orderIdText, clientOrderId, reply));
  });
});

/** The answer says so. Any other reason refuses the request. */
function concernsOrder({ reason }: Rejection): boolean {
  return reason === "order-not-found" || reason === "market-halted";
}

function cancelled(symbol: string, order: CancelledOrder): CancelResult {
  return {
    order_id: String(order.orderId),
    client_oid: order.clientOrderId,
    symbol,
    result: true,
    err_code: null,
    err_msg: null,
  };
}

function notCancelled(
  symbol: string,
  orderId: string,
  clientOrderId: string | null,
  rejection: Rejection,
): CancelResult {
  const message = errorMessage(rejection);
  return {
    order_id: orderId,
    client_oid: clientOrderId,
    symbol,
    result: false,
    err_code: ERRORS[rejection.reason].v2.code,
    err_msg:
      rejection.reason === "order-not-found" ? `${failureMark(rejection)}: ${message}` : message,
  };
}

/** Up to fifty orders, each by itself. */
export const cancelOrders = endpoint(cancelOrdersRoute, async ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const keys = readOrderKeys(body.orderIds, body.clientOids, {
    orderIds: "orderIds",
    clientOrderIds: "clientOids",
    missing: "or clientOids",
  });
  if (!keys.ok) return keys;
  if (keys.value.length > CANCEL_BATCH_MAX) {
    return refuse("too-many-cancels", keys.value[0]?.orderId === null ? "clientOids" : "orderIds");
  }
  const { uid } = caller;
  const type = "cancel-spot-order";
  const replies = await engine.executeAll<typeof type>(
    keys.value.map((key) => ({ type, uid, symbol: symbol.value, ...key })),
  );
  const successList: string[] = [];
  const failureList: CancelFailure[] = [];
  for (const [index, reply] of replies.entries()) {
    if (reply.ok) successList.push(String(reply.value.orderId));
    else if ("unavailable" in reply || !concernsOrder(reply)) return reply;
    else failureList.push(toFailure(body, index, failureMark(reply)));
  }
  return accept({ successList, failureList });
});

function toFailure(body: CancelBody, index: number, errMsg: string): CancelFailure {
  const orderId = body.orderIds?.[index];
  if (orderId !== undefined) return { orderId: String(orderId), errMsg };
  return { orderId: "", clientOid: body.clientOids?.[index] ?? "", errMsg };
}

export const cancelSymbolOrders = endpoint(
  cancelSymbolOrdersRoute,
  async ({ caller, body }, { engine }) => {
    const symbol = readSymbol(body.symbol);
    if (!symbol.ok) return symbol;
    const type = "cancel-all-spot-orders";
    const cancelled = await engine.execute({ type, uid: caller.uid, symbol: symbol.value });
    if (!cancelled.ok) return cancelled;
    const successList = cancelled.value.map(({ orderId }) => String(orderId));
    return accept({ successList, failureList: [] });
  },
);

export const V2_ORDER_ENDPOINTS: readonly Endpoint[] = [
  placeOrder,
  placeOrders,
  testOrder,
  amendOrder,
  cancelOrder,
  cancelOrders,
  cancelSymbolOrders,
];
