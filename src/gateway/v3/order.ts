/** GET /api/v3/order: one order of the caller, open or ended. */
import { orderRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readOrderKey } from "../parameters.ts";
import { findOrder } from "../spot/find-order.ts";
import { orderAnswer } from "./order-answer.ts";

export const orderEndpoint = endpoint(orderRoute, async ({ caller, query }, exchange) => {
  const key = readOrderKey(query);
  if (!key.ok) return key;
  const found = await findOrder(exchange, caller.uid, key.value);
  return found.ok ? accept(orderAnswer(found.value.order)) : found;
});
