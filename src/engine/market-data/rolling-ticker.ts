/**
 * The rolling 24 hours of one market. Trades are kept as one bucket per second, folded into minutes
 * and hours so that a reading merges at most about 150 buckets. The window is (now − 24 h, now]: a
 * bucket counts while its last trade is inside, so the answer is exact for trades in different
 * seconds.
 *
 * Prices are in the market's price units, volumes in minor units.
 */
export interface TickerBucket {
  /** Start of the bucket. */
  startMs: number;
  openPrice: number;
  highPrice: number;
  /** Time of the first trade at the high. */
  highMs: number;
  lowPrice: number;
  lowMs: number;
  closePrice: number;
  lastMs: number;
  baseMinor: bigint;
  quoteMinor: bigint;
  trades: number;
}

export const WINDOW_MS = 24 * 60 * 60 * 1000;
const SPANS_MS = [1000, 60_000, 3_600_000] as const;
const COMPACT_AT = 4096;

/** Buckets of one span, oldest first. */
class BucketQueue {
  readonly spanMs: number;
  #buckets: TickerBucket[] = [];
  #head = 0;

  constructor(spanMs: number) {
    this.spanMs = spanMs;
  }

  add(bucket: Readonly<TickerBucket>): void {
    const startMs = bucket.startMs - (bucket.startMs % this.spanMs);
    const last = this.#buckets[this.#buckets.length - 1];
    if (last !== undefined && this.#buckets.length > this.#head && last.startMs === startMs) {
      merge(last, bucket);
    } else {
      this.#buckets.push({ ...bucket, startMs });
    }
  }

  /** Drops buckets that no later window can reach. */
  dropUntil(cutMs: number): void {
    while (this.#head < this.#buckets.length && this.#at(this.#head).lastMs <= cutMs) this.#head++;
    if (this.#head >= COMPACT_AT && this.#head * 2 > this.#buckets.length) {
      this.#buckets = this.#buckets.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Buckets that start in [fromMs, toMs), oldest first. */
  *between(fromMs: number, toMs: number): Generator<TickerBucket> {
    let low = this.#head;
    let high = this.#buckets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).startMs < fromMs) low = middle + 1;
      else high = middle;
    }
    for (; low < this.#buckets.length; low++) {
      const bucket = this.#at(low);
      if (bucket.startMs >= toMs) return;
      yield bucket;
    }
  }

  #at(index: number): TickerBucket {
    return this.#buckets[index] as TickerBucket;
  }
}

/** Adds a later bucket to an earlier one. */
function merge(into: TickerBucket, later: Readonly<TickerBucket>): void {
  if (later.highPrice > into.highPrice) {
    into.highPrice = later.highPrice;
    into.highMs = later.highMs;
  }
  if (later.lowPrice < into.lowPrice) {
    into.lowPrice = later.lowPrice;
    into.lowMs = later.lowMs;
  }
  into.closePrice = later.closePrice;
  into.lastMs = later.lastMs;
  into.baseMinor += later.baseMinor;
  into.quoteMinor += later.quoteMinor;
  into.trades += later.trades;
}

export class RollingTicker {
  readonly #seconds = new BucketQueue(SPANS_MS[0]);
  readonly #minutes = new BucketQueue(SPANS_MS[1]);
  readonly #hours = new BucketQueue(SPANS_MS[2]);
  /** Used again for every trade; the queues copy what they keep. */
  readonly #trade: TickerBucket = {
    startMs: 0,
    openPrice: 0,
    highPrice: 0,
    highMs: 0,
    lowPrice: 0,
    lowMs: 0,
    closePrice: 0,
    lastMs: 0,
    baseMinor: 0n,
    quoteMinor: 0n,
    trades: 1,
  };

  record(price: number, baseMinor: bigint, quoteMinor: bigint, timestampMs: number): void {
    const trade = this.#trade;
    trade.startMs = timestampMs - (timestampMs % SPANS_MS[0]);
    trade.openPrice = price;
    trade.highPrice = price;
    trade.highMs = timestampMs;
    trade.lowPrice = price;
    trade.lowMs = timestampMs;
    trade.closePrice = price;
    trade.lastMs = timestampMs;
    trade.baseMinor = baseMinor;
    trade.quoteMinor = quoteMinor;
    this.restore(trade);
    const cutMs = timestampMs - WINDOW_MS;
    this.#seconds.dropUntil(cutMs);
    this.#minutes.dropUntil(cutMs);
    this.#hours.dropUntil(cutMs);
  }

  /** Adds a bucket of a snapshot; buckets come oldest first. */
  restore(bucket: Readonly<TickerBucket>): void {
    this.#seconds.add(bucket);
    this.#minutes.add(bucket);
    this.#hours.add(bucket);
  }

  /** The buckets that a snapshot keeps. */
  buckets(): Iterable<Readonly<TickerBucket>> {
    return this.#seconds.between(0, Number.POSITIVE_INFINITY);
  }

  /** All trades in (nowMs − 24 h, nowMs] as one bucket; null when there is none. */
  window(nowMs: number): Readonly<TickerBucket> | null {
    const cutMs = nowMs - WINDOW_MS;
    let total: TickerBucket | null = null;
    const take = (bucket: TickerBucket): void => {
      if (bucket.lastMs <= cutMs) return;
      if (total === null) total = { ...bucket };
      else merge(total, bucket);
    };
    // Only the minute that the cut falls into needs its seconds, only the hour its minutes.
    const minuteEndMs = cutMs - (cutMs % SPANS_MS[1]) + SPANS_MS[1];
    const hourEndMs = cutMs - (cutMs % SPANS_MS[2]) + SPANS_MS[2];
    for (const bucket of this.#seconds.between(cutMs - SPANS_MS[0], minuteEndMs)) take(bucket);
    for (const bucket of this.#minutes.between(minuteEndMs, hourEndMs)) take(bucket);
    for (const bucket of this.#hours.between(hourEndMs, Number.POSITIVE_INFINITY)) take(bucket);
    return total;
  }

  /** Prices become `factor` times finer units. */
  rescale(factor: number): RollingTicker {
    const rescaled = new RollingTicker();
    for (const bucket of this.buckets()) {
      rescaled.restore({
        ...bucket,
        openPrice: bucket.openPrice * factor,
        highPrice: bucket.highPrice * factor,
        lowPrice: bucket.lowPrice * factor,
        closePrice: bucket.closePrice * factor,
      });
    }
    return rescaled;
  }
}
