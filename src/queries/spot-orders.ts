/** A user's ended spot orders. */
import type { HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

const COLUMNS = [
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

export const endedSpotOrder: HistoryQuery<"ended-spot-order"> = async (db, question) => {
  const { uid, symbol, orderId, clientOrderId } = question;
  let query = db.selectFrom("ended_spot_orders").select(COLUMNS).where("uid", "=", uid);
  if (orderId !== null) {
    query = query.where("order_id", "=", orderId);
  } else if (clientOrderId !== null) {
    query = query.where("client_order_id", "=", clientOrderId).orderBy("order_id", "desc");
  } else {
    return null;
  }
  if (symbol !== null) query = query.where("symbol", "=", symbol);
  return (await query.limit(1).executeTakeFirst()) ?? null;
};

export const endedSpotOrders: HistoryQuery<"ended-spot-orders"> = async (db, question) => {
  const [fromMs, toMs] = rangeBounds(question.created);
  let query = db
    .selectFrom("ended_spot_orders")
    .select(COLUMNS)
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
};
