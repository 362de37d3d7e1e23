/** Indicators of the chart: which there are, their periods, and the one that the library lacks. */
import type { IndicatorTemplate, KLineData } from "klinecharts";

export interface IndicatorKind {
  readonly name: "MA" | "EMA" | "VWAP" | "BOLL" | "VOL" | "RSI" | "MACD";
  readonly text: string;
  /** Drawn over the candles, not in a pane of its own. */
  readonly isOverCandles: boolean;
  readonly periods: readonly Period[];
}

interface Period {
  readonly text: string;
  readonly usual: number;
  /** False: may be left empty, which leaves its line out. */
  readonly isNeeded: boolean;
}

const line = (text: string, usual: number): Period => ({ text, usual, isNeeded: false });
const needed = (text: string, usual: number): Period => ({ text, usual, isNeeded: true });
const LINES = ["Line 1", "Line 2", "Line 3"] as const;
const lines = (usual: readonly [number, number, number]): Period[] =>
  usual.map((period, i) => (i === 0 ? needed(LINES[0], period) : line(LINES[i] ?? "", period)));

export const INDICATORS: readonly IndicatorKind[] = [
  { name: "MA", text: "Moving average", isOverCandles: true, periods: lines([7, 25, 99]) },
  { name: "EMA", text: "Exponential average", isOverCandles: true, periods: lines([9, 21, 55]) },
  {
    name: "VWAP",
    text: "Volume-weighted price",
    isOverCandles: true,
    periods: [needed("Days", 1)],
  },
  {
    name: "BOLL",
    text: "Bollinger bands",
    isOverCandles: true,
    periods: [needed("Period", 20), needed("Deviations", 2)],
  },
  { name: "VOL", text: "Volume", isOverCandles: false, periods: [line("Average", 0)] },
  { name: "RSI", text: "RSI", isOverCandles: false, periods: [needed("Period", 14)] },
  {
    name: "MACD",
    text: "MACD",
    isOverCandles: false,
    periods: [needed("Fast", 12), needed("Slow", 26), needed("Signal", 9)],
  },
];

export interface IndicatorChoice {
  readonly name: IndicatorKind["name"];
  readonly periods: readonly number[];
}

const PERIOD_MAX = 500;

/** Whole numbers from 1 to 500; what is wrong is replaced by what is usual, or left out. */
export function readPeriods({ periods }: IndicatorKind, values: readonly unknown[]): number[] {
  return periods.flatMap(({ usual, isNeeded }, i) => {
    const value = Number(values[i]);
    if (Number.isInteger(value) && value >= 1 && value <= PERIOD_MAX) return [value];
    return isNeeded ? [usual] : [];
  });
}

export function usualPeriods({ periods }: IndicatorKind): number[] {
  return periods.flatMap(({ usual }) => (usual === 0 ? [] : [usual]));
}

const DAY_MS = 86_400_000;

/** Starts anew every so many UTC days. */
export function vwapOf(
  candles: readonly Pick<KLineData, "timestamp" | "high" | "low" | "close" | "volume">[],
  days: number,
): { readonly vwap?: number }[] {
  let session = Number.NaN;
  let value = 0;
  let volume = 0;
  return candles.map((candle) => {
    const own = Math.floor(candle.timestamp / (DAY_MS * days));
    if (own !== session) {
      session = own;
      value = 0;
      volume = 0;
    }
    const traded = candle.volume ?? 0;
    value += ((candle.high + candle.low + candle.close) / 3) * traded;
    volume += traded;
    return volume === 0 ? {} : { vwap: value / volume };
  });
}

export const VWAP: IndicatorTemplate<{ readonly vwap?: number }, number> = {
  name: "VWAP",
  shortName: "VWAP",
  series: "price",
  calcParams: [1],
  shouldOhlc: true,
  figures: [{ key: "vwap", title: "VWAP: ", type: "line" }],
  calc: (candles, { calcParams }) => vwapOf(candles, calcParams[0] ?? 1),
};
