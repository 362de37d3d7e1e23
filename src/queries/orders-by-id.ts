/** Ended orders of all users by an id: for operators, who do not know whose order it is. */
import type { Product } from "../domain/index.ts";
import type { FoundOrder } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";

const TABLES = { spot: "ended_spot_orders", contract: "ended_contract_orders" } as const;

export const ordersById: HistoryQuery<"orders-by-id"> = async (db, question) => [
  ...(await inProduct(db, "spot", question)),
  ...(await inProduct(db, "contract", question)),
];

async function inProduct(
  db: Db,
  product: Product,
  question: Parameters<typeof ordersById>[1],
): Promise<readonly FoundOrder[]> {
  const { orderId, clientOrderId, limit } = question;
  // Both tables have these columns.
  const orders = db
    .selectFrom(TABLES[product] as "ended_spot_orders")
    .select(["uid", "order_id as orderId", "client_order_id as clientOrderId", "symbol", "status"]);
  if (orderId === null && clientOrderId === null) return [];
  const query =
    orderId === null
      ? orders.where("client_order_id", "=", clientOrderId).orderBy("uid").orderBy("order_id")
      : orders.where("order_id", "=", orderId);
  const rows = await query.limit(limit).execute();
  return rows.map((row) => ({ product, ...row }));
}
