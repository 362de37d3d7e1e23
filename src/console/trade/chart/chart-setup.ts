/** What the user chose for the chart of a market; kept in the browser, per market. */
import { useCallback, useState } from "react";
import type { PriceType } from "../../../client/index.ts";
import type { CandleInterval } from "../../../domain/index.ts";
import type { Product } from "../market-rules.ts";
import { DRAWING_TOOLS, type Drawing } from "./drawings.ts";
import { INTERVALS } from "./fetch-candles.ts";
import { INDICATORS, type IndicatorChoice, readPeriods } from "./indicators.ts";

export const CANDLE_STYLES = [
  { value: "candles", text: "Candles" },
  { value: "hollow", text: "Hollow" },
  { value: "bars", text: "Bars" },
  { value: "line", text: "Line" },
  { value: "area", text: "Area" },
] as const;
export type CandleStyle = (typeof CANDLE_STYLES)[number]["value"];

/** Of the price axis, by the library's names. */
export const SCALES = [
  { value: "normal", text: "Linear" },
  { value: "logarithm", text: "Log" },
  { value: "percentage", text: "Percent" },
] as const;
export type Scale = (typeof SCALES)[number]["value"];

export interface ChartSetup {
  readonly interval: CandleInterval;
  readonly priceType: PriceType;
  readonly style: CandleStyle;
  readonly scale: Scale;
  /** Whether the user's fills are marked on the candles. */
  readonly marksFills: boolean;
  /** In the order in which they were added. */
  readonly indicators: readonly IndicatorChoice[];
  readonly drawings: readonly Drawing[];
}

/** Short, so that new users see candles move. */
const FIRST_INTERVAL: CandleInterval = "1m";
/** What a market that was never opened begins with. */
const LAST_INTERVAL_KEY = "rialto.interval";
const DRAWINGS_MAX = 200;

const keyOf = (product: Product, symbol: string): string => `rialto.chart.${product}.${symbol}`;

/** The setup of a market, and a function that changes and keeps it. */
export function useChartSetup(
  product: Product,
  symbol: string,
): [ChartSetup, (part: Partial<ChartSetup>) => void] {
  const [setup, setSetup] = useState(() => loadSetup(product, symbol));
  const change = useCallback(
    (part: Partial<ChartSetup>): void =>
      setSetup((before) => {
        const next = { ...before, ...part };
        localStorage.setItem(keyOf(product, symbol), JSON.stringify(next));
        if (part.interval !== undefined) localStorage.setItem(LAST_INTERVAL_KEY, part.interval);
        return next;
      }),
    [product, symbol],
  );
  return [setup, change];
}

function loadSetup(product: Product, symbol: string): ChartSetup {
  const lastInterval = localStorage.getItem(LAST_INTERVAL_KEY);
  return readSetup(product, localStorage.getItem(keyOf(product, symbol)), lastInterval);
}

/** Reads what an earlier version or anybody else may have written: what is wrong is left out. */
export function readSetup(
  product: Product,
  text: string | null,
  lastInterval: string | null,
): ChartSetup {
  const stored = parse(text);
  const intervals = INTERVALS[product];
  const interval =
    intervals.find((each) => each === stored.interval) ??
    intervals.find((each) => each === lastInterval) ??
    FIRST_INTERVAL;
  const isMark = product === "contract" && stored.priceType === "MARK_PRICE";
  return {
    interval,
    priceType: isMark ? "MARK_PRICE" : "LAST_PRICE",
    style: CANDLE_STYLES.find(({ value }) => value === stored.style)?.value ?? "candles",
    scale: SCALES.find(({ value }) => value === stored.scale)?.value ?? "normal",
    marksFills: stored.marksFills !== false,
    indicators: Array.isArray(stored.indicators)
      ? stored.indicators.flatMap(readIndicator)
      : [{ name: "VOL", periods: [] }],
    drawings: Array.isArray(stored.drawings)
      ? stored.drawings.slice(0, DRAWINGS_MAX).flatMap(readDrawing)
      : [],
  };
}

type Stored = Readonly<Record<string, unknown>>;

function parse(text: string | null): Stored {
  try {
    return recordOf(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Stored {
  return typeof value === "object" && value !== null ? (value as Stored) : {};
}

function readIndicator(value: unknown): IndicatorChoice[] {
  const { name, periods } = recordOf(value);
  const kind = INDICATORS.find((each) => each.name === name);
  if (kind === undefined || !Array.isArray(periods)) return [];
  return [{ name: kind.name, periods: readPeriods(kind, periods) }];
}

function readDrawing(value: unknown): Drawing[] {
  const { id, tool, points, text } = recordOf(value);
  const kind = DRAWING_TOOLS.find((each) => each.tool === tool);
  if (kind === undefined || typeof id !== "string" || !Array.isArray(points)) return [];
  const read = points
    .map(recordOf)
    .flatMap(({ time, price }) =>
      typeof time === "number" && typeof price === "number" ? [{ time, price }] : [],
    );
  if (read.length !== kind.points) return [];
  return [{ id, tool: kind.tool, points: read, text: typeof text === "string" ? text : "" }];
}
