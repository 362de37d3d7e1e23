/** What the fills of some orders add up to. */
import { addDecimals, compareDecimals } from "../store/index.ts";
import type { OrderFillTotals, SpotFillPrices } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { fillsOfOrder } from "./spot-sides.ts";

/** Of the newest fills; the oldest is looked at as well. */
const FILLS_MAX = 1_000;

export const spotFillPrices: HistoryQuery<"spot-fill-prices"> = async (db, { uid, orderIds }) => {
  const found: SpotFillPrices[] = [];
  for (const orderId of orderIds) {
    const newest = await fillsOfOrder(db, uid, orderId, "desc", FILLS_MAX);
    const prices = newest.map(({ price }) => price);
    const [last] = prices;
    if (last === undefined) continue;
    if (prices.length === FILLS_MAX) {
      const [oldest] = await fillsOfOrder(db, uid, orderId, "asc", 1);
      if (oldest !== undefined) prices.push(oldest.price);
    }
    let [lowest, highest] = [last, last];
    for (const price of prices) {
      if (compareDecimals(price, lowest) < 0) lowest = price;
      if (compareDecimals(price, highest) > 0) highest = price;
    }
    found.push({ orderId, last, lowest, highest });
  }
  return found;
};

/** An order with more is left out. */
const ORDER_FILLS_MAX = 10_000;

interface Fill {
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly realizedPnl: string;
}

export const orderFillTotals: HistoryQuery<"order-fill-totals"> = async (
  db,
  { product, uid, orders },
) => {
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
};

async function spotFills(db: Db, uid: number, orderId: number): Promise<Fill[]> {
  const rows = await fillsOfOrder(db, uid, orderId, "asc", ORDER_FILLS_MAX);
  return rows.map((row) => ({ ...row, realizedPnl: "0" }));
}

function contractFills(db: Db, uid: number, orderId: number): Promise<Fill[]> {
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
