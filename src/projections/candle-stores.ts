/** Where the candles of spot markets and of contracts are kept. */
import type { HistoryDatabase, RowSink } from "../store/index.ts";
import type { CandleStore } from "./candles.ts";
import type { ContractCandleSeries, SpotMarket } from "./instruments.ts";
import { RowReaders } from "./row-readers.ts";

export function spotCandleStore(history: HistoryDatabase, sink: RowSink): CandleStore<SpotMarket> {
  const newest = new RowReaders(history).row(
    "spot_candles",
    ["symbol", "candle_interval"],
    "open_ms",
  );
  return {
    newest: ({ symbol }, interval) => newest(symbol, interval),
    write: ({ symbol }, row) => sink.upsert("spot_candles", { symbol, ...row }),
  };
}

export function contractCandleStore(
  history: HistoryDatabase,
  sink: RowSink,
): CandleStore<ContractCandleSeries> {
  const newest = new RowReaders(history).row(
    "contract_candles",
    ["symbol", "price_type", "candle_interval"],
    "open_ms",
  );
  return {
    newest: ({ symbol, priceType }, interval) => newest(symbol, priceType, interval),
    write: ({ symbol, priceType }, row) =>
      sink.upsert("contract_candles", { symbol, price_type: priceType, ...row }),
  };
}
