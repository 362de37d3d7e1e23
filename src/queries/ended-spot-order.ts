/** Question: one ended order of a user, by order id or client order id. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import { ENDED_SPOT_ORDER_COLUMNS } from "./ended-spot-orders.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function endedSpotOrder(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"ended-spot-order">,
): Promise<HistoryAnswer<"ended-spot-order">> {
  const { uid, symbol, orderId, clientOrderId } = question;
  let query = db
    .selectFrom("ended_spot_orders")
    .select(ENDED_SPOT_ORDER_COLUMNS)
    .where("uid", "=", uid);
  if (orderId !== null) {
    query = query.where("order_id", "=", orderId);
  } else if (clientOrderId !== null) {
    query = query.where("client_order_id", "=", clientOrderId).orderBy("order_id", "desc");
  } else {
    return null;
  }
  if (symbol !== null) query = query.where("symbol", "=", symbol);
  return (await query.limit(1).executeTakeFirst()) ?? null;
}
