/** The columns that the candles of spot and of contracts share. */
import type { CandleInterval } from "../domain/index.ts";
import { integer, text } from "./table.ts";

export const CANDLE = {
  candle_interval: text<CandleInterval>(),
  open_ms: integer(),
  open: text(),
  high: text(),
  low: text(),
  close: text(),
  base_volume: text(),
  quote_volume: text(),
  trades: integer(),
  taker_base_volume: text(),
  taker_quote_volume: text(),
};
