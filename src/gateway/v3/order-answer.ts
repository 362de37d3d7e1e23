/**
 * An order as v3 answers it, from the engine while it is open and from the store when it has ended.
 */
import type { SpotOrderView } from "../../protocol/index.ts";
import type { EndedSpotOrder } from "../../queries/history-port.ts";

export function openOrderAnswer(order: SpotOrderView) {
  return { ...commonAnswer(order), updateTime: order.updatedMs, isWorking: true };
}

export function endedOrderAnswer(order: EndedSpotOrder) {
  return { ...commonAnswer(order), updateTime: order.endedMs, isWorking: false };
}

function commonAnswer(order: SpotOrderView | EndedSpotOrder) {
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    cummulativeQuoteQty: order.filledQuote,
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.orderType,
    side: order.side,
    time: order.createdMs,
  };
}
