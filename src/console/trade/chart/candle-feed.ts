/**
 * The candles of an open chart: the newest over REST, then the stream, older ones on demand, and
 * REST again after a gap.
 */
import type { RialtoClient, StreamKline, Subscription } from "../../../client/index.ts";
import { candlesBetween } from "../../../domain/index.ts";
import { LiveValue } from "../../data/live-value.ts";
import type { TradeMarket } from "../market.tsx";
import { CANDLES_MAX, CandleList } from "./candle-list.ts";
import { type CandleSubject, fetchNewestCandles, fetchOlderCandles } from "./fetch-candles.ts";

export interface FeedPhase {
  readonly name: "loading" | "live" | "empty" | "failed";
  readonly error: Error | null;
}

export interface CandleFeedOptions {
  readonly client: RialtoClient;
  readonly streams: TradeMarket["streams"];
  readonly subject: CandleSubject;
  /** Called after every change with the first time affected. */
  readonly onChange: (fromTime: number) => void;
}

export class CandleFeed {
  readonly phase = new LiveValue<FeedPhase>({ name: "loading", error: null });
  readonly candles = new CandleList();
  readonly subject: CandleSubject;
  readonly #options: CandleFeedOptions;
  readonly #subscription: Subscription<StreamKline>;
  readonly #closing = new AbortController();
  readonly #stopState: () => void;
  #isLoaded = false;
  #older: Promise<boolean> | null = null;
  #hasOlder = true;

  constructor(options: CandleFeedOptions) {
    this.#options = options;
    const { streams } = options;
    this.subject = options.subject;
    this.#subscription = subscribe(options);
    this.#subscription.listen((kline) => this.#take(kline));
    this.#subscription.ready.catch((error: Error) => this.#fail(error));
    this.#stopState = streams.onState(({ resumed }) => {
      if (resumed) this.refresh();
    });
    this.refresh();
  }

  /** Whether the first REST response has arrived. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Fetches the newest candles. */
  readonly refresh = (): void => {
    const { client } = this.#options;
    const { signal } = this.#closing;
    fetchNewestCandles(client, this.subject, signal).then(
      (candles) => {
        if (signal.aborted) return;
        this.#isLoaded = true;
        // A gap wider than one response: older candles are loaded again on demand.
        const first = candles[0];
        const newest = this.candles.newest;
        const isDetached =
          first !== undefined &&
          newest !== undefined &&
          candlesBetween(this.subject.interval, newest.openTime, first.openTime) > 1;
        if (isDetached) this.candles.clear();
        this.candles.merge(candles);
        this.#tell(0);
      },
      (error: Error) => this.#fail(error),
    );
  };

  /** Loads a page of older candles; false if there are none. */
  loadOlder(): Promise<boolean> {
    this.#older ??= this.#loadOlder().finally(() => {
      this.#older = null;
    });
    return this.#older;
  }

  async #loadOlder(): Promise<boolean> {
    const { client } = this.#options;
    const { signal } = this.#closing;
    const { oldest, all } = this.candles;
    if (oldest === undefined || !this.#hasOlder || all.length >= CANDLES_MAX) return false;
    try {
      const candles = await fetchOlderCandles(client, this.subject, oldest.openTime, signal);
      if (signal.aborted) return false;
      this.#hasOlder = candles.length > 0;
      this.candles.merge(candles);
      return this.#hasOlder;
    } catch {
      // Scrolling on tries again.
      return true;
    }
  }

  close(): void {
    this.#closing.abort();
    this.#stopState();
    this.#subscription.close();
  }

  #take(kline: StreamKline): void {
    const { newest } = this.candles;
    const { interval } = this.subject;
    this.candles.put(kline);
    if (!this.#isLoaded) return;
    // The page slept, or the stream skipped candles.
    if (newest !== undefined && candlesBetween(interval, newest.openTime, kline.openTime) > 1) {
      this.refresh();
    }
    this.#tell(kline.openTime);
  }

  #tell(fromTime: number): void {
    const name = this.candles.all.length === 0 ? "empty" : "live";
    if (this.phase.get().name !== name) this.phase.set({ name, error: null });
    this.#options.onChange(fromTime);
  }

  #fail(error: Error): void {
    if (this.#closing.signal.aborted || this.phase.get().name === "live") return;
    this.phase.set({ name: "failed", error });
  }
}

function subscribe({ streams, subject }: CandleFeedOptions): Subscription<StreamKline> {
  const { symbol, interval, priceType } = subject;
  // Spot only has last-price candles and ignores the third argument.
  return streams.klines(symbol, interval, priceType);
}
