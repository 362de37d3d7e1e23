/**
 * Rows of the spot side: ended orders, the public tape, and each user's side of a match. The last
 * is the source of the user's trade bills as well: a row for each of the four bills of a match
 * would double what a trade costs on disk.
 */
import type { Side } from "../domain/index.ts";
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

export function spotTradeRow(
  event: EventOf<"spot-trade">,
  market: SpotMarket,
  timestampMs: number,
): Row<"spot_trades"> {
  return {
    trade_id: event.tradeId,
    symbol: event.symbol,
    price: priceText(market, event.priceTicks),
    quantity: quantityText(market, event.quantityLots),
    quote_quantity: quoteText(market, event.quoteMinor),
    taker_side: event.takerSide,
    time_ms: timestampMs,
  };
}

/** The ids that the bills of one side take. */
export const BILLS_PER_FILL = 2;

export function spotFillRow(
  event: EventOf<"spot-trade">,
  side: Side,
  market: SpotMarket,
  trade: Row<"spot_trades">,
  billId: number,
): Row<"spot_fills"> {
  const isTaker = event.takerSide === side;
  const feeMinor = isTaker ? event.takerFeeMinor : event.makerFeeMinor;
  return {
    bill_id: billId,
    trade_id: event.tradeId,
    order_id: isTaker ? event.takerOrderId : event.makerOrderId,
    uid: isTaker ? event.takerUid : event.makerUid,
    symbol: event.symbol,
    side,
    maker: isTaker ? 0 : 1,
    price: trade.price,
    quantity: trade.quantity,
    quote_quantity: trade.quote_quantity,
    ...(side === "BUY"
      ? {
          fee: baseText(market, feeMinor),
          received_asset: market.baseAsset,
          received_after: baseText(market, event.buyerBaseEquityMinor),
          paid_asset: market.quoteAsset,
          paid_after: quoteText(market, event.buyerQuoteEquityMinor),
        }
      : {
          fee: quoteText(market, feeMinor),
          received_asset: market.quoteAsset,
          received_after: quoteText(market, event.sellerQuoteEquityMinor),
          paid_asset: market.baseAsset,
          paid_after: baseText(market, event.sellerBaseEquityMinor),
        }),
    time_ms: trade.time_ms,
  };
}
