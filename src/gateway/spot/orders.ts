/** DELETE /api/v3/order/batch: cancels up to ten orders of the caller, each by itself. */
import { type Refusal, refuse } from "../../api/errors.ts";
import type { AnswerOf, BodyOf } from "../../api/route.ts";
import { cancelOrdersRoute } from "../../api/v3/trade.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import type { OrderKey } from "../parameters.ts";
import { cancelledOrderAnswer } from "../v3/cancelled-order-answer.ts";

type Item = AnswerOf<typeof cancelOrdersRoute>["orderList"][number];

export const cancelOrdersEndpoint = endpoint(
  cancelOrdersRoute,
  async ({ caller, body }, { engine }) => {
    const keys = readKeys(body);
    if (!keys.ok) return keys;
    const commands = keys.value.map((key) => ({
      type: "cancel-spot-order" as const,
      uid: caller.uid,
      symbol: null,
      ...key,
    }));
    const replies = await engine.executeAll<"cancel-spot-order">(commands);
    const items: Item[] = [];
    for (const [index, reply] of replies.entries()) {
      if (reply.ok) items.push(cancelledOrderAnswer(reply.value));
      else if ("unavailable" in reply) return reply;
      else items.push(failedItem(body, index, reply.reason));
    }
    return accept({ orderList: items });
  },
);

/** An id beyond 2^53 was never issued here; 0 never is, so it names no order either. */
const NO_ORDER_ID = 0;

function readKeys(body: BodyOf<typeof cancelOrdersRoute>): Accepted<readonly OrderKey[]> | Refusal {
  const orderIds = body.orderIds ?? [];
  const clientOrderIds = body.origClientOrderIds ?? [];
  if (orderIds.length > 0 && clientOrderIds.length > 0) {
    const detail = "send orderIds or origClientOrderIds, not both";
    return refuse("invalid-combination", "origClientOrderIds", detail);
  }
  if (orderIds.length > 0) {
    const numbers = orderIds.map(Number);
    return accept(
      numbers.map((orderId) => ({
        orderId: Number.isSafeInteger(orderId) ? orderId : NO_ORDER_ID,
        clientOrderId: null,
      })),
    );
  }
  if (clientOrderIds.length > 0) {
    return accept(clientOrderIds.map((clientOrderId) => ({ orderId: null, clientOrderId })));
  }
  return refuse("missing-order-id", "orderIds", "send orderIds or origClientOrderIds");
}

/** Public clients know `FAILED_ORDER_NOT_FOUND`; other reasons are spelt in the same way. */
function failedItem(body: BodyOf<typeof cancelOrdersRoute>, index: number, reason: string): Item {
  const failure = {
    status: "FAILED" as const,
    errorMsg: `FAILED_${reason.toUpperCase().replaceAll("-", "_")}`,
  };
  const sent = body.orderIds?.[index];
  if (sent === undefined) {
    return { origClientOrderId: body.origClientOrderIds?.[index] ?? "", ...failure };
  }
  const orderId = Number(sent);
  return { orderId: Number.isSafeInteger(orderId) ? orderId : String(sent), ...failure };
}
