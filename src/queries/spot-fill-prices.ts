/**
 * Question: the last, the lowest and the highest price that some of a user's orders were filled at.
 * The fills of an order go one way, to worse prices, unless it was amended, so both ends are looked
 * at and a good deal of what is between.
 */
import type { Kysely } from "kysely";
import { compareDecimals, type HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, SpotFillPrices } from "./history-port.ts";

/** Of the newest fills; the oldest is looked at as well. */
const FILLS_MAX = 1_000;

export async function spotFillPrices(
  db: Kysely<HistoryTables>,
  { uid, orderIds }: HistoryQuestion<"spot-fill-prices">,
): Promise<HistoryAnswer<"spot-fill-prices">> {
  const found: SpotFillPrices[] = [];
  for (const orderId of orderIds) {
    const prices = await fillPrices(db, uid, orderId, "desc", FILLS_MAX);
    const [last] = prices;
    if (last === undefined) continue;
    if (prices.length === FILLS_MAX) prices.push(...(await fillPrices(db, uid, orderId, "asc", 1)));
    let [lowest, highest] = [last, last];
    for (const price of prices) {
      if (compareDecimals(price, lowest) < 0) lowest = price;
      if (compareDecimals(price, highest) > 0) highest = price;
    }
    found.push({ orderId, last, lowest, highest });
  }
  return found;
}

/** From one end of an index, however many fills the order has. */
async function fillPrices(
  db: Kysely<HistoryTables>,
  uid: number,
  orderId: number,
  direction: "asc" | "desc",
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("spot_fills")
    .select("price")
    .where("uid", "=", uid)
    .where("order_id", "=", orderId)
    .orderBy("time_ms", direction)
    .orderBy("bill_id", direction)
    .limit(limit)
    .execute();
  return rows.map(({ price }) => price);
}
