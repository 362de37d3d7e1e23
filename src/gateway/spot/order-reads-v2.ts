/** Spot v2: one order, open orders, all orders and fills of the caller; lists newest first. */
import { symbolToV2 } from "../../api/symbols.ts";
import { fillsRoute, openOrdersRoute, orderHistoryRoute, orderRoute } from "../../api/v2/trade.ts";
import { accept, invariant, type OrderStatus } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import type { SpotFill, SpotFillPrices } from "../../queries/history-port.ts";
import { type Endpoint, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import {
  type AnySpotOrder,
  findOrder,
  hasEnded,
  queryFills,
  queryOrderPage,
} from "./order-lookup.ts";
import { readOrderKey, readPage, readSymbol } from "./parameters-v2.ts";

export const order = endpoint(orderRoute, async ({ caller, body }, exchange) => {
  const { uid } = caller;
  const key = readOrderKey(body.orderId, body.clientOrderId);
  if (!key.ok) return key;
  const found = await findOrder(exchange, uid, key.value);
  if (!found.ok) return found;
  const { order: only, sequence } = found.value;
  return orderAnswers(exchange, uid, [only], sequence, symbolToV2);
});

export const openOrders = endpoint(openOrdersRoute, async ({ caller, body }, exchange) => {
  const { uid } = caller;
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const limit = Number(body.limit);
  const begin = Number(body.pageNo) * limit;
  const question = { type: "spot-open-orders", uid, symbol: symbol.value } as const;
  const open = await exchange.engine.query(question);
  if (!open.ok) return open;
  const rows = open.value.toSorted((a, b) => b.orderId - a.orderId).slice(begin, begin + limit);
  const answers = await orderAnswers(exchange, uid, rows, open.sequence, () => body.symbol);
  if (!answers.ok) return answers;
  return accept({
    orderInfoResultList: answers.value,
    nextPage: begin + limit < open.value.length,
    totals: open.value.length,
  });
});

export const orderHistory = endpoint(orderHistoryRoute, async ({ caller, body }, exchange) => {
  const { uid } = caller;
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const page = readPage(body);
  if (!page.ok) return page;
  const { time: created, begin, pageSize } = page.value;
  // One more than the page has says whether there is another page.
  const question = { uid, symbol: symbol.value, created, begin, limit: pageSize + 1 };
  const found = await queryOrderPage(exchange, question);
  if (!found.ok) return found;
  const { orders, sequence } = found.value;
  const shown = orders.slice(0, pageSize);
  const answers = await orderAnswers(exchange, uid, shown, sequence, () => body.symbol);
  if (!answers.ok) return answers;
  return accept({
    orderInfoResultList: answers.value,
    nextPage: orders.length > pageSize,
    totals: null,
  });
});

export const STATUSES = {
  NEW: "open",
  FILLED: "filled",
  CANCELED: "canceled",
} as const satisfies Readonly<Record<OrderStatus, string>>;

/** With the prices of their fills. `spelling` is the symbol as the caller writes it. */
async function orderAnswers(
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
    const asked = await queryHistory(exchange, "spot-fill-prices", question, sequence);
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

export const fills = endpoint(fillsRoute, async ({ caller, body }, exchange) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const page = readPage(body);
  if (!page.ok) return page;
  const { time, begin, pageSize } = page.value;
  const found = await queryFills(exchange, {
    uid: caller.uid,
    symbol: symbol.value,
    orderId: body.orderId === undefined ? null : Number(body.orderId),
    time,
    offset: begin,
    // One more than the page has says whether there is another page.
    limit: pageSize + 1,
  });
  if (!found.ok) return found;
  const { market, fills: rows } = found.value;
  return accept({
    fillsOrderResultList: rows.slice(0, pageSize).map((fill) => toFill(fill, market, body.symbol)),
    nextPage: rows.length > pageSize,
    totals: null,
  });
});

function toFill(fill: SpotFill, market: SpotMarketView, symbol: string) {
  return {
    accountId: String(fill.uid),
    symbol,
    baseCoin: market.baseAsset,
    quoteCoin: market.quoteAsset,
    orderId: String(fill.orderId),
    fillId: String(fill.tradeId),
    orderType: "" as const,
    side: fill.side === "BUY" ? ("buy" as const) : ("sell" as const),
    fillPrice: fill.price,
    fillQuantity: fill.quantity,
    fillTotalAmount: fill.quoteQuantity,
    fees: fill.fee,
    cTime: String(fill.timeMs),
  };
}

export const V2_ORDER_READ_ENDPOINTS: readonly Endpoint[] = [
  order,
  openOrders,
  orderHistory,
  fills,
];
