/**
 * Opens the channels of a connection to one product: its market data, or one account. Maps each
 * channel that a dialect names to the feed that publishes it.
 */
import type { PublicChannel } from "../api/channel-names.ts";
import type { Product } from "../domain/index.ts";
import type { ChannelOpener } from "./channels/channel-opener.ts";
import type { Dialect, StreamRefusal } from "./channels/dialect.ts";
import type { Subscriber, Topic } from "./channels/topic.ts";
import type { EventRouter } from "./event-router.ts";
import { BOOK_ORDERS_MAX } from "./public/book-mirror.ts";

const BUSY: StreamRefusal = {
  reason: "overloaded",
  message: "the exchange is busy, try again",
};

function unknownChannel(name: string): StreamRefusal {
  return { reason: "invalid-parameter", message: `invalid channel : ${name}` };
}

export class PublicChannels implements ChannelOpener {
  readonly #dialect: Dialect;
  readonly #product: Product;
  readonly #router: EventRouter;
  readonly #isSandbox: boolean;

  constructor(dialect: Dialect, product: Product, router: EventRouter, isSandbox: boolean) {
    this.#dialect = dialect;
    this.#product = product;
    this.#router = router;
    this.#isSandbox = isSandbox;
  }

  async prepare(names: readonly string[]): Promise<StreamRefusal | null> {
    if (!(await this.#router.ready())) return BUSY;
    for (const name of names) {
      const named = this.#dialect.publicChannel(this.#product, name);
      if (named === null) return unknownChannel(name);
      const { symbol } = named.channel;
      if (!this.#router.instruments.has(this.#product, symbol)) {
        return { reason: "unknown-symbol", message: `invalid symbol : ${symbol}` };
      }
      const refusal = await this.#checkBook(named.channel);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** Whether every change of the book can be sent, if that is what the channel does. */
  async #checkBook({ kind, name, symbol }: PublicChannel): Promise<StreamRefusal | null> {
    if (kind !== "book" && kind !== "bookOrders") return null;
    if (kind === "bookOrders" && !this.#isSandbox) {
      const message = `${name} is a channel of a sandbox: start the exchange with --sandbox`;
      return { reason: "invalid-parameter", message };
    }
    const orders = await this.#router.markets[this.#product].orderCount(symbol);
    if (orders === null) return BUSY;
    if (orders <= BOOK_ORDERS_MAX) return null;
    const message = `more than ${BOOK_ORDERS_MAX} orders rest in the book of ${symbol}`;
    return { reason: "overloaded", message };
  }

  open(name: string, subscriber: Subscriber): Topic | null {
    const named = this.#dialect.publicChannel(this.#product, name);
    if (named === null) return null;
    return this.#router.markets[this.#product].subscribe(named, subscriber);
  }

  close(topic: Topic, subscriber: Subscriber): void {
    this.#router.markets[this.#product].unsubscribe(topic, subscriber);
  }
}

export class PrivateChannels implements ChannelOpener {
  readonly #dialect: Dialect;
  readonly #product: Product;
  readonly #uid: number;
  readonly #router: EventRouter;
  #feed: Awaited<ReturnType<EventRouter["accounts"]["spot"]["feed"]>> = null;

  constructor(dialect: Dialect, product: Product, uid: number, router: EventRouter) {
    this.#dialect = dialect;
    this.#product = product;
    this.#uid = uid;
    this.#router = router;
  }

  async prepare(names: readonly string[]): Promise<StreamRefusal | null> {
    for (const name of names) {
      if (this.#dialect.privateChannel(this.#product, name) === null) return unknownChannel(name);
    }
    if (!(await this.#router.ready())) return BUSY;
    this.#feed = await this.#router.accounts[this.#product].feed(this.#uid);
    return this.#feed === null ? BUSY : null;
  }

  open(name: string, subscriber: Subscriber): Topic | null {
    const named = this.#dialect.privateChannel(this.#product, name);
    return named === null || this.#feed === null ? null : this.#feed.subscribe(named, subscriber);
  }

  close(topic: Topic, subscriber: Subscriber): void {
    topic.remove(subscriber);
  }
}
