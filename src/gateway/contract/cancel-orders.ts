/** DELETE /capi/v3/batchOrders: cancels up to ten orders of the caller, each by itself. */
import { cancelOrdersRoute } from "../../api/contract/trade.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { AnswerOf, BodyOf } from "../../api/route.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import type { OrderKey } from "../parameters.ts";
import { cancelledAnswer, failed } from "./outcomes.ts";

type Row = AnswerOf<typeof cancelOrdersRoute>["orderList"][number];
type Body = BodyOf<typeof cancelOrdersRoute>;

/** An id beyond 2^53 was never issued here; 0 never is, so it names no order either. */
const NO_ORDER_ID = 0;

export const cancelOrdersEndpoint = endpoint(
  cancelOrdersRoute,
  async ({ caller, body }, { engine }) => {
    const keys = readKeys(body);
    if (!keys.ok) return keys;
    const commands = keys.value.map((key) => ({
      type: "cancel-contract-order" as const,
      uid: caller.uid,
      ...key,
    }));
    const replies = await engine.executeAll<"cancel-contract-order">(commands);
    const orderList: Row[] = [];
    for (const [index, reply] of replies.entries()) {
      if (reply.ok) orderList.push(cancelledAnswer(reply.value));
      else if ("unavailable" in reply) return reply;
      else orderList.push(failedRow(body, index, reply));
    }
    return accept({ orderList });
  },
);

function readKeys(body: Body): Accepted<readonly OrderKey[]> | Refusal {
  const orderIds = body.orderIdList ?? [];
  const clientOrderIds = body.origClientOrderIdList ?? [];
  if (orderIds.length > 0 && clientOrderIds.length > 0) {
    const detail = "send orderIdList or origClientOrderIdList, not both";
    return refuse("invalid-combination", "origClientOrderIdList", detail);
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
  return refuse("missing-order-id", "orderIdList", "send orderIdList or origClientOrderIdList");
}

/** Public clients know `FAILED_ORDER_NOT_FOUND`; other reasons are spelt in the same way. */
function failedRow(body: Body, index: number, refusal: Refusal): Row {
  return {
    orderId: String(body.orderIdList?.[index] ?? NO_ORDER_ID),
    origClientOrderId: body.origClientOrderIdList?.[index] ?? "",
    ...failed(refusal),
    errorMsg: `FAILED_${refusal.reason.toUpperCase().replaceAll("-", "_")}`,
  };
}
