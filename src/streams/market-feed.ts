/**
 * Market data of one product: the topics that somebody is subscribed to, and when each of them is
 * made anew. Durable events say what changed; trades are taken from them, everything else is asked
 * of the engine or the store, whose answers are of a durable point as well.
 */
import type { Product } from "../domain/index.ts";
import type { Event } from "../protocol/index.ts";
import { BookTickerTopic, type BookTopic, DepthTopic } from "./book-topics.ts";
import type { PublicChannel } from "./channel-name.ts";
import { type Listing, type Listings, priceText, quantityText } from "./listings.ts";
import { KlineTopic, TickerTopic, type TradeEntry, TradeTopic } from "./market-topics.ts";
import { Pace } from "./pace.ts";
import type { FeedPorts } from "./ports.ts";
import type { Subscriber, Topic } from "./topic.ts";

/** Candles are read from the store, so less often. */
const KLINE_PERIODS = 3;
/** The present candle, and the one before it, whose last trades may have come since. */
const KLINES_PER_MESSAGE = 2;

export class MarketFeed {
  readonly product: Product;
  readonly #ports: FeedPorts;
  readonly #listings: Listings;
  readonly #markets = new Map<string, SubscribedMarket>();

  constructor(product: Product, listings: Listings, ports: FeedPorts) {
    this.product = product;
    this.#listings = listings;
    this.#ports = ports;
  }

  subscribe(channel: PublicChannel, subscriber: Subscriber): Topic {
    const { symbol } = channel;
    let market = this.#markets.get(symbol);
    if (market === undefined) {
      market = new SubscribedMarket(this.product, symbol, this.#ports);
      this.#markets.set(symbol, market);
    }
    return market.subscribe(channel, subscriber);
  }

  unsubscribe(topic: Topic, subscriber: Subscriber): void {
    topic.remove(subscriber);
    if (!topic.isEmpty) return;
    for (const [symbol, market] of this.#markets) {
      if (market.drop(topic)) this.#markets.delete(symbol);
    }
  }

  /** Takes a durable event. */
  on(event: Event, timestampMs: number): void {
    if (this.#markets.size === 0 || !("symbol" in event) || event.symbol === null) return;
    const market = this.#markets.get(event.symbol);
    if (market === undefined) return;
    if (this.product === "spot") this.#onSpot(market, event, timestampMs);
    else this.#onContract(market, event, timestampMs);
  }

  stop(): void {
    for (const market of this.#markets.values()) market.stop();
    this.#markets.clear();
  }

  #onSpot(market: SubscribedMarket, event: Event, timestampMs: number): void {
    switch (event.type) {
      case "spot-trade": {
        const listing = this.#listings.market("spot", event.symbol);
        market.traded(tradeEntry(event, this.#listings, listing, event.quoteMinor, timestampMs));
        break;
      }
      case "spot-order-opened":
      case "spot-order-amended":
      case "spot-order-ended":
        market.bookChanged();
        break;
      default:
        break;
    }
  }

  #onContract(market: SubscribedMarket, event: Event, timestampMs: number): void {
    switch (event.type) {
      case "contract-trade": {
        // What a deleveraging or a netting brings together is no trade at the market's price.
        if (event.kind !== "book" && event.kind !== "liquidation") break;
        const listing = this.#listings.market("contract", event.symbol);
        market.traded(tradeEntry(event, this.#listings, listing, event.valueMinor, timestampMs));
        break;
      }
      case "contract-order-opened":
      case "contract-order-amended":
      case "contract-order-ended":
        market.bookChanged();
        break;
      case "contract-prices-changed":
        market.markChanged();
        break;
      default:
        break;
    }
  }
}

interface Traded {
  readonly tradeId: number;
  readonly priceTicks: number;
  readonly quantityLots: number;
  readonly takerSide: "BUY" | "SELL";
}

function tradeEntry(
  trade: Traded,
  listings: Listings,
  listing: Listing,
  valueMinor: bigint,
  timestampMs: number,
): TradeEntry {
  return {
    T: timestampMs,
    t: String(trade.tradeId),
    p: priceText(listing, trade.priceTicks),
    q: quantityText(listing, trade.quantityLots),
    v: listings.amountText(listing.quoteAsset, valueMinor),
    m: trade.takerSide === "SELL",
  };
}

/** A market with subscribers. */
class SubscribedMarket {
  readonly #product: Product;
  readonly #symbol: string;
  readonly #ports: FeedPorts;
  readonly #topics = new Map<string, Topic>();
  readonly #book: Pace;
  readonly #ticker: Pace;
  readonly #trades: Pace;
  readonly #klines: Pace;
  /** Whose candles may have changed since they were last asked for. */
  readonly #staleKlines = new Set<KlineTopic>();

  constructor(product: Product, symbol: string, ports: FeedPorts) {
    this.#product = product;
    this.#symbol = symbol;
    this.#ports = ports;
    const { periodMs, delayMs, clock, onFatal } = ports;
    const pace = (task: () => Promise<boolean>, periods = 1): Pace =>
      new Pace({
        // What waits for its turn is not made anew meanwhile.
        periodMs: () => Math.max(periods * periodMs, delayMs()),
        clock,
        task,
        onFatal,
      });
    this.#book = pace(() => this.#showBook());
    this.#ticker = pace(() => this.#showTicker());
    this.#trades = pace(() => this.#flushTrades());
    this.#klines = pace(() => this.#showKlines(), KLINE_PERIODS);
  }

  subscribe(channel: PublicChannel, subscriber: Subscriber): Topic {
    const known = this.#topics.get(channel.name);
    if (known !== undefined) {
      known.add(subscriber);
      return known;
    }
    const topic = newTopic(channel);
    this.#topics.set(channel.name, topic);
    topic.add(subscriber);
    if (isBookTopic(topic)) this.#book.ask();
    else if (topic instanceof TickerTopic) this.#ticker.ask();
    else if (topic instanceof KlineTopic) this.#stale(topic);
    return topic;
  }

  /** Forgets an empty topic; true when none is left. */
  drop(topic: Topic): boolean {
    if (this.#topics.get(topic.name) !== topic) return false;
    this.#topics.delete(topic.name);
    if (topic instanceof KlineTopic) this.#staleKlines.delete(topic);
    if (this.#topics.size > 0) return false;
    this.stop();
    return true;
  }

  stop(): void {
    for (const pace of [this.#book, this.#ticker, this.#trades, this.#klines]) pace.stop();
  }

  bookChanged(): void {
    if (this.#some(isBookTopic)) this.#book.ask();
  }

  traded(trade: TradeEntry): void {
    this.bookChanged();
    for (const topic of this.#topics.values()) {
      if (topic instanceof TradeTopic) {
        topic.take(trade);
        this.#trades.ask();
      } else if (topic instanceof TickerTopic) this.#ticker.ask();
      else if (topic instanceof KlineTopic && topic.price === "LAST_PRICE") this.#stale(topic);
    }
  }

  /** Mark or index. */
  markChanged(): void {
    for (const topic of this.#topics.values()) {
      if (topic instanceof TickerTopic) this.#ticker.ask();
      else if (topic instanceof KlineTopic && topic.price === "MARK_PRICE") this.#stale(topic);
    }
  }

  #some(isWanted: (topic: Topic) => boolean): boolean {
    return this.#topics.values().some(isWanted);
  }

  #stale(topic: KlineTopic): void {
    this.#staleKlines.add(topic);
    this.#klines.ask();
  }

  async #showBook(): Promise<boolean> {
    const { engine } = this.#ports;
    const levels = Math.max(0, ...[...this.#topics.values()].filter(isBookTopic).map(levelsOf));
    if (levels === 0) return true;
    const symbol = this.#symbol;
    const view =
      this.#product === "spot"
        ? await engine.ask({ type: "spot-depth", symbol, levels })
        : await engine.ask({ type: "contract-depth", symbol, levels });
    if (!view.ok) return false;
    let complete = true;
    for (const topic of this.#topics.values()) {
      if (!isBookTopic(topic)) continue;
      // A topic that came while the question was under way may need more levels than it had.
      if (topic.levels <= levels) topic.show(view.value, view.timestampMs);
      else complete = false;
    }
    return complete;
  }

  async #showTicker(): Promise<boolean> {
    const { engine } = this.#ports;
    const symbol = this.#symbol;
    const view =
      this.#product === "spot"
        ? await engine.ask({ type: "spot-tickers", symbol })
        : await engine.ask({ type: "contract-tickers", symbol });
    if (!view.ok) return false;
    const [ticker] = view.value;
    for (const topic of this.#topics.values()) {
      if (topic instanceof TickerTopic && ticker !== undefined) {
        topic.show(ticker, view.timestampMs);
      }
    }
    return true;
  }

  #flushTrades(): Promise<boolean> {
    for (const topic of this.#topics.values()) if (topic instanceof TradeTopic) topic.flush();
    return Promise.resolve(true);
  }

  async #showKlines(): Promise<boolean> {
    const topics = [...this.#staleKlines];
    this.#staleKlines.clear();
    // The answer tells how far the store has to be, so that the last trade is in the candle.
    const now = await this.#ports.engine.ask({ type: "spot-markets", symbol: null });
    if (!now.ok) {
      for (const topic of topics) this.#staleKlines.add(topic);
      return false;
    }
    for (const topic of topics) {
      const shown = await this.#showKline(topic, now.sequence, now.timestampMs);
      if (!shown && !topic.isEmpty) this.#staleKlines.add(topic);
    }
    return this.#staleKlines.size === 0;
  }

  async #showKline(topic: KlineTopic, sequence: number, nowMs: number): Promise<boolean> {
    const { history } = this.#ports;
    const { symbol, interval, price } = topic.channel;
    const time = { fromMs: null, toMs: null };
    const question = { symbol, interval, time, nowMs, limit: KLINES_PER_MESSAGE };
    const priceType = price === "MARK_PRICE" ? "MARK" : "LAST";
    const reply =
      this.#product === "spot"
        ? await history.ask("spot-candles", question, sequence)
        : await history.ask("contract-candles", { ...question, priceType }, sequence);
    if ("unavailable" in reply) return false;
    topic.show(reply.answer, nowMs);
    return true;
  }
}

function newTopic(channel: PublicChannel): Topic {
  switch (channel.kind) {
    case "depth":
      return new DepthTopic(channel.name, channel.symbol, channel.levels);
    case "bookTicker":
      return new BookTickerTopic(channel.name, channel.symbol);
    case "ticker":
      return new TickerTopic(channel.name);
    case "trade":
      return new TradeTopic(channel.name, channel.symbol);
    case "kline":
      return new KlineTopic(channel);
  }
}

function isBookTopic(topic: Topic): topic is BookTopic & Topic {
  return topic instanceof DepthTopic || topic instanceof BookTickerTopic;
}

function levelsOf({ levels }: BookTopic): number {
  return levels;
}
