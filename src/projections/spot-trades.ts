/** Read model: the public tape. */
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { priceText, quantityText, quoteText, type SpotMarket } from "./instruments.ts";

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
