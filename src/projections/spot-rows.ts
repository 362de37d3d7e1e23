/** Rows of the spot side: ended orders and matches. */
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { baseText, priceText, quantityText, quoteText, type SpotMarket } from "./instruments.ts";

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

/** The ids that the bills of a match take. */
export const BILLS_PER_TRADE = 4;

/** `billId` is the first of its bills. */
export function spotTradeRow(
  event: EventOf<"spot-trade">,
  market: SpotMarket,
  timestampMs: number,
  billId: number,
): Row<"spot_trades"> {
  const takerBuys = event.takerSide === "BUY";
  return {
    symbol: event.symbol,
    trade_id: event.tradeId,
    time_ms: timestampMs,
    bill_id: billId,
    taker_side: event.takerSide,
    price: priceText(market, event.priceTicks),
    quantity: quantityText(market, event.quantityLots),
    quote_quantity: quoteText(market, event.quoteMinor),
    buyer_uid: takerBuys ? event.takerUid : event.makerUid,
    buyer_order_id: takerBuys ? event.takerOrderId : event.makerOrderId,
    buyer_fee: baseText(market, takerBuys ? event.takerFeeMinor : event.makerFeeMinor),
    buyer_base_after: baseText(market, event.buyerBaseEquityMinor),
    buyer_quote_after: quoteText(market, event.buyerQuoteEquityMinor),
    seller_uid: takerBuys ? event.makerUid : event.takerUid,
    seller_order_id: takerBuys ? event.makerOrderId : event.takerOrderId,
    seller_fee: quoteText(market, takerBuys ? event.makerFeeMinor : event.takerFeeMinor),
    seller_base_after: baseText(market, event.sellerBaseEquityMinor),
    seller_quote_after: quoteText(market, event.sellerQuoteEquityMinor),
  };
}
