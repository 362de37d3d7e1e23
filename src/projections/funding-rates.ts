/** Read model: the funding rate of every slot. */
import { formatDecimal, RATE_SCALE } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { type ContractMarket, priceText } from "./instruments.ts";

export function fundingRateRow(
  event: EventOf<"funding-settled">,
  market: ContractMarket,
): Row<"funding_rates"> {
  return {
    symbol: event.symbol,
    slot_ms: event.slotMs,
    rate: formatDecimal(event.rateE8, RATE_SCALE),
    index_price: priceText(market, event.indexTicks),
    mark_price: priceText(market, event.markTicks),
  };
}
