/** Opens the channels of one kind of connection: market data, or one account, of one product. */
import type { Product } from "../domain/index.ts";
import type { Dialect, StreamRefusal } from "./channels/dialect.ts";
import type { EventRouter } from "./event-router.ts";
import type { Subscriber, Topic } from "./channels/topic.ts";

const BUSY: StreamRefusal = {
  reason: "overloaded",
  message: "the exchange is busy, try again",
};

function unknownChannel(name: string): StreamRefusal {
  return { reason: "invalid-parameter", message: `invalid channel : ${name}` };
}

export interface ChannelDesk {
  /**
   * Gets everything ready for the channels. Null, or why they cannot all be opened; then none is.
   */
  prepare(names: readonly string[]): Promise<StreamRefusal | null>;
  /** Only for prepared channels, in the same turn. */
  open(name: string, subscriber: Subscriber): Topic | null;
  close(topic: Topic, subscriber: Subscriber): void;
}

export class PublicDesk implements ChannelDesk {
  readonly #dialect: Dialect;
  readonly #product: Product;
  readonly #router: EventRouter;

  constructor(dialect: Dialect, product: Product, router: EventRouter) {
    this.#dialect = dialect;
    this.#product = product;
    this.#router = router;
  }

  async prepare(names: readonly string[]): Promise<StreamRefusal | null> {
    if (!(await this.#router.ready())) return BUSY;
    for (const name of names) {
      const named = this.#dialect.publicChannel(this.#product, name);
      if (named === null) return unknownChannel(name);
      const { symbol } = named.channel;
      if (!this.#router.listings.has(this.#product, symbol)) {
        return { reason: "unknown-symbol", message: `invalid symbol : ${symbol}` };
      }
    }
    return null;
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

export class PrivateDesk implements ChannelDesk {
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
