/**
 * Market data of one product: the channels that have subscribers, and when each is updated. Durable
 * events say what changed. Trades are taken from them; everything else is queried from the engine
 * or the store, whose answers are also of a durable point.
 */

import type { PublicChannel } from "../../api/channel-names.ts";
import { candlesBetween, type Product } from "../../domain/index.ts";
import type { Event, EventType } from "../../protocol/index.ts";
import type { Candle, TimeRange } from "../../queries/history-port.ts";
import type { Named } from "../channels/dialect.ts";
import {
  type Instruments,
  type Listing,
  priceText,
  quantityText,
} from "../channels/instruments.ts";
import type { FeedPorts } from "../channels/ports.ts";
import type { Publisher } from "../channels/publisher.ts";
import { Throttle } from "../channels/throttle.ts";
import type { Subscriber, Topic } from "../channels/topic.ts";
import type { ContractPrices, PublicTrade } from "../channels/updates.ts";
import { BookFollower } from "./book-follower.ts";
import type { BookEvent } from "./book-mirror.ts";
import { BestPricesPublisher, type BookPublisher, DepthPublisher } from "./book-publishers.ts";
import {
  BookChangesPublisher,
  BookOrdersPublisher,
  CommandPublisher,
  type FollowedBook,
} from "./command-publishers.ts";
import {
  KLINES_PER_MESSAGE,
  KlinePublisher,
  TickerPublisher,
  TradePublisher,
} from "./market-publishers.ts";

/** Candles are read from the store, so less often. */
const KLINE_PERIODS = 3;
/** Where candles have passed since the last message, which a sandbox's clock can do in no time. */
const MAX_KLINES_PER_MESSAGE = 100;

/** The contract fields of a spot ticker when no contract has its name. */
const NO_CONTRACT: ContractPrices = { markPrice: "0", indexPrice: "0", openInterest: "0" };

/** Events that the markets need. While every book is due for a query, order events add nothing. */
export type MarketInterest = "nothing" | "trades" | "everything";

const TRADES = {
  spot: ["spot-trade"],
  contract: ["contract-trade", "contract-prices-changed"],
} as const;
const ORDERS = {
  spot: ["spot-order-opened", "spot-order-amended", "spot-order-ended"],
  contract: ["contract-order-opened", "contract-order-amended", "contract-order-ended"],
} as const;

/** The events behind an interest. */
export const MARKET_EVENTS: Readonly<
  Record<Product, Readonly<Record<MarketInterest, readonly EventType[]>>>
> = {
  spot: { nothing: [], trades: TRADES.spot, everything: [...TRADES.spot, ...ORDERS.spot] },
  contract: {
    nothing: [],
    trades: TRADES.contract,
    everything: [...TRADES.contract, ...ORDERS.contract],
  },
};

export class MarketFeed {
  readonly product: Product;
  readonly #ports: FeedPorts;
  readonly #instruments: Instruments;
  readonly #markets = new Map<string, SubscribedMarket>();
  /** Markets whose book is followed and that had an event in the current command. */
  readonly #changed = new Set<SubscribedMarket>();

  constructor(product: Product, instruments: Instruments, ports: FeedPorts) {
    this.product = product;
    this.#instruments = instruments;
    this.#ports = ports;
  }

  subscribe(named: Named<PublicChannel>, subscriber: Subscriber): Topic {
    const { symbol } = named.channel;
    let market = this.#markets.get(symbol);
    if (market === undefined) {
      market = new SubscribedMarket(this.product, symbol, this.#instruments, this.#ports);
      this.#markets.set(symbol, market);
    }
    return market.subscribe(named, subscriber);
  }

  unsubscribe(topic: Topic, subscriber: Subscriber): void {
    topic.remove(subscriber);
    if (!topic.isEmpty) return;
    for (const [symbol, market] of this.#markets) {
      if (market.drop(topic)) this.#markets.delete(symbol);
    }
  }

  get interest(): MarketInterest {
    if (this.#markets.size === 0) return "nothing";
    for (const market of this.#markets.values()) if (!market.isBookDue) return "everything";
    return "trades";
  }

  /** How many orders rest in a book; null when the exchange is too busy. */
  async orderCount(symbol: string): Promise<number | null> {
    const type = `${this.product}-book` as const;
    const view = await this.#ports.engine.query({ type, symbol, ordersMax: 0 });
    return view.ok ? view.value.orderCount : null;
  }

  /** Takes a durable event. */
  on(event: Event, sequence: number, timestampMs: number): void {
    if (this.#markets.size === 0 || !("symbol" in event) || event.symbol === null) return;
    const market = this.#markets.get(event.symbol);
    if (market === undefined) return;
    if (market.follows(event, sequence, timestampMs)) this.#changed.add(market);
    if (this.product === "spot") this.#onSpot(market, event, timestampMs);
    else this.#onContract(market, event, timestampMs);
  }

  /** All events of the current command have been taken. */
  endCommand(): void {
    if (this.#changed.size === 0) return;
    for (const market of this.#changed) market.endCommand();
    this.#changed.clear();
  }

  stop(): void {
    for (const market of this.#markets.values()) market.stop();
    this.#markets.clear();
    this.#changed.clear();
  }

  #onSpot(market: SubscribedMarket, event: Event, timestampMs: number): void {
    switch (event.type) {
      case "spot-trade": {
        const listing = this.#instruments.market("spot", event.symbol);
        market.traded(
          publicTrade(event, this.#instruments, listing, event.quoteMinor, timestampMs),
        );
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
        // A match made by deleveraging or netting is not a trade at the market's price.
        if (event.kind !== "book" && event.kind !== "liquidation") break;
        const listing = this.#instruments.market("contract", event.symbol);
        market.traded(
          publicTrade(event, this.#instruments, listing, event.valueMinor, timestampMs),
        );
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

function publicTrade(
  trade: Traded,
  instruments: Instruments,
  listing: Listing,
  valueMinor: bigint,
  timestampMs: number,
): PublicTrade {
  return {
    tradeId: String(trade.tradeId),
    price: priceText(listing, trade.priceTicks),
    quantity: quantityText(listing, trade.quantityLots),
    value: instruments.amountText(listing.quoteAsset, valueMinor),
    isBuyerMaker: trade.takerSide === "SELL",
    timestampMs,
  };
}

/** A market with subscribers. */
class SubscribedMarket {
  readonly #product: Product;
  readonly #symbol: string;
  readonly #instruments: Instruments;
  readonly #ports: FeedPorts;
  readonly #publishers = new Map<string, Publisher>();
  readonly #book: Throttle;
  readonly #ticker: Throttle;
  readonly #trades: Throttle;
  readonly #klines: Throttle;
  /** Markets whose candles may have changed since they were last queried. */
  readonly #staleKlines = new Set<KlinePublisher>();
  /** Null while nobody wants every change of the book. */
  #follower: BookFollower | null = null;

  constructor(product: Product, symbol: string, instruments: Instruments, ports: FeedPorts) {
    this.#product = product;
    this.#symbol = symbol;
    this.#instruments = instruments;
    this.#ports = ports;
    this.#book = this.#throttle(() => this.#showBook());
    this.#ticker = this.#throttle(() => this.#showTicker());
    this.#trades = this.#throttle(() => this.#flushTrades());
    this.#klines = this.#throttle(() => this.#showKlines(), KLINE_PERIODS);
  }

  #throttle(task: () => Promise<boolean>, periods = 1): Throttle {
    const { activity, periodMs, delayMs, clock, scheduler, onFatal } = this.#ports;
    return new Throttle({
      // A channel that is already waiting is not scheduled again.
      periodMs: () => Math.max(periods * periodMs, delayMs()),
      clock,
      scheduler,
      task,
      onFatal,
      activity,
    });
  }

  subscribe({ channel, encoder }: Named<PublicChannel>, subscriber: Subscriber): Topic {
    const known = this.#publishers.get(channel.name);
    if (known !== undefined) {
      const topic = known.subscribe(encoder, subscriber);
      if (known instanceof TickerPublisher && known.lacksPrices) this.#ticker.request();
      return topic;
    }
    const publisher = newPublisher(channel, () => this.#follower?.book ?? null);
    this.#publishers.set(channel.name, publisher);
    const topic = publisher.subscribe(encoder, subscriber);
    if (isOfBook(publisher)) this.#book.request();
    else if (publisher instanceof CommandPublisher) this.#follow(publisher);
    else if (publisher instanceof TickerPublisher) this.#ticker.request();
    else if (publisher instanceof KlinePublisher) this.#stale(publisher);
    return topic;
  }

  /** Removes an empty topic; true when none is left. */
  drop(topic: Topic): boolean {
    for (const [name, publisher] of this.#publishers) {
      if (!publisher.drop(topic)) continue;
      if (!publisher.isEmpty) return false;
      this.#publishers.delete(name);
      if (publisher instanceof KlinePublisher) this.#staleKlines.delete(publisher);
      if (publisher instanceof CommandPublisher) this.#unfollow(publisher);
      if (this.#publishers.size > 0) return false;
      this.stop();
      return true;
    }
    return false;
  }

  stop(): void {
    for (const throttle of [this.#book, this.#ticker, this.#trades, this.#klines]) throttle.stop();
    this.#follower?.stop();
  }

  #follow(publisher: CommandPublisher): void {
    this.#follower ??= new BookFollower({
      product: this.#product,
      symbol: this.#symbol,
      instruments: this.#instruments,
      engine: this.#ports.engine,
      throttle: (task) => this.#throttle(task),
    });
    this.#follower.add(publisher);
  }

  #unfollow(publisher: CommandPublisher): void {
    this.#follower?.remove(publisher);
    if (this.#follower?.isIdle !== true) return;
    this.#follower.stop();
    this.#follower = null;
  }

  /** Whether the event is one of a book of which every change is wanted. */
  follows(event: Event, sequence: number, timestampMs: number): boolean {
    if (this.#follower === null || !isOfBookOf(this.#product, event)) return false;
    this.#follower.on(event, sequence, timestampMs);
    return true;
  }

  endCommand(): void {
    this.#follower?.endCommand();
  }

  /** The book will be queried already, or has no subscribers. */
  get isBookDue(): boolean {
    if (this.#follower !== null) return false;
    return this.#book.isRequested || !this.#publishers.values().some(isOfBook);
  }

  bookChanged(): void {
    if (this.#book.isRequested) return;
    if (this.#publishers.values().some(isOfBook)) this.#book.request();
  }

  traded(trade: PublicTrade): void {
    this.bookChanged();
    for (const publisher of this.#publishers.values()) {
      if (publisher instanceof TradePublisher) {
        publisher.take(trade);
        this.#trades.request();
      } else if (publisher instanceof TickerPublisher) this.#ticker.request();
      else if (publisher instanceof KlinePublisher && publisher.price === "LAST_PRICE") {
        this.#stale(publisher);
      }
    }
  }

  /** Mark or index. */
  markChanged(): void {
    for (const publisher of this.#publishers.values()) {
      if (publisher instanceof TickerPublisher) this.#ticker.request();
      else if (publisher instanceof KlinePublisher && publisher.price === "MARK_PRICE") {
        this.#stale(publisher);
      }
    }
  }

  #stale(publisher: KlinePublisher): void {
    this.#staleKlines.add(publisher);
    this.#klines.request();
  }

  async #showBook(): Promise<boolean> {
    const { engine } = this.#ports;
    const shown = [...this.#publishers.values()].filter(isOfBook);
    const levels = Math.max(0, ...shown.map(levelsOf));
    if (levels === 0) return true;
    const symbol = this.#symbol;
    const view =
      this.#product === "spot"
        ? await engine.query({ type: "spot-depth", symbol, levels })
        : await engine.query({ type: "contract-depth", symbol, levels });
    if (!view.ok) return false;
    let complete = true;
    for (const publisher of this.#publishers.values()) {
      if (!isOfBook(publisher)) continue;
      // A subscriber that arrived during the query may need more levels than it asked for.
      if (publisher.levels <= levels) publisher.show(view.value, view.timestampMs);
      else complete = false;
    }
    return complete;
  }

  async #showTicker(): Promise<boolean> {
    const { engine } = this.#ports;
    const symbol = this.#symbol;
    const publisher = this.#publishers.values().find((one) => one instanceof TickerPublisher);
    if (publisher === undefined) return true;
    const [view, prices] = await Promise.all([
      this.#product === "spot"
        ? engine.query({ type: "spot-tickers", symbol })
        : engine.query({ type: "contract-tickers", symbol }),
      publisher.wantsPrices ? this.#contractPrices() : null,
    ]);
    if (!view.ok || prices === "unavailable") return false;
    const [ticker] = view.value;
    if (ticker !== undefined) publisher.show(ticker, prices, view.timestampMs);
    // A subscriber to prices may have arrived during the query.
    return !publisher.lacksPrices;
  }

  async #contractPrices(): Promise<ContractPrices | "unavailable"> {
    const { engine } = this.#ports;
    const view = await engine.query({ type: "contract-prices", symbol: this.#symbol });
    if (view.ok) return view.value[0] ?? NO_CONTRACT;
    return "unavailable" in view ? "unavailable" : NO_CONTRACT;
  }

  #flushTrades(): Promise<boolean> {
    for (const publisher of this.#publishers.values()) {
      if (publisher instanceof TradePublisher) publisher.flush();
    }
    return Promise.resolve(true);
  }

  async #showKlines(): Promise<boolean> {
    const stale = [...this.#staleKlines];
    this.#staleKlines.clear();
    // The answer says how far the store must be, so that the last trade is in the candle.
    const now = await this.#ports.engine.query({ type: "spot-markets", symbol: null });
    if (!now.ok) {
      for (const publisher of stale) this.#staleKlines.add(publisher);
      return false;
    }
    for (const publisher of stale) {
      const shown = await this.#showKline(publisher, now.sequence, now.timestampMs);
      if (!shown && !publisher.isEmpty) this.#staleKlines.add(publisher);
    }
    return this.#staleKlines.size === 0;
  }

  async #showKline(publisher: KlinePublisher, sequence: number, nowMs: number): Promise<boolean> {
    const { history } = this.#ports;
    const { symbol, interval, price } = publisher.channel;
    const priceType = price === "MARK_PRICE" ? "MARK" : "LAST";
    const ask = async (time: TimeRange, limit: number): Promise<readonly Candle[] | null> => {
      const question = { symbol, interval, time, nowMs, limit };
      const reply =
        this.#product === "spot"
          ? await history.query("spot-candles", question, sequence)
          : await history.query("contract-candles", { ...question, priceType }, sequence);
      return "unavailable" in reply ? null : reply.answer;
    };
    const shownMs = publisher.lastOpenMs;
    const since = shownMs === null ? 0 : candlesBetween(interval, shownMs, nowMs) + 1;
    const limit = Math.min(Math.max(since, KLINES_PER_MESSAGE), MAX_KLINES_PER_MESSAGE);
    const newest = await ask({ fromMs: null, toMs: null }, limit);
    // A sandbox's clock may skip so many that the one shown last is not among the newest.
    const isFar = shownMs !== null && since > limit;
    const last = isFar ? await ask({ fromMs: shownMs, toMs: shownMs }, 1) : [];
    if (newest === null || last === null) return false;
    publisher.show([...last, ...newest], nowMs);
    return true;
  }
}

/** A spot market and a contract may have the same symbol. */
const BOOK_EVENTS: Readonly<Record<Product, ReadonlySet<EventType>>> = {
  spot: new Set(["spot-trade", ...ORDERS.spot]),
  contract: new Set(["contract-trade", ...ORDERS.contract]),
};

function isOfBookOf(product: Product, event: Event): event is BookEvent {
  return BOOK_EVENTS[product].has(event.type);
}

function newPublisher(channel: PublicChannel, book: () => FollowedBook | null): Publisher {
  switch (channel.kind) {
    case "depth":
      return new DepthPublisher(channel.symbol, channel.levels);
    case "book":
      return new BookChangesPublisher(book);
    case "bookOrders":
      return new BookOrdersPublisher(book);
    case "bookTicker":
      return new BestPricesPublisher(channel.symbol);
    case "ticker":
      return new TickerPublisher();
    case "trade":
      return new TradePublisher(channel.symbol);
    case "kline":
      return new KlinePublisher(channel);
  }
}

function isOfBook(publisher: Publisher): publisher is BookPublisher {
  return publisher instanceof DepthPublisher || publisher instanceof BestPricesPublisher;
}

function levelsOf({ levels }: BookPublisher): number {
  return levels;
}
