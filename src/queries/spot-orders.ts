/** A user's ended spot orders. */
import type { EndedSpotOrder } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { distinct, newestOf, repeated, type Source } from "./newest-of.ts";
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
  const { uid, symbol, offset, limit } = question;
  const symbols = symbol === null ? await symbolsOf(db, uid) : [symbol];
  const sourceOf = ordersOf(db, uid, rangeBounds(question.created));
  return await newestOf(symbols.map(sourceOf), ({ orderId }) => orderId, offset, limit);
};

/** A user's orders in one market. */
function ordersOf(db: Db, uid: number, [fromMs, toMs]: readonly [number, number]) {
  const orders = db
    .selectFrom("ended_spot_orders")
    .where("uid", "=", uid)
    .where("symbol", "=", "")
    .where("created_ms", ">=", fromMs)
    .where("created_ms", "<=", toMs)
    .orderBy("created_ms", "desc")
    .orderBy("order_id", "desc")
    .limit(1)
    .offset(0);
  const ids = repeated(db, orders.select("order_id"));
  const rows = repeated(db, orders.select(COLUMNS));
  return (symbol: string): Source<EndedSpotOrder> => ({
    ids: async (limit, offset) => {
      const found = await ids(uid, symbol, fromMs, toMs, limit, offset);
      return found.map(({ order_id }) => order_id);
    },
    rows: (limit, offset) => rows(uid, symbol, fromMs, toMs, limit, offset),
  });
}

function symbolsOf(db: Db, uid: number): Promise<string[]> {
  const next = repeated(
    db,
    db
      .selectFrom("ended_spot_orders")
      .select("symbol")
      .where("uid", "=", uid)
      .where("symbol", ">", "")
      .orderBy("symbol")
      .limit(1),
  );
  return distinct(async (after) => (await next(uid, after, 1))[0]?.symbol);
}
