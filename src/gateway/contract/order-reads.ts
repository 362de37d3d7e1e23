/** An order as contract routes answer it: from the engine while it is open, else from the store. */
import type { ContractOrderView } from "../../protocol/index.ts";
import type { EndedContractOrder } from "../../queries/history-port.ts";

export function openOrderAnswer(order: ContractOrderView) {
  return { ...listed(order, order.updatedMs), ...unlisted(order) };
}

export function endedOrderAnswer(order: EndedContractOrder) {
  return { ...listed(order, order.endedMs), ...unlisted(order) };
}

/** With the names of the order history alone. */
export function historyOrderAnswer(order: EndedContractOrder) {
  return listed(order, order.endedMs);
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
