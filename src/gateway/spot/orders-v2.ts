/** POST /api/v2/trade/cancel-order */
import { ERRORS, errorMessage, refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import { symbolFromV2 } from "../../api/symbols.ts";
import { cancelOrderRoute } from "../../api/v2/trade.ts";
import { accept, type Rejection, reject } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { failureMark, isPerOrder } from "../v2/cancel-failure.ts";

type CancelResult = AnswerOf<typeof cancelOrderRoute>;

function failed(
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

export const cancelOrder = endpoint(cancelOrderRoute, async ({ caller, body }, { engine }) => {
  const symbol = symbolFromV2(body.symbol);
  if (symbol === null) return refuse("unknown-symbol", "symbol");
  const { orderId, clientOid } = body;
  if (orderId === undefined && clientOid === undefined) {
    return refuse("missing-order-id", "orderId", "or clientOid");
  }
  const orderIdText = orderId === undefined ? "" : String(orderId);
  const clientOrderId = clientOid ?? null;
  const orderIdNumber = orderId === undefined ? null : Number(orderId);
  if (orderIdNumber !== null && !Number.isSafeInteger(orderIdNumber)) {
    // We issue no such id, but it is a well-formed 64-bit integer: an order that does not exist.
    return accept(failed(body.symbol, orderIdText, clientOrderId, reject("order-not-found")));
  }
  const reply = await engine.execute({
    type: "cancel-spot-order",
    uid: caller.uid,
    symbol,
    orderId: orderIdNumber,
    clientOrderId: orderIdNumber === null ? clientOrderId : null,
  });
  if (reply.ok) {
    return accept({
      order_id: String(reply.value.orderId),
      client_oid: reply.value.clientOrderId,
      symbol: body.symbol,
      result: true,
      err_code: null,
      err_msg: null,
    });
  }
  if ("unavailable" in reply || !isPerOrder(reply)) return reply;
  return accept(failed(body.symbol, orderIdText, clientOrderId, reply));
});
