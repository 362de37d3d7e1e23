/** Candles by looking through all prices of a series, by the platform's own calendar. */
import type { Candle, CandleInterval, TimeRange } from "../../src/queries/index.ts";
import { text } from "../support/exact.ts";

/** A price at a time, of a trade or not. Price and amounts are whole numbers of 10^-18. */
export interface PricePoint {
  readonly timeMs: number;
  readonly price: bigint;
  readonly traded: {
    readonly base: bigint;
    readonly quote: bigint;
    readonly takerBought: boolean;
  } | null;
}

export interface CandleQuestion {
  readonly interval: CandleInterval;
  readonly time: TimeRange;
  readonly nowMs: number;
  readonly limit: number;
}

export function naiveCandles(points: readonly PricePoint[], q: CandleQuestion): Candle[] {
  const first = points[0];
  if (first === undefined) return [];
  const firstOpenMs = calendar(q.interval, first.timeMs)[0];
  const opens: number[] = [];
  let openMs = calendar(q.interval, Math.min(q.nowMs, q.time.toMs ?? q.nowMs))[0];
  while (openMs >= firstOpenMs && isIn(q.time, openMs) && opens.length < q.limit) {
    opens.unshift(openMs);
    openMs = calendar(q.interval, openMs - 1)[0];
  }
  return opens.map((open) => {
    const nextMs = calendar(q.interval, open)[1];
    const inside = points.filter(({ timeMs }) => timeMs >= open && timeMs < nextMs);
    const before = points.findLast(({ timeMs }) => timeMs < open);
    return candleOf(open, nextMs, inside, before?.price ?? 0n);
  });
}

function candleOf(
  openMs: number,
  nextMs: number,
  points: readonly PricePoint[],
  flat: bigint,
): Candle {
  const prices = points.map(({ price }) => price);
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
  const trades = points.flatMap(({ traded }) => (traded === null ? [] : [traded]));
  const bought = trades.filter(({ takerBought }) => takerBought);
  const total = (amounts: readonly bigint[]) => text(amounts.reduce((a, b) => a + b, 0n));
  return {
    openMs,
    closeMs: nextMs - 1,
    open: text(prices[0] ?? flat),
    high: text(sorted.at(-1) ?? flat),
    low: text(sorted[0] ?? flat),
    close: text(prices.at(-1) ?? flat),
    baseVolume: total(trades.map(({ base }) => base)),
    quoteVolume: total(trades.map(({ quote }) => quote)),
    trades: trades.length,
    takerBaseVolume: total(bought.map(({ base }) => base)),
    takerQuoteVolume: total(bought.map(({ quote }) => quote)),
  };
}

/** Beginning of the interval of a time and of the next one, by the platform's calendar. */
function calendar(interval: CandleInterval, timeMs: number): [number, number] {
  const date = new Date(timeMs);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (interval === "1M") return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
  if (interval === "1w") {
    const monday = day - ((date.getUTCDay() + 6) % 7);
    return [Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7)];
  }
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 }[interval.at(-1) as "m" | "h" | "d"];
  const length = Number.parseInt(interval, 10) * unit;
  const midnight = Date.UTC(year, month, day);
  const open = midnight + Math.floor((timeMs - midnight) / length) * length;
  return [open, open + length];
}

export function isIn({ fromMs, toMs }: TimeRange, timeMs: number): boolean {
  return (fromMs === null || timeMs >= fromMs) && (toMs === null || timeMs <= toMs);
}
