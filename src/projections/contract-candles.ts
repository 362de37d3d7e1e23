/**
 * Read model: candles of contracts, of the trades and of the index and the mark. Every change of
 * prices is a price of both index and mark, without volume.
 */

import { powerOfTen } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { RowSink } from "../store/index.ts";
import type { CandleStore, Candles } from "./candles.ts";
import type { ContractCandleSeries, ContractMarket } from "./instruments.ts";

export function contractCandleStore(
  sink: RowSink,
  newest: CandleStore<ContractCandleSeries>["newest"],
): CandleStore<ContractCandleSeries> {
  return {
    newest,
    write({ symbol, priceType }, row) {
      sink.upsert("contract_candles", { symbol, price_type: priceType, ...row });
    },
  };
}

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
