/**
 * The channels that a client opens and closes while its streams go on: beside others of the same
 * channel, while it connects, by name of a market that does not exist, and books of their own.
 */
import { isDeepStrictEqual } from "node:util";
import type { LocalOrderBook } from "../../../src/client/index.ts";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Story } from "../story.ts";
import { BookFollower } from "./book-follower.ts";
import { BestView, DepthView, OrdersView, type View } from "./channel-views.ts";
import type { AccountStream, MarketStream } from "./client-streams.ts";
import { OpenChannel, READERS, type Readable } from "./open-channel.ts";

const UNKNOWN = "NOSUCHUSDT";
/** Of a stream, at one time. */
const OPEN_MAX = 5;
const UNKNOWN_CHANCE = 0.08;
const LEVELS = [15, 200] as const;

/** A reader of the same channel hears the same. */
class EchoView implements View<unknown> {
  readonly #name: string;
  readonly #first: readonly unknown[];
  readonly #from: number;
  readonly #heard: unknown[] = [];

  constructor(name: string, first: readonly unknown[]) {
    this.#name = name;
    this.#first = first;
    this.#from = first.length;
  }

  take(event: unknown): void {
    this.#heard.push(event);
  }

  check(): void {
    const due = this.#first.slice(this.#from, this.#from + this.#heard.length);
    const both = () => `${this.#name}: ${JSON.stringify([this.#heard, due])}`;
    hold(isDeepStrictEqual(this.#heard, due), "every reader of a channel hears the same", both);
  }

  difference(): string | null {
    const due = this.#first.length - this.#from;
    return this.#heard.length === due ? null : `${this.#name} ${this.#heard.length} of ${due}`;
  }
}

/** A book that is closed before its stream is. */
class OpenBook {
  readonly book: LocalOrderBook;
  readonly #follower: BookFollower;
  #isClosed = false;
  #isReady = false;
  #told = 0;

  constructor(book: LocalOrderBook, name: string, trace: (said: unknown) => void) {
    this.book = book;
    this.#follower = new BookFollower(book, name, trace);
    book.ready.then(
      () => {
        this.#isReady = true;
      },
      () => undefined,
    );
    book.listen(() => {
      if (this.#isClosed) this.#told++;
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get channel(): string {
    return `${this.book.symbol}@depth${this.book.levels}`;
  }

  check(story: Story): void {
    const isSilent = this.#told === 0 && !(this.#isClosed && this.book.isLive);
    hold(isSilent, "a book that is closed is not live", () => `${this.book.symbol} ${this.#told}`);
    this.#follower.check(story);
  }

  notReady(): string | null {
    return this.#isReady && this.book.isLive ? null : `another book of ${this.book.symbol}`;
  }

  difference(story: Story): string | null {
    return this.#follower.difference(story);
  }

  readAll(): void {
    // It is told as it changes.
  }

  close(): void {
    this.book.close();
    this.#told = 0;
    this.#isClosed = true;
  }

  checkEnd(): void {
    hold(this.#isReady, "a book that has ended lets nobody wait", () => this.book.symbol);
  }
}

interface Opened {
  /** Whether an update may have been lost on the way to it. */
  readonly mayLack: boolean;
  readonly what: OpenBook | Pick<OpenChannel<unknown>, keyof OpenChannel<unknown>>;
}

export interface ChannelsPlace {
  readonly product: Product;
  readonly market: MarketStream | null;
  readonly account: AccountStream;
  /** Of the client's book, of whose updates some are lost on the way. */
  readonly levels: 15 | 200;
  readonly sandbox: boolean;
  readonly mayLack: () => boolean;
  readonly trace: (said: unknown) => void;
}

export class OwnChannels {
  readonly #place: ChannelsPlace;
  readonly #name: string;
  readonly #opened: Opened[] = [];
  /** What the first reader of a channel has heard. */
  readonly #first = new Map<string, unknown[]>();

  constructor(place: ChannelsPlace) {
    this.#place = place;
    this.#name = `${place.product} ${SYMBOL}`;
  }

  get #isFull(): boolean {
    return this.#opened.filter(({ what }) => !what.isClosed).length >= OPEN_MAX;
  }

  open(random: Random): void {
    const isOfAccount = this.#place.market === null || random.chance(0.15);
    if (isOfAccount) this.openOfAccount(random);
    else this.openOfMarket(random);
  }

  openOfAccount(random: Random): void {
    if (this.#isFull) return;
    const { fills, orders } = this.#place.account.again();
    if (random.chance(0.5)) this.#echo(orders(), random);
    else this.#echo(fills(), random);
  }

  openOfMarket(random: Random): void {
    const { levels: bookLevels, market, mayLack, sandbox } = this.#place;
    if (market === null || this.#isFull) return;
    const isUnknown = random.chance(UNKNOWN_CHANCE);
    const symbol = isUnknown ? UNKNOWN : SYMBOL;
    const levels = random.pick(LEVELS);
    const isSame = levels === bookLevels;
    const kinds: (() => void)[] = [
      () => {
        const view = new DepthView(this.#name, null, () => false);
        this.#add(market.bookChanges(symbol), view, random, isUnknown);
      },
      () => {
        const view = new OrdersView(this.#name);
        this.#add(market.bookOrders(symbol), view, random, isUnknown || !sandbox);
      },
      () => {
        const view = new DepthView(this.#name, levels, () => isSame && mayLack());
        this.#add(market.depth(symbol, levels), view, random, isUnknown, isSame);
      },
      () => this.#echo(market.ticker(SYMBOL), random),
      () => this.#echo(market.trades(SYMBOL), random),
      () => {
        const book = market.orderBook(SYMBOL, levels);
        const what = new OpenBook(book, this.#name, this.#place.trace);
        this.#opened.push({ what, mayLack: isSame });
      },
    ];
    if ("bookTicker" in market) {
      const view = new BestView(this.#name);
      kinds.push(() => this.#add(market.bookTicker(symbol), view, random, isUnknown));
    }
    random.pick(kinds)();
  }

  #add<Event>(
    subscription: Readable<Event>,
    view: View<Event>,
    random: Random,
    isUnknown = false,
    mayLack = false,
  ): void {
    const what = new OpenChannel(subscription, view, random.pick(READERS), isUnknown);
    this.#opened.push({ what: what as unknown as OpenChannel<unknown>, mayLack });
  }

  /** Beside the first one of its channel, which is there for good. */
  #echo(subscription: Readable<unknown>, random: Random): void {
    const { channel } = subscription;
    const first = this.#first.get(channel);
    if (first !== undefined) {
      this.#add(subscription, new EchoView(channel, first), random);
      return;
    }
    const heard: unknown[] = [];
    this.#first.set(channel, heard);
    subscription.listen((event) => heard.push(event));
  }

  closeOne(random: Random): void {
    const open = this.#opened.filter(({ what }) => !what.isClosed);
    if (open.length > 0) random.pick(open).what.close();
  }

  check(story: Story): void {
    for (const { what } of this.#opened) what.check(story);
  }

  notReady(): string | null {
    for (const { what } of this.#open) {
      const text = what.notReady();
      if (text !== null) return text;
    }
    return null;
  }

  get #open(): readonly Opened[] {
    return this.#opened.filter(({ what }) => !what.isClosed);
  }

  /** One of a market that the exchange still tells of, and nobody reads. */
  unread(channels: ReadonlySet<string>): string | null {
    const { levels } = this.#place;
    const kept = new Set(["trade", "ticker", `depth${levels}`].map((kind) => `${SYMBOL}@${kind}`));
    for (const { what } of this.#open) kept.add(what.channel);
    const unread = [...channels].find((name) => !kept.has(name) && !name.includes("@kline_"));
    return unread === undefined ? null : `${unread} of ${this.#name} is not unsubscribed`;
  }

  /** `isWhole`: no update was lost on the way of which nobody knows. */
  difference(story: Story, isWhole: boolean): string | null {
    for (const { mayLack, what } of this.#open) {
      what.readAll();
      if (mayLack && !isWhole) continue;
      const text = what.difference(story);
      if (text !== null) return text;
    }
    return null;
  }

  /** Its streams are about to be closed. */
  readAll(): void {
    for (const { what } of this.#opened) what.readAll();
  }

  checkEnds(): void {
    for (const { what } of this.#opened) what.checkEnd();
  }
}
