/** Contracts: one order, open orders, ended orders and fills of the caller. */
import {
  openOrdersRoute,
  orderHistoryRoute,
  orderRoute,
  userTradesRoute,
} from "../../api/contract/trade.ts";
import { refuse } from "../../api/errors.ts";
import { cancelReason, matchType, orderSource } from "../../api/order-words.ts";
import { accept } from "../../domain/index.ts";
import type { ContractOrderView } from "../../protocol/index.ts";
import type { ContractFill, EndedContractOrder } from "../../queries/history-port.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { readOrderKey } from "../order-calls.ts";
import { isInside, readOffset, readPastRange, readStartAndEnd } from "../parameters.ts";
import { lookUpSymbol, querySymbolHistory } from "./symbol-history.ts";

const HISTORY_DAYS_MAX = 90;

/** What the engine does not have at its sequence ended before, or is no order of the caller's. */
export const order = endpoint(orderRoute, async ({ caller, query }, exchange) => {
  const key = readOrderKey(query);
  if (!key.ok) return key;
  const { orderId, clientOrderId: sent } = key.value;
  const clientOrderId = orderId === null ? sent : null;
  const question = { uid: caller.uid, orderId, clientOrderId };
  const open = await exchange.engine.query({ type: "contract-order", ...question });
  if (open.ok) return accept(openOrderAnswer(open.value));
  if ("unavailable" in open || open.reason !== "order-not-found") return open;
  const ended = await queryHistory(exchange, "ended-contract-order", question, open.sequence);
  if (!ended.ok) return ended;
  return ended.value === null ? refuse("order-not-found") : accept(endedOrderAnswer(ended.value));
});

/** By ascending id, which is a cursor too. */
export const openOrders = endpoint(openOrdersRoute, async ({ caller, query }, { engine }) => {
  const { page, limit, symbol = null } = query;
  const created = readStartAndEnd(query);
  if (!created.ok) return created;
  const open = await engine.query({ type: "contract-open-orders", uid: caller.uid, symbol });
  if (!open.ok) return open;
  // Beyond 2^53 no order was ever placed, and comparing needs no exact number there.
  const afterOrderId = Number(query.orderId ?? 0);
  const rows = open.value.filter(
    (order) => order.orderId > afterOrderId && isInside(order.createdMs, created.value),
  );
  return accept(rows.slice(page * limit, (page + 1) * limit).map(openOrderAnswer));
});

/** Newest first. */
export const orderHistory = endpoint(orderHistoryRoute, async ({ caller, query }, exchange) => {
  const { page, limit, symbol, detail } = query;
  const created = readPastRange(query, HISTORY_DAYS_MAX);
  if (!created.ok) return created;
  const offset = readOffset(page, limit, ["page", "endTime"]);
  if (!offset.ok) return offset;
  const question = {
    uid: caller.uid,
    symbol: symbol ?? null,
    created: created.value,
    offset: offset.value,
    limit,
  };
  const ended = await querySymbolHistory(exchange, "ended-contract-orders", symbol, question);
  return ended.ok
    ? accept(ended.value.map(detail === "FULL" ? detailedOrderAnswer : historyOrderAnswer))
    : ended;
});

function openOrderAnswer(order: ContractOrderView) {
  return { ...listed(order, order.updatedMs), ...unlisted(order) };
}

function endedOrderAnswer(order: EndedContractOrder) {
  return { ...listed(order, order.endedMs), ...unlisted(order) };
}

/** With the names of the order history alone. */
function historyOrderAnswer(order: EndedContractOrder) {
  return listed(order, order.endedMs);
}

function detailedOrderAnswer(order: EndedContractOrder) {
  return {
    ...historyOrderAnswer(order),
    orderSource: orderSource(order.origin),
    cancelReason: cancelReason(order.reason),
  };
}

function listed(order: ContractOrderView | EndedContractOrder, updatedMs: number) {
  return {
    orderId: order.orderId,
    symbol: order.symbol,
    side: order.side,
    positionSide: order.positionSide,
    status: order.status,
    type: order.orderType,
    time: order.createdMs,
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    avgPrice: order.avgPrice,
    updateTime: updatedMs,
    clientOrderId: order.clientOrderId,
    cumQuote: order.filledValue,
    timeInForce: order.timeInForce,
  };
}

function unlisted(order: ContractOrderView | EndedContractOrder) {
  return {
    stopPrice: "0",
    reduceOnly: order.reduceOnly,
    workingType: "CONTRACT_PRICE" as const,
    priceProtect: false as const,
    priceMatch: "NONE" as const,
    selfTradePreventionMode: "NONE" as const,
    goodTillDate: 0 as const,
  };
}

/** Fills, newest first unless they are from a trade id on. */
export const userTrades = endpoint(userTradesRoute, async ({ caller, query }, exchange) => {
  const { limit, symbol } = query;
  const time = readStartAndEnd(query);
  if (!time.ok) return time;
  const known = await lookUpSymbol(exchange.engine, symbol);
  if (!known.ok) return known;
  const orderId = query.orderId === undefined ? null : Number(query.orderId);
  const fromId = query.fromId === undefined ? null : Number(query.fromId);
  // An id beyond 2^53 was never issued here: no fills.
  const isIssued = Number.isSafeInteger(orderId ?? 0) && Number.isSafeInteger(fromId ?? 0);
  if (!isIssued) return accept([]);
  const { uid } = caller;
  const { sequence } = known;
  const question = { uid, symbol: symbol ?? null, orderId, time: time.value, limit };
  const fills =
    fromId === null
      ? await queryHistory(exchange, "contract-fills", question, sequence)
      : await queryHistory(exchange, "contract-fills-from", { ...question, fromId }, sequence);
  return fills.ok
    ? accept(fills.value.map(query.detail === "FULL" ? toDetailedTrade : toTrade))
    : fills;
});

function toTrade(fill: ContractFill) {
  return {
    id: fill.tradeId,
    orderId: fill.orderId,
    symbol: fill.symbol,
    buyer: fill.side === "BUY",
    commission: fill.fee,
    commissionAsset: fill.feeAsset,
    maker: fill.maker,
    price: fill.price,
    qty: fill.quantity,
    quoteQty: fill.value,
    realizedPnl: fill.realizedPnl,
    side: fill.side,
    positionSide: fill.positionSide,
    time: fill.timeMs,
  };
}

function toDetailedTrade(fill: ContractFill) {
  return { ...toTrade(fill), matchType: matchType(fill.kind) };
}

export const CONTRACT_ORDER_READ_ENDPOINTS: readonly Endpoint[] = [
  order,
  openOrders,
  orderHistory,
  userTrades,
];
