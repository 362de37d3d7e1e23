/**
 * What a client knows of one channel since it subscribed to it: each message fits the state after
 * some command, and what was there when it subscribed was told it whole.
 */
import { bookText, type DepthMessage, LocalBook } from "../../support/local-book.ts";
import type { StreamMessage } from "../../support/stream-client.ts";
import type { BookVersion } from "../book-versions.ts";
import type { Product } from "../orders.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";

export interface Place {
  readonly exchange: SimulatedExchange;
  readonly product: Product;
  readonly symbol: string;
}

export abstract class Follower {
  /** States that may still be told: one for each subscription. */
  #statesDue = 0;
  #isAwaited = false;

  /** A subscription, the first or another one, was confirmed. */
  subscribed(): void {
    this.#statesDue++;
    this.#isAwaited = true;
  }

  /** Throws when it is not what follows. */
  abstract take(message: StreamMessage): void;

  /** What should have been told by now, while nobody sends anything; null for nothing. */
  missing(): string | null {
    return this.#isAwaited ? "its state" : null;
  }

  protected toldState(): void {
    this.#isAwaited = false;
    this.#statesDue--;
    if (this.#statesDue < 0) throw new Error("a state that nobody asked for");
  }

  /** Nothing that was told before is due any more. */
  protected toldChange(): void {
    if (this.#isAwaited) throw new Error("a change ahead of the state");
  }

  protected toldAny(): void {
    this.#isAwaited = false;
  }
}

/** What is told of an account begins with the next change; others compare it. */
export class ChangesFollower extends Follower {
  take(): void {}

  override missing(): string | null {
    return null;
  }
}

/** All trades from the first look at them on. */
export class TradesFollower extends Follower {
  readonly #place: Place;
  readonly #ids = new Set<unknown>();
  #from: number | null = null;

  constructor(place: Place) {
    super();
    this.#place = place;
  }

  take({ d }: StreamMessage): void {
    for (const { t } of d as readonly Record<string, unknown>[]) {
      if (this.#ids.has(t)) throw new Error(`trade ${t} twice`);
      this.#ids.add(t);
    }
  }

  override missing(): string | null {
    const { exchange, product, symbol } = this.#place;
    const { story } = exchange;
    const from = this.#from;
    this.#from ??= story.sequence;
    const due = story.trades.of(product, symbol);
    const missed = due.find((one) => {
      return from !== null && one.sequence > from && !this.#ids.has(one.id);
    });
    return missed === undefined ? null : `trade ${missed.id}`;
  }
}

/** Tickers and candles, of which each message is as good as a state. */
export class StateFollower extends Follower {
  readonly #isThere: () => boolean;

  constructor(isThere: () => boolean) {
    super();
    this.#isThere = isThere;
  }

  take(): void {
    this.toldAny();
  }

  override missing(): string | null {
    return this.#isThere() ? super.missing() : null;
  }
}

abstract class BookFollower extends Follower {
  protected readonly place: Place;
  readonly #name: string;

  constructor(place: Place) {
    super();
    this.place = place;
    this.#name = `${place.product} ${place.symbol}`;
  }

  /** The book that the story has come to. */
  protected get due(): BookVersion | undefined {
    const { story } = this.place.exchange;
    return story.books.at(this.#name, story.sequence);
  }

  /** What was told is so after some command. */
  protected observe(what: string, fits: (book: BookVersion, next?: BookVersion) => boolean): void {
    const { linearity, story } = this.place.exchange;
    const turn = linearity.turn();
    linearity.observe({
      kind: "message",
      what: `${this.#name} ${what}`,
      asked: turn,
      answered: turn,
      changes: () => story.books.changes(this.#name),
      fits: (sequence) => {
        const book = story.books.at(this.#name, sequence);
        if (book === undefined) return false;
        const later = story.books.changes(this.#name).find((one) => one > book.sequence);
        const next = later === undefined ? undefined : story.books.at(this.#name, later);
        return fits(book, next);
      },
    });
  }
}

export class DepthFollower extends BookFollower {
  readonly #levels: number;
  readonly #book = new LocalBook();

  constructor(place: Place, levels: number) {
    super(place);
    this.#levels = levels;
  }

  take(message: StreamMessage): void {
    const before = this.#book.text;
    const { version } = this.#book;
    if (message.e === "depthSnapshot") this.toldState();
    else this.toldChange();
    this.#book.apply(message as unknown as DepthMessage);
    const said = this.#book.text;
    const isRepeated = message.e === "depthSnapshot" && version === this.#book.version;
    if (isRepeated && this.#book.snapshots > 1 && said !== before) {
      throw new Error(`version ${version} is ${before} and ${said}`);
    }
    const { version: told } = this.#book;
    this.observe(`${this.#levels} levels of version ${told} ${said}`, (book) => {
      return book.version === told && bookText(book.bids, book.asks, this.#levels) === said;
    });
  }

  override missing(): string | null {
    const { due } = this;
    if (due === undefined || this.#book.version > due.version) return super.missing();
    const isSame = this.#book.differenceFrom(due, this.#levels) === null;
    if (this.#book.version === due.version && isSame) return super.missing();
    return `version ${due.version}, instead of ${this.#book.version} ${this.#book.text}`;
  }
}

interface BestPrices {
  readonly E: number;
  readonly u: number;
  readonly b: string;
  readonly B: string;
  readonly a: string;
  readonly A: string;
}

export class BestPricesFollower extends BookFollower {
  #last: BestPrices | null = null;

  take(message: StreamMessage): void {
    const told = message as unknown as BestPrices;
    const last = this.#last;
    this.#last = told;
    const isAgain = last !== null && told.u === last.u;
    if (last === null || isAgain) this.toldState();
    else this.toldChange();
    const said = wordsOf(told);
    const isSame = last !== null && wordsOf(last) === said;
    if (last !== null && told.u < last.u) throw new Error(`version ${last.u}, then ${told.u}`);
    if (isAgain && (told.E !== last.E || !isSame)) throw new Error(`another one of ${told.u}`);
    if (!isAgain && isSame) throw new Error(`${said} twice, of ${last.u} and ${told.u}`);
    const { clock, story } = this.place.exchange;
    this.observe(`best prices of version ${told.u} at ${told.E}: ${said}`, (book, next) => {
      const fromMs = story.times[book.sequence - 1] ?? 0;
      const untilMs = next === undefined ? Infinity : (story.times[next.sequence - 1] ?? 0);
      // The next command may be earlier than what was told, once the clock was set back.
      const isThen = told.E >= fromMs && (told.E <= untilMs || clock.wasSetBack);
      return book.version === told.u && isThen && bestOf(book) === said;
    });
  }

  override missing(): string | null {
    const { due } = this;
    if (due === undefined || (this.#last?.u ?? 0) > due.version) return super.missing();
    const said = this.#last === null ? "nothing" : wordsOf(this.#last);
    if (said === bestOf(due)) return super.missing();
    return `${bestOf(due)} of version ${due.version}, instead of ${said}`;
  }
}

function wordsOf({ A, B, a, b }: BestPrices): string {
  return `${b} ${B} ${a} ${A}`;
}

function bestOf({ asks, bids }: BookVersion): string {
  const [bid = NOTHING] = bids;
  const [ask = NOTHING] = asks;
  return [...bid, ...ask].join(" ");
}

const NOTHING = ["0", "0"] as const;
