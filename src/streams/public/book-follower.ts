/**
 * Follows the book of one market, command by command. The book is queried first; events that arrive
 * in the meantime are held, and those that the answer already includes are skipped.
 */
import type { Product } from "../../domain/index.ts";
import type { Instruments } from "../channels/instruments.ts";
import type { FeedPorts } from "../channels/ports.ts";
import type { Throttle } from "../channels/throttle.ts";
import { BOOK_ORDERS_MAX, type BookChange, type BookEvent, BookMirror } from "./book-mirror.ts";
import type { CommandPublisher, FollowedBook } from "./command-publishers.ts";

/** Of all held commands; the book is queried again when there are more. */
const HELD_EVENTS_MAX = 10_000;

/** The events of one command that concern the market. */
interface Command {
  readonly sequence: number;
  readonly events: BookEvent[];
  timestampMs: number;
}

export interface FollowedMarket {
  readonly product: Product;
  readonly symbol: string;
  readonly instruments: Instruments;
  readonly engine: FeedPorts["engine"];
  /** Makes a throttle for the query of the book. */
  readonly throttle: (task: () => Promise<boolean>) => Throttle;
}

export class BookFollower {
  readonly #market: FollowedMarket;
  readonly #loading: Throttle;
  readonly #publishers = new Set<CommandPublisher>();
  #book: { readonly mirror: BookMirror; readonly sequence: number; timestampMs: number } | null =
    null;
  /** Before the book is known. */
  #held: Command[] = [];
  #heldEvents = 0;
  #tooMuchHeld = false;
  #command: Command | null = null;
  #isStopped = false;

  constructor(market: FollowedMarket) {
    this.#market = market;
    this.#loading = market.throttle(() => this.#load());
    this.#loading.request();
  }

  /** Null until it is known. */
  get book(): FollowedBook | null {
    if (this.#book === null) return null;
    const { mirror, timestampMs } = this.#book;
    const { instruments, product, symbol } = this.#market;
    return { mirror, timestampMs, listing: instruments.market(product, symbol) };
  }

  /** Nobody is told of the book. */
  get isIdle(): boolean {
    return this.#publishers.size === 0;
  }

  add(publisher: CommandPublisher): void {
    this.#publishers.add(publisher);
  }

  remove(publisher: CommandPublisher): void {
    this.#publishers.delete(publisher);
  }

  stop(): void {
    this.#isStopped = true;
    this.#loading.stop();
  }

  on(event: BookEvent, sequence: number, timestampMs: number): void {
    this.#command ??= { sequence, events: [], timestampMs };
    this.#command.events.push(event);
    this.#command.timestampMs = timestampMs;
  }

  /** All events of the command have been taken. */
  endCommand(): void {
    const command = this.#command;
    if (command === null) return;
    this.#command = null;
    if (this.#book !== null) this.#show(command);
    else if (this.#heldEvents + command.events.length <= HELD_EVENTS_MAX) {
      this.#held.push(command);
      this.#heldEvents += command.events.length;
    } else this.#tooMuchHeld = true;
  }

  async #load(): Promise<boolean> {
    const { engine, product, symbol } = this.#market;
    const type = `${product}-book` as const;
    const view = await engine.query({ type, symbol, ordersMax: BOOK_ORDERS_MAX });
    // A sandbox went back meanwhile, and its markets may not be known again yet.
    if (this.#isStopped) return true;
    const held = this.#held;
    const isWhole = !this.#tooMuchHeld;
    this.#held = [];
    this.#heldEvents = 0;
    this.#tooMuchHeld = false;
    // What was held so far, the next answer will include.
    if (!view.ok || view.value.orders === null || !isWhole) return false;
    const { sequence, timestampMs, value } = view;
    const mirror = new BookMirror(value.version, view.value.orders);
    this.#book = { mirror, sequence, timestampMs };
    for (const publisher of this.#publishers) publisher.begin();
    for (const command of held) this.#show(command);
    return true;
  }

  #show({ events, sequence, timestampMs }: Command): void {
    const book = this.#book;
    if (book === null || sequence <= book.sequence) return;
    const { mirror } = book;
    const previous = mirror.version;
    const changes: BookChange[] = [];
    for (const event of events) {
      const change = mirror.apply(event);
      if (change !== null) changes.push(change);
    }
    if (changes.length === 0) return;
    book.timestampMs = timestampMs;
    const followed = this.book as FollowedBook;
    const command = { ...followed, previous, changes, dirty: mirror.takeDirty() };
    for (const publisher of this.#publishers) publisher.show(command);
  }
}
