/** POST /api/v2/trade/batch-orders: places up to fifty orders of one market, each by itself. */
import { ERRORS, errorMessage, type Refusal, refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import { NEW_ORDER, placeOrdersRoute } from "../../api/v2/trade.ts";
import { type Accepted, accept, CLIENT_ORDER_ID_LENGTH_MAX } from "../../domain/index.ts";
import type { CommandOf, PlacedOrder, Reply } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { InputShape } from "../http/input-shape.ts";
import { readSymbol } from "../spot/parameters-v2.ts";
import { orderCommand } from "./order-command.ts";

type Row = AnswerOf<typeof placeOrdersRoute>["resultList"][number];
type OrderCommand = CommandOf<"place-spot-order">;

const NEW_ORDER_SHAPE = new InputShape(NEW_ORDER);

export const placeOrders = endpoint(placeOrdersRoute, async ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const orders = body.orderList as readonly JsonObject[];
  const read = orders.map((order) => readOrder(caller.uid, symbol.value, order));
  const commands = read.flatMap((order) => (order.ok ? [order.value] : []));
  const replies = await engine.executeAll<"place-spot-order">(commands);
  const [first] = replies;
  if (first !== undefined && !first.ok && replies.every(concernsRequest)) return first;
  const resultList: Row[] = [];
  let answered = 0;
  for (const [index, order] of read.entries()) {
    const outcome = order.ok ? replies[answered++] : order;
    if (outcome !== undefined) resultList.push(toRow(orders[index], outcome));
  }
  return accept({ resultList });
});

function readOrder(
  uid: number,
  symbol: string,
  order: JsonObject,
): Accepted<OrderCommand> | Refusal {
  const read = NEW_ORDER_SHAPE.readBody(order);
  return read.ok ? orderCommand(uid, symbol, read.value as never) : read;
}

/** No order entered, and not for a reason of its own. */
function concernsRequest(reply: Reply<PlacedOrder>): boolean {
  return !reply.ok && ("unavailable" in reply || reply.reason === "unknown-symbol");
}

function toRow(order: JsonObject | undefined, outcome: Reply<PlacedOrder> | Refusal): Row {
  if ("value" in outcome) {
    const { orderId, clientOrderId } = outcome.value;
    return { orderId, clientOrderId, err_code: null, err_msg: null };
  }
  const refusal = "unavailable" in outcome ? refuse(outcome.unavailable) : outcome;
  const sent = order?.clientOrderId;
  return {
    orderId: null,
    clientOrderId: typeof sent === "string" ? sent.slice(0, CLIENT_ORDER_ID_LENGTH_MAX) : "",
    err_code: ERRORS[refusal.reason].v2.code,
    err_msg: errorMessage(refusal),
  };
}
