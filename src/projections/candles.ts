/**
 * Candles of every interval. Prices are summed by minute in memory, a finished minute is added to
 * the running candle of each interval, and a row is written when its candle or the transaction
 * ends.
 */
import {
  CANDLE_INTERVALS,
  type CandleInterval,
  candleOpenMs,
  formatDecimal,
  formatSteps,
  type Grid,
} from "../domain/index.ts";
import { compareDecimals, decimalUnits, type Row } from "../store/index.ts";

/** One price of one market under one tick size; another tick size is another object. */
export interface CandleSeries {
  /** The same under every tick size. */
  readonly key: string;
  readonly tick: Grid;
  readonly baseScale: number;
  readonly quoteScale: number;
}

/** A stored candle, without the columns that name its series. */
export type CandleRow = Omit<Row<"spot_candles">, "symbol">;

export interface CandleStore<Series> {
  newest(series: Series, interval: CandleInterval): CandleRow | undefined;
  write(series: Series, row: CandleRow): void;
}

/** The traded volume of a price; a price that is no trade has none. */
export interface Traded {
  readonly baseMinor: bigint;
  readonly quoteMinor: bigint;
  readonly takerBought: boolean;
}

interface Volumes {
  trades: number;
  baseMinor: bigint;
  quoteMinor: bigint;
  takerBaseMinor: bigint;
  takerQuoteMinor: bigint;
}

/** The prices of one series in one minute. */
interface MinuteSum<Series> extends Volumes {
  readonly series: Series;
  readonly minuteMs: number;
  readonly openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
}

interface RunningCandle extends Volumes {
  readonly interval: CandleInterval;
  openMs: number;
  open: string;
  high: string;
  low: string;
  close: string;
  isWritten: boolean;
}

export class Candles<Series extends CandleSeries> {
  readonly #store: CandleStore<Series>;
  readonly #minutes = new Map<string, MinuteSum<Series>>();
  readonly #running = new Map<string, readonly RunningCandle[]>();

  constructor(store: CandleStore<Series>) {
    this.#store = store;
  }

  /** A price, of a trade unless `traded` is null. */
  add(series: Series, priceTicks: number, traded: Traded | null, timestampMs: number): void {
    const minuteMs = candleOpenMs("1m", timestampMs);
    let sum = this.#minutes.get(series.key);
    if (sum === undefined || sum.minuteMs !== minuteMs || sum.series !== series) {
      if (sum !== undefined) this.#fold(sum);
      sum = emptyMinute(series, minuteMs, priceTicks);
      this.#minutes.set(series.key, sum);
    }
    sum.highTicks = Math.max(sum.highTicks, priceTicks);
    sum.lowTicks = Math.min(sum.lowTicks, priceTicks);
    sum.closeTicks = priceTicks;
    if (traded === null) return;
    sum.trades++;
    sum.baseMinor += traded.baseMinor;
    sum.quoteMinor += traded.quoteMinor;
    if (traded.takerBought) {
      sum.takerBaseMinor += traded.baseMinor;
      sum.takerQuoteMinor += traded.quoteMinor;
    }
  }

  /** Writes the changed candles; called before the transaction ends. */
  flush(): void {
    for (const sum of this.#minutes.values()) {
      this.#fold(sum);
      for (const candle of this.#candlesOf(sum.series)) this.#write(sum.series, candle);
    }
    this.#minutes.clear();
  }

  #fold(sum: MinuteSum<Series>): void {
    const { series } = sum;
    const open = formatSteps(sum.openTicks, series.tick);
    const high = formatSteps(sum.highTicks, series.tick);
    const low = formatSteps(sum.lowTicks, series.tick);
    const close = formatSteps(sum.closeTicks, series.tick);
    for (const candle of this.#candlesOf(series)) {
      const openMs = candleOpenMs(candle.interval, sum.minuteMs);
      if (candle.openMs !== openMs) {
        this.#write(series, candle);
        Object.assign(candle, emptyCandle(candle.interval, openMs, open));
      }
      if (compareDecimals(high, candle.high) > 0) candle.high = high;
      if (compareDecimals(low, candle.low) < 0) candle.low = low;
      candle.close = close;
      candle.trades += sum.trades;
      candle.baseMinor += sum.baseMinor;
      candle.quoteMinor += sum.quoteMinor;
      candle.takerBaseMinor += sum.takerBaseMinor;
      candle.takerQuoteMinor += sum.takerQuoteMinor;
      candle.isWritten = false;
    }
  }

  #candlesOf(series: Series): readonly RunningCandle[] {
    const known = this.#running.get(series.key);
    if (known !== undefined) return known;
    const candles = CANDLE_INTERVALS.map((interval) => {
      const row = this.#store.newest(series, interval);
      return row === undefined ? emptyCandle(interval, -1, "0") : readCandle(row, series);
    });
    this.#running.set(series.key, candles);
    return candles;
  }

  #write(series: Series, candle: RunningCandle): void {
    if (candle.isWritten) return;
    candle.isWritten = true;
    this.#store.write(series, {
      candle_interval: candle.interval,
      open_ms: candle.openMs,
      open: candle.open,
      high: candle.high,
      low: candle.low,
      close: candle.close,
      base_volume: formatDecimal(candle.baseMinor, series.baseScale),
      quote_volume: formatDecimal(candle.quoteMinor, series.quoteScale),
      trades: candle.trades,
      taker_base_volume: formatDecimal(candle.takerBaseMinor, series.baseScale),
      taker_quote_volume: formatDecimal(candle.takerQuoteMinor, series.quoteScale),
    });
  }
}

function noVolumes(): Volumes {
  return { trades: 0, baseMinor: 0n, quoteMinor: 0n, takerBaseMinor: 0n, takerQuoteMinor: 0n };
}

function emptyMinute<Series>(
  series: Series,
  minuteMs: number,
  priceTicks: number,
): MinuteSum<Series> {
  return {
    series,
    minuteMs,
    openTicks: priceTicks,
    highTicks: priceTicks,
    lowTicks: priceTicks,
    closeTicks: priceTicks,
    ...noVolumes(),
  };
}

function emptyCandle(interval: CandleInterval, openMs: number, price: string): RunningCandle {
  return {
    interval,
    openMs,
    open: price,
    high: price,
    low: price,
    close: price,
    isWritten: true,
    ...noVolumes(),
  };
}

function readCandle(row: CandleRow, series: CandleSeries): RunningCandle {
  return {
    interval: row.candle_interval,
    openMs: row.open_ms,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    trades: row.trades,
    baseMinor: decimalUnits(row.base_volume, series.baseScale),
    quoteMinor: decimalUnits(row.quote_volume, series.quoteScale),
    takerBaseMinor: decimalUnits(row.taker_base_volume, series.baseScale),
    takerQuoteMinor: decimalUnits(row.taker_quote_volume, series.quoteScale),
    isWritten: true,
  };
}
