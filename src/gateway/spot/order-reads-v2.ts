/** Orders as v2 answers them: all text, with the prices of their fills. */
import { accept, invariant, type OrderStatus } from "../../domain/index.ts";
import type { SpotFillPrices } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { type AnySpotOrder, hasEnded } from "./find-order.ts";

export const STATUSES = {
  NEW: "open",
  FILLED: "filled",
  CANCELED: "canceled",
} as const satisfies Readonly<Record<OrderStatus, string>>;

/** `spelling` is the symbol as the caller writes it. */
export async function orderAnswers(
  exchange: Exchange,
  uid: number,
  orders: readonly AnySpotOrder[],
  sequence: number,
  spelling: (symbol: string) => string,
): Promise<Outcome<ReturnType<typeof toAnswer>[]>> {
  const filled = orders.filter(({ filledQuantity }) => filledQuantity !== "0");
  const prices = new Map<number, SpotFillPrices>();
  if (filled.length > 0) {
    const question = { uid, orderIds: filled.map(({ orderId }) => orderId) };
    const asked = await askPast(exchange, "spot-fill-prices", question, sequence);
    if (!asked.ok) return asked;
    for (const row of asked.value) prices.set(row.orderId, row);
  }
  return accept(
    orders.map((order) => toAnswer(order, prices.get(order.orderId), spelling(order.symbol))),
  );
}

function toAnswer(order: AnySpotOrder, prices: SpotFillPrices | undefined, symbol: string) {
  const ended = hasEnded(order);
  const isByAmount = ended && order.quoteAmount !== "0";
  return {
    accountId: String(order.uid),
    symbol,
    orderId: String(order.orderId),
    clientOrderId: order.clientOrderId,
    price: order.price,
    quantity: isByAmount ? order.quoteAmount : order.quantity,
    orderType: order.orderType === "LIMIT" ? ("limit" as const) : ("market" as const),
    side: order.side === "BUY" ? ("buy" as const) : ("sell" as const),
    status: STATUSES[order.status],
    ...fillPrices(order, prices),
    fillQuantity: order.filledQuantity,
    fillTotalAmount: order.filledQuote,
    cTime: String(order.createdMs),
    uTime: String(ended ? order.endedMs : order.updatedMs),
  };
}

function fillPrices(order: AnySpotOrder, prices: SpotFillPrices | undefined) {
  if (prices === undefined) {
    invariant(order.filledQuantity === "0", "an order that has filled has fills");
    return { latestFillPrice: "0", maxFillPrice: "0", minFillPrice: "0" };
  }
  const { last, lowest, highest } = prices;
  return { latestFillPrice: last, maxFillPrice: highest, minFillPrice: lowest };
}
