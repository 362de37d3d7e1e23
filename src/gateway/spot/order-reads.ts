/** Spot v3: one order, open orders, all orders and fills of the caller; lists newest first. */
import { allOrdersRoute, myTradesRoute, openOrdersRoute, orderRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import type { SpotFill } from "../../queries/history-port.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { readOrderKey } from "../order-calls.ts";
import { readOffset, readStartAndEnd } from "../parameters.ts";
import {
  type AnySpotOrder,
  findOrder,
  hasEnded,
  queryFills,
  queryOrderPage,
} from "./order-lookup.ts";
import { progressAnswer } from "./order-progress.ts";

export const order = endpoint(orderRoute, async ({ caller, query }, exchange) => {
  const key = readOrderKey(query);
  if (!key.ok) return key;
  const found = await findOrder(exchange, caller.uid, key.value);
  return found.ok ? accept(orderAnswer(found.value.order)) : found;
});

export const openOrders = endpoint(openOrdersRoute, async ({ caller, query }, { engine }) => {
  const symbol = query.symbol ?? null;
  const open = await engine.query({ type: "spot-open-orders", uid: caller.uid, symbol });
  if (!open.ok) return open;
  return accept(open.value.toSorted((a, b) => b.orderId - a.orderId).map(orderAnswer));
});

export const allOrders = endpoint(allOrdersRoute, async ({ caller, query }, exchange) => {
  const { symbol, limit, page } = query;
  const created = readStartAndEnd(query);
  if (!created.ok) return created;
  const begin = readOffset(page - 1, limit, ["page", "endTime"]);
  if (!begin.ok) return begin;
  const question = { uid: caller.uid, symbol, created: created.value, begin: begin.value, limit };
  const found = await queryOrderPage(exchange, question);
  return found.ok ? accept(found.value.orders.map(orderAnswer)) : found;
});

function orderAnswer(order: AnySpotOrder) {
  const ended = hasEnded(order);
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    ...progressAnswer(order),
    time: order.createdMs,
    updateTime: ended ? order.endedMs : order.updatedMs,
    isWorking: !ended,
  };
}

export const myTrades = endpoint(myTradesRoute, async ({ caller, query }, exchange) => {
  const { symbol, limit } = query;
  const time = readStartAndEnd(query);
  if (!time.ok) return time;
  const orderId = query.orderId === undefined ? null : Number(query.orderId);
  const question = { uid: caller.uid, symbol, orderId, time: time.value, limit };
  const found = await queryFills(
    exchange,
    query.fromId === undefined
      ? { ...question, offset: 0 }
      : { ...question, fromId: Number(query.fromId) },
  );
  return found.ok ? accept(found.value.fills.map(toTrade)) : found;
});

function toTrade(fill: SpotFill) {
  return {
    symbol: fill.symbol,
    id: fill.tradeId,
    orderId: fill.orderId,
    price: fill.price,
    qty: fill.quantity,
    quoteQty: fill.quoteQuantity,
    commission: fill.fee,
    commissionAsset: fill.feeAsset,
    time: fill.timeMs,
    isBuyer: fill.side === "BUY",
    maker: fill.maker,
  };
}

export const ORDER_READ_ENDPOINTS: readonly Endpoint[] = [order, openOrders, allOrders, myTrades];
