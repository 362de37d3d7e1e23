/** Opens the channels of one kind of connection: market data, or one account, of one product. */
import type { Product } from "../domain/index.ts";
import { parsePrivateChannel, parsePublicChannel } from "./channel-name.ts";
import type { EventRouter } from "./event-router.ts";
import type { Subscriber, Topic } from "./topic.ts";

/** The beginning by which clients tell a mistake of theirs from a fault of the exchange. */
export const INVALID = "INVALID_ARGUMENT: ";
const BUSY = "UNAVAILABLE: the exchange is busy, try again";

export interface ChannelDesk {
  /**
   * Gets everything ready for the channels. Null, or why they cannot all be opened; then none is.
   */
  prepare(names: readonly string[]): Promise<string | null>;
  /** Only for prepared channels, in the same turn. */
  open(name: string, subscriber: Subscriber): Topic | null;
  close(topic: Topic, subscriber: Subscriber): void;
}

export class PublicDesk implements ChannelDesk {
  readonly #product: Product;
  readonly #router: EventRouter;

  constructor(product: Product, router: EventRouter) {
    this.#product = product;
    this.#router = router;
  }

  async prepare(names: readonly string[]): Promise<string | null> {
    if (!(await this.#router.ready())) return BUSY;
    for (const name of names) {
      const channel = parsePublicChannel(this.#product, name);
      if (channel === null) return `${INVALID}invalid channel : ${name}`;
      if (!this.#router.listings.has(this.#product, channel.symbol)) {
        return `${INVALID}invalid symbol : ${channel.symbol}`;
      }
    }
    return null;
  }

  open(name: string, subscriber: Subscriber): Topic | null {
    const channel = parsePublicChannel(this.#product, name);
    if (channel === null) return null;
    return this.#router.markets[this.#product].subscribe(channel, subscriber);
  }

  close(topic: Topic, subscriber: Subscriber): void {
    this.#router.markets[this.#product].unsubscribe(topic, subscriber);
  }
}

export class PrivateDesk implements ChannelDesk {
  readonly #product: Product;
  readonly #uid: number;
  readonly #router: EventRouter;
  #feed: Awaited<ReturnType<EventRouter["accounts"]["spot"]["feed"]>> = null;

  constructor(product: Product, uid: number, router: EventRouter) {
    this.#product = product;
    this.#uid = uid;
    this.#router = router;
  }

  async prepare(names: readonly string[]): Promise<string | null> {
    for (const name of names) {
      if (parsePrivateChannel(this.#product, name) === null) {
        return `${INVALID}invalid channel : ${name}`;
      }
    }
    if (!(await this.#router.ready())) return BUSY;
    this.#feed = await this.#router.accounts[this.#product].feed(this.#uid);
    return this.#feed === null ? BUSY : null;
  }

  open(name: string, subscriber: Subscriber): Topic | null {
    const kind = parsePrivateChannel(this.#product, name);
    return kind === null || this.#feed === null ? null : this.#feed.subscribe(kind, subscriber);
  }

  close(topic: Topic, subscriber: Subscriber): void {
    topic.remove(subscriber);
  }
}
