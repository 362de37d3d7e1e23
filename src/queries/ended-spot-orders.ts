/** Question: a user's ended orders by time of creation, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

export const ENDED_SPOT_ORDER_COLUMNS = [
  "order_id as orderId",
  "uid",
  "symbol",
  "client_order_id as clientOrderId",
  "side",
  "order_type as orderType",
  "time_in_force as timeInForce",
  "price",
  "quantity",
  "quote_amount as quoteAmount",
  "filled_quantity as filledQuantity",
  "filled_quote as filledQuote",
  "status",
  "reason",
  "created_ms as createdMs",
  "ended_ms as endedMs",
] as const;

export async function endedSpotOrders(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"ended-spot-orders">,
): Promise<HistoryAnswer<"ended-spot-orders">> {
  const [fromMs, toMs] = rangeBounds(question.created);
  let query = db
    .selectFrom("ended_spot_orders")
    .select(ENDED_SPOT_ORDER_COLUMNS)
    .where("uid", "=", question.uid)
    .where("created_ms", ">=", fromMs)
    .where("created_ms", "<=", toMs);
  if (question.symbol !== null) query = query.where("symbol", "=", question.symbol);
  return await query
    .orderBy("created_ms", "desc")
    .orderBy("order_id", "desc")
    .limit(question.limit)
    .offset(question.offset)
    .execute();
}
