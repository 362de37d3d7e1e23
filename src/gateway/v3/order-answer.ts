/** An order as v3 answers it. */
import { type AnySpotOrder, hasEnded } from "../spot/find-order.ts";

export function orderAnswer(order: AnySpotOrder) {
  const ended = hasEnded(order);
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
    updateTime: ended ? order.endedMs : order.updatedMs,
    isWorking: !ended,
  };
}
