/**
 * What makes the candles of contracts: trades, and the prices of index and mark, which have no
 * volume.
 */
import { powerOfTen } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Candles } from "./candles.ts";
import type { ContractCandleSeries, ContractMarket } from "./instruments.ts";

export function addTradeToCandles(
  candles: Candles<ContractCandleSeries>,
  event: EventOf<"contract-trade">,
  market: ContractMarket,
  timestampMs: number,
): void {
  const { step } = market;
  const series = market.candles.LAST;
  const baseMinor =
    BigInt(event.quantityLots) * BigInt(step.step) * powerOfTen(series.baseScale - step.scale);
  const takerBought = event.takerSide === "BUY";
  const traded = { baseMinor, quoteMinor: event.valueMinor, takerBought };
  candles.add(series, event.priceTicks, traded, timestampMs);
}

/** A price of 0 is none: there was no index yet. */
export function addPricesToCandles(
  candles: Candles<ContractCandleSeries>,
  event: EventOf<"contract-prices-changed">,
  market: ContractMarket,
  timestampMs: number,
): void {
  const { INDEX, MARK } = market.candles;
  if (event.indexTicks > 0) candles.add(INDEX, event.indexTicks, null, timestampMs);
  if (event.markTicks > 0) candles.add(MARK, event.markTicks, null, timestampMs);
}
