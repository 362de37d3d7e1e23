/**
 * Question: what is known of the first fills of some orders, up to a quantity: fees, realised
 * profit, and prices. The quantity is what the asker knows to be filled, so that a fill which came
 * since is not counted twice.
 */
import type { Kysely } from "kysely";
import { addDecimals, compareDecimals, type HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, OrderFillTotals } from "./history-port.ts";

/** Of one order; who has more is left out. */
const ORDER_FILLS_MAX = 10_000;

interface Fill {
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly realizedPnl: string;
}

export async function orderFillTotals(
  db: Kysely<HistoryTables>,
  { product, uid, orders }: HistoryQuestion<"order-fill-totals">,
): Promise<HistoryAnswer<"order-fill-totals">> {
  const found: OrderFillTotals[] = [];
  for (const { orderId, filledQuantity } of orders) {
    const fills =
      product === "spot"
        ? await spotFills(db, uid, orderId)
        : await contractFills(db, uid, orderId);
    const totals = totalsOf(fills, filledQuantity);
    if (totals !== null) found.push({ orderId, ...totals });
  }
  return found;
}

async function spotFills(db: Kysely<HistoryTables>, uid: number, orderId: number): Promise<Fill[]> {
  const rows = await db
    .selectFrom("spot_fills")
    .select(["price", "quantity", "fee"])
    .where("uid", "=", uid)
    .where("order_id", "=", orderId)
    .orderBy("time_ms", "asc")
    .orderBy("bill_id", "asc")
    .limit(ORDER_FILLS_MAX)
    .execute();
  return rows.map((row) => ({ ...row, realizedPnl: "0" }));
}

function contractFills(db: Kysely<HistoryTables>, uid: number, orderId: number): Promise<Fill[]> {
  return db
    .selectFrom("contract_fills")
    .select(["price", "quantity", "fee", "realized_pnl as realizedPnl"])
    .where("uid", "=", uid)
    .where("order_id", "=", orderId)
    .orderBy("time_ms", "asc")
    .orderBy("fill_id", "asc")
    .limit(ORDER_FILLS_MAX)
    .execute();
}

/** Null when the fills do not reach the quantity. */
function totalsOf(
  fills: readonly Fill[],
  filledQuantity: string,
): Omit<OrderFillTotals, "orderId"> | null {
  let [quantity, fee, realizedPnl] = ["0", "0", "0"];
  let [highest, lowest] = ["0", "0"];
  for (const fill of fills) {
    quantity = addDecimals(quantity, fill.quantity);
    fee = addDecimals(fee, fill.fee);
    realizedPnl = addDecimals(realizedPnl, fill.realizedPnl);
    const { price } = fill;
    if (compareDecimals(price, highest) > 0) highest = price;
    if (lowest === "0" || compareDecimals(price, lowest) < 0) lowest = price;
    if (compareDecimals(quantity, filledQuantity) >= 0) {
      return { fee, realizedPnl, last: price, highest, lowest };
    }
  }
  return null;
}
