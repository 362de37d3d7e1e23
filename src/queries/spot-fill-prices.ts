/** Question: the first and the last price that some of a user's orders were filled at. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, SpotFillPrices } from "./history-port.ts";

export async function spotFillPrices(
  db: Kysely<HistoryTables>,
  { uid, orderIds }: HistoryQuestion<"spot-fill-prices">,
): Promise<HistoryAnswer<"spot-fill-prices">> {
  const found: SpotFillPrices[] = [];
  for (const orderId of orderIds) {
    const first = await priceAt(db, uid, orderId, "asc");
    const last = await priceAt(db, uid, orderId, "desc");
    if (first !== null && last !== null) found.push({ orderId, first, last });
  }
  return found;
}

/** One row at the end of an index, however many fills the order has. */
async function priceAt(
  db: Kysely<HistoryTables>,
  uid: number,
  orderId: number,
  direction: "asc" | "desc",
): Promise<string | null> {
  const row = await db
    .selectFrom("spot_fills")
    .select("price")
    .where("uid", "=", uid)
    .where("order_id", "=", orderId)
    .orderBy("time_ms", direction)
    .orderBy("bill_id", direction)
    .limit(1)
    .executeTakeFirst();
  return row?.price ?? null;
}
