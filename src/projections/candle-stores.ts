/** Read model: candles of the trades of spot markets. */
import type { RowSink } from "../store/index.ts";
import type { CandleStore } from "./candles.ts";
import type { SpotMarket } from "./instruments.ts";

export function spotCandleStore(
  sink: RowSink,
  newest: CandleStore<SpotMarket>["newest"],
): CandleStore<SpotMarket> {
  return {
    newest,
    write({ symbol }, row) {
      sink.upsert("spot_candles", { symbol, ...row });
    },
  };
}
