/** POST /api/v2/trade/orderInfo: one order of the caller, open or ended. */
import { symbolToV2 } from "../../api/symbols.ts";
import { orderRoute } from "../../api/v2/trade.ts";
import { endpoint } from "../endpoint.ts";
import { findOrder } from "../spot/find-order.ts";
import { orderAnswers } from "../spot/order-reads-v2.ts";
import { readOrderKey } from "../spot/parameters-v2.ts";

export const order = endpoint(orderRoute, async ({ caller, body }, exchange) => {
  const { uid } = caller;
  const key = readOrderKey(body.orderId, body.clientOrderId);
  if (!key.ok) return key;
  const found = await findOrder(exchange, uid, key.value);
  if (!found.ok) return found;
  const { order: only, sequence } = found.value;
  return await orderAnswers(exchange, uid, [only], sequence, symbolToV2);
});
