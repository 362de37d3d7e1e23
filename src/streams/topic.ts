/**
 * A topic is what one channel name stands for: it makes each message once and hands the same bytes
 * to all of its subscribers.
 */

export const PUBLIC_KINDS = ["ticker", "depth", "trade", "kline", "bookTicker"] as const;
export const PRIVATE_KINDS = ["account", "orders", "fill", "positions"] as const;
export type PrivateKind = (typeof PRIVATE_KINDS)[number];
export type ChannelKind = (typeof PUBLIC_KINDS)[number] | PrivateKind;

export interface Subscriber {
  /**
   * Sends. One who is too slow gets what the topic repeats later where the topic conflates, and is
   * cut off where it does not.
   */
  deliver(topic: Topic, frame: Buffer): void;
}

export abstract class Topic {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly #subscribers = new Set<Subscriber>();

  constructor(name: string, kind: ChannelKind) {
    this.name = name;
    this.kind = kind;
  }

  /** Whether updates may be left out, because the whole state can be sent again. */
  abstract get conflates(): boolean;

  /** Sends the present state to one subscriber: at the subscription, and to one who was slow. */
  abstract repeat(subscriber: Subscriber): void;

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  has(subscriber: Subscriber): boolean {
    return this.#subscribers.has(subscriber);
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.repeat(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  protected send(frame: Buffer): void {
    for (const subscriber of this.#subscribers) subscriber.deliver(this, frame);
  }
}

/** A topic whose last message is its whole state. */
export class LatestTopic extends Topic {
  #last: Buffer | null = null;

  get conflates(): boolean {
    return true;
  }

  repeat(subscriber: Subscriber): void {
    if (this.#last !== null) subscriber.deliver(this, this.#last);
  }

  publish(message: object): void {
    this.#last = encode(message);
    this.send(this.#last);
  }
}

export function encode(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}
