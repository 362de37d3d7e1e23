/** Spot v3: what an order asks for and how far it is, as in every answer about one order. */
import type { SpotOrderProgress } from "../../protocol/index.ts";

export function progressAnswer(order: SpotOrderProgress) {
  return {
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    cummulativeQuoteQty: order.filledQuote,
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.orderType,
    side: order.side,
  };
}
