/** POST /api/v2/trade/cancel-batch-orders: cancels up to fifty orders of the caller. */
import { type Refusal, refuse } from "../../api/errors.ts";
import type { AnswerOf, BodyOf } from "../../api/route.ts";
import { CANCEL_BATCH_MAX, cancelOrdersRoute } from "../../api/v2/trade.ts";
import { type Accepted, accept, type Rejection } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import type { OrderKey } from "../parameters.ts";
import { readSymbol, toOrderId } from "../spot/parameters-v2.ts";
import { failureMark, isPerOrder } from "./cancel-failure.ts";

type Body = BodyOf<typeof cancelOrdersRoute>;
type Failure = AnswerOf<typeof cancelOrdersRoute>["failureList"][number];

export const cancelOrders = endpoint(cancelOrdersRoute, async ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const keys = readKeys(body);
  if (!keys.ok) return keys;
  const commands = keys.value.map((key) => ({
    type: "cancel-spot-order" as const,
    uid: caller.uid,
    symbol: symbol.value,
    ...key,
  }));
  const replies = await engine.executeAll<"cancel-spot-order">(commands);
  const successList: string[] = [];
  const failureList: Failure[] = [];
  for (const [index, reply] of replies.entries()) {
    if (reply.ok) successList.push(String(reply.value.orderId));
    else if ("unavailable" in reply || !isPerOrder(reply)) return reply;
    else failureList.push(toFailure(body, index, reply));
  }
  return accept({ successList, failureList });
});

function readKeys({
  orderIds = [],
  clientOids = [],
}: Body): Accepted<readonly OrderKey[]> | Refusal {
  if (orderIds.length > 0 && clientOids.length > 0) {
    return refuse("invalid-combination", "clientOids", "send orderIds or clientOids, not both");
  }
  if (orderIds.length > CANCEL_BATCH_MAX) return refuse("too-many-cancels", "orderIds");
  if (clientOids.length > CANCEL_BATCH_MAX) return refuse("too-many-cancels", "clientOids");
  if (orderIds.length > 0) {
    return accept(orderIds.map((id) => ({ orderId: toOrderId(id), clientOrderId: null })));
  }
  if (clientOids.length > 0) {
    return accept(clientOids.map((clientOrderId) => ({ orderId: null, clientOrderId })));
  }
  return refuse("missing-order-id", "orderIds", "or clientOids");
}

function toFailure(body: Body, index: number, rejection: Rejection): Failure {
  const errMsg = failureMark(rejection);
  const orderId = body.orderIds?.[index];
  if (orderId !== undefined) return { orderId: String(orderId), errMsg };
  return { orderId: "", clientOid: body.clientOids?.[index] ?? "", errMsg };
}
