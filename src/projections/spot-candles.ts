/**
 * Read model: candles of every interval. Trades are summed by minute in memory, a finished minute
 * is folded into the running candle of each interval, and a row is written when its candle is over
 * or the transaction ends.
 */
import { CANDLE_INTERVALS, type CandleInterval, candleOpenMs } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import {
  compareDecimals,
  decimalUnits,
  type RowSink,
  type SpotCandlesTable,
} from "../store/index.ts";
import { baseText, priceText, quoteText, type SpotMarket } from "./listings.ts";

/** The trades of one market in one minute, under one tick size. */
interface MinuteSum {
  readonly market: SpotMarket;
  readonly minuteMs: number;
  readonly openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  trades: number;
  baseMinor: bigint;
  quoteMinor: bigint;
  takerBaseMinor: bigint;
  takerQuoteMinor: bigint;
}

interface RunningCandle {
  readonly interval: CandleInterval;
  openMs: number;
  open: string;
  high: string;
  low: string;
  close: string;
  trades: number;
  baseMinor: bigint;
  quoteMinor: bigint;
  takerBaseMinor: bigint;
  takerQuoteMinor: bigint;
  isWritten: boolean;
}

/** Reads the newest stored candle of a market and interval. */
export type NewestCandle = (
  symbol: string,
  interval: CandleInterval,
) => SpotCandlesTable | undefined;

export class SpotCandles {
  readonly #newestCandle: NewestCandle;
  readonly #sink: RowSink;
  readonly #minutes = new Map<string, MinuteSum>();
  readonly #running = new Map<string, readonly RunningCandle[]>();

  constructor(newestCandle: NewestCandle, sink: RowSink) {
    this.#newestCandle = newestCandle;
    this.#sink = sink;
  }

  add(event: EventOf<"spot-trade">, market: SpotMarket, timestampMs: number): void {
    const minuteMs = candleOpenMs("1m", timestampMs);
    let sum = this.#minutes.get(event.symbol);
    if (sum === undefined || sum.minuteMs !== minuteMs || sum.market !== market) {
      if (sum !== undefined) this.#fold(sum);
      sum = emptyMinute(market, minuteMs, event.priceTicks);
      this.#minutes.set(event.symbol, sum);
    }
    sum.highTicks = Math.max(sum.highTicks, event.priceTicks);
    sum.lowTicks = Math.min(sum.lowTicks, event.priceTicks);
    sum.closeTicks = event.priceTicks;
    sum.trades++;
    sum.baseMinor += event.baseMinor;
    sum.quoteMinor += event.quoteMinor;
    if (event.takerSide === "BUY") {
      sum.takerBaseMinor += event.baseMinor;
      sum.takerQuoteMinor += event.quoteMinor;
    }
  }

  /** Writes all that has changed; called before the transaction ends. */
  flush(): void {
    for (const sum of this.#minutes.values()) {
      this.#fold(sum);
      for (const candle of this.#candlesOf(sum.market)) this.#write(sum.market, candle);
    }
    this.#minutes.clear();
  }

  #fold(sum: MinuteSum): void {
    const { market } = sum;
    const open = priceText(market, sum.openTicks);
    const high = priceText(market, sum.highTicks);
    const low = priceText(market, sum.lowTicks);
    const close = priceText(market, sum.closeTicks);
    for (const candle of this.#candlesOf(market)) {
      const openMs = candleOpenMs(candle.interval, sum.minuteMs);
      if (candle.openMs !== openMs) {
        this.#write(market, candle);
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

  #candlesOf(market: SpotMarket): readonly RunningCandle[] {
    const known = this.#running.get(market.symbol);
    if (known !== undefined) return known;
    const candles = CANDLE_INTERVALS.map((interval) => {
      const row = this.#newestCandle(market.symbol, interval);
      return row === undefined ? emptyCandle(interval, -1, "0") : readCandle(row, market);
    });
    this.#running.set(market.symbol, candles);
    return candles;
  }

  #write(market: SpotMarket, candle: RunningCandle): void {
    if (candle.isWritten) return;
    candle.isWritten = true;
    this.#sink.upsert("spot_candles", ["symbol", "candle_interval", "open_ms"], {
      symbol: market.symbol,
      candle_interval: candle.interval,
      open_ms: candle.openMs,
      open: candle.open,
      high: candle.high,
      low: candle.low,
      close: candle.close,
      base_volume: baseText(market, candle.baseMinor),
      quote_volume: quoteText(market, candle.quoteMinor),
      trades: candle.trades,
      taker_base_volume: baseText(market, candle.takerBaseMinor),
      taker_quote_volume: quoteText(market, candle.takerQuoteMinor),
    });
  }
}

function emptyMinute(market: SpotMarket, minuteMs: number, priceTicks: number): MinuteSum {
  return {
    market,
    minuteMs,
    openTicks: priceTicks,
    highTicks: priceTicks,
    lowTicks: priceTicks,
    closeTicks: priceTicks,
    trades: 0,
    baseMinor: 0n,
    quoteMinor: 0n,
    takerBaseMinor: 0n,
    takerQuoteMinor: 0n,
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
    trades: 0,
    baseMinor: 0n,
    quoteMinor: 0n,
    takerBaseMinor: 0n,
    takerQuoteMinor: 0n,
    isWritten: true,
  };
}

function readCandle(row: SpotCandlesTable, market: SpotMarket): RunningCandle {
  return {
    interval: row.candle_interval,
    openMs: row.open_ms,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    trades: row.trades,
    baseMinor: decimalUnits(row.base_volume, market.baseScale),
    quoteMinor: decimalUnits(row.quote_volume, market.quoteScale),
    takerBaseMinor: decimalUnits(row.taker_base_volume, market.baseScale),
    takerQuoteMinor: decimalUnits(row.taker_quote_volume, market.quoteScale),
    isWritten: true,
  };
}
