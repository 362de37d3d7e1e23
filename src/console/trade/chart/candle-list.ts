/** The candles of a chart from REST and stream: sorted, unique, bounded. */

export interface ChartCandle {
  readonly openTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** The limit for scrolling back: indicators are computed anew with every change. */
export const CANDLES_MAX = 5_000;

export class CandleList {
  #candles: ChartCandle[] = [];

  /** Oldest first. */
  get all(): readonly ChartCandle[] {
    return this.#candles;
  }

  get oldest(): ChartCandle | undefined {
    return this.#candles[0];
  }

  get newest(): ChartCandle | undefined {
    return this.#candles.at(-1);
  }

  at(openTime: number): ChartCandle | undefined {
    const candle = this.#candles[this.#placeOf(openTime)];
    return candle?.openTime === openTime ? candle : undefined;
  }

  /** Candles from that opening time on, oldest first. */
  from(openTime: number): readonly ChartCandle[] {
    return this.#candles.slice(this.#placeOf(openTime));
  }

  clear(): void {
    this.#candles = [];
  }

  /** Adds a streamed candle: the open one or the one before it. */
  put(candle: ChartCandle): void {
    const place = this.#placeOf(candle.openTime);
    const isThere = this.#candles[place]?.openTime === candle.openTime;
    this.#candles.splice(place, isThere ? 1 : 0, candle);
    if (this.#candles.length > CANDLES_MAX) this.#candles.shift();
  }

  /** Adds REST candles; they win, except over the newest candle. */
  merge(candles: readonly ChartCandle[]): void {
    const newest = this.newest;
    const byTime = new Map(this.#candles.map((candle) => [candle.openTime, candle]));
    for (const candle of candles) byTime.set(candle.openTime, candle);
    // The stream may have updated the open candle while REST was responding.
    if (newest !== undefined && candles.at(-1)?.openTime === newest.openTime) {
      byTime.set(newest.openTime, newest);
    }
    this.#candles = [...byTime.values()]
      .sort((one, other) => one.openTime - other.openTime)
      .slice(-CANDLES_MAX);
  }

  #placeOf(openTime: number): number {
    let low = 0;
    let high = this.#candles.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#candles[middle]?.openTime ?? 0) < openTime) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
