/** Read model: spot orders that ended, whichever way. */
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { priceText, quantityText, quoteText, type SpotMarket } from "./instruments.ts";

export function endedSpotOrderRow(
  event: EventOf<"spot-order-ended">,
  market: SpotMarket,
  timestampMs: number,
): Row<"ended_spot_orders"> {
  const filledQuantity = quantityText(market, event.filledLots);
  const byQuoteAmount = event.quoteAmountMinor > 0n;
  return {
    order_id: event.orderId,
    uid: event.uid,
    symbol: event.symbol,
    client_order_id: event.clientOrderId,
    side: event.side,
    order_type: event.orderType,
    time_in_force: event.timeInForce,
    price: priceText(market, event.priceTicks),
    quantity: byQuoteAmount ? filledQuantity : quantityText(market, event.quantityLots),
    quote_amount: quoteText(market, event.quoteAmountMinor),
    filled_quantity: filledQuantity,
    filled_quote: quoteText(market, event.filledQuoteMinor),
    status: event.status,
    reason: event.reason,
    created_ms: event.createdMs,
    ended_ms: timestampMs,
  };
}
