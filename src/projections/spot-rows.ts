/**
 * Read model: a user's side of every match. It is also the source of the user's trade bills,
 * because a row of its own for each of the four bills of a match would double what a trade costs on
 * disk.
 */
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { baseText, quoteText, type SpotMarket } from "./instruments.ts";

/** The ids that the bills of one side take. */
export const BILLS_PER_FILL = 2;

export function buyerFillRow(
  event: EventOf<"spot-trade">,
  market: SpotMarket,
  trade: Row<"spot_trades">,
  billId: number,
): Row<"spot_fills"> {
  const isTaker = event.takerSide === "BUY";
  return {
    bill_id: billId,
    trade_id: event.tradeId,
    order_id: isTaker ? event.takerOrderId : event.makerOrderId,
    uid: isTaker ? event.takerUid : event.makerUid,
    symbol: event.symbol,
    side: "BUY",
    maker: isTaker ? 0 : 1,
    price: trade.price,
    quantity: trade.quantity,
    quote_quantity: trade.quote_quantity,
    fee: baseText(market, isTaker ? event.takerFeeMinor : event.makerFeeMinor),
    received_asset: market.baseAsset,
    received_after: baseText(market, event.buyerBaseEquityMinor),
    paid_asset: market.quoteAsset,
    paid_after: quoteText(market, event.buyerQuoteEquityMinor),
    time_ms: trade.time_ms,
  };
}

export function sellerFillRow(
  event: EventOf<"spot-trade">,
  market: SpotMarket,
  trade: Row<"spot_trades">,
  billId: number,
): Row<"spot_fills"> {
  const isTaker = event.takerSide === "SELL";
  return {
    bill_id: billId,
    trade_id: event.tradeId,
    order_id: isTaker ? event.takerOrderId : event.makerOrderId,
    uid: isTaker ? event.takerUid : event.makerUid,
    symbol: event.symbol,
    side: "SELL",
    maker: isTaker ? 0 : 1,
    price: trade.price,
    quantity: trade.quantity,
    quote_quantity: trade.quote_quantity,
    fee: quoteText(market, isTaker ? event.takerFeeMinor : event.makerFeeMinor),
    received_asset: market.quoteAsset,
    received_after: quoteText(market, event.sellerQuoteEquityMinor),
    paid_asset: market.baseAsset,
    paid_after: baseText(market, event.sellerBaseEquityMinor),
    time_ms: trade.time_ms,
  };
}
