/** GET /api/v3/order: one order of the caller, open or ended. */
import { refuse } from "../../api/errors.ts";
import { orderRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { endedOrderAnswer, openOrderAnswer } from "./order-answer.ts";
import { readOrderKey } from "./parameters.ts";
import { askPast } from "./past.ts";

/**
 * The engine answers for an open order. What it does not have at its sequence S is looked up in the
 * store at S or later: an order that ended before S is there, and one that is placed later does not
 * count.
 */
export const orderEndpoint = endpoint(orderRoute, async ({ caller, query }, exchange) => {
  const key = readOrderKey(query);
  if (!key.ok) return key;
  const { orderId } = key.value;
  const clientOrderId = orderId === null ? key.value.clientOrderId : null;
  const question = { uid: caller.uid, symbol: null, orderId, clientOrderId };
  const open = await exchange.engine.ask({ type: "spot-order", ...question });
  if (open.ok) return accept(openOrderAnswer(open.value));
  if ("unavailable" in open || open.reason !== "order-not-found") return open;
  const ended = await askPast(exchange, "ended-spot-order", question, open.sequence);
  if (!ended.ok) return ended;
  return ended.value === null ? refuse("order-not-found") : accept(endedOrderAnswer(ended.value));
});
