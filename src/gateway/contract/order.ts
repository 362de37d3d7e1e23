/** GET /capi/v3/order: one order of the caller, open or ended. */
import { orderRoute } from "../../api/contract/trade.ts";
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { endedOrderAnswer, openOrderAnswer } from "./order-reads.ts";

/** What the engine does not have at its sequence ended before, or is no order of the caller's. */
export const orderEndpoint = endpoint(orderRoute, async ({ caller, query }, exchange) => {
  const { uid } = caller;
  const orderId = Number(query.orderId);
  // An id beyond 2^53 was never issued here.
  if (!Number.isSafeInteger(orderId)) return refuse("order-not-found", "orderId");
  const open = await exchange.engine.ask({
    type: "contract-order",
    uid,
    orderId,
    clientOrderId: null,
  });
  if (open.ok) return accept(openOrderAnswer(open.value));
  if ("unavailable" in open || open.reason !== "order-not-found") return open;
  const question = { uid, orderId };
  const ended = await askPast(exchange, "ended-contract-order", question, open.sequence);
  if (!ended.ok) return ended;
  return ended.value === null ? refuse("order-not-found") : accept(endedOrderAnswer(ended.value));
});
