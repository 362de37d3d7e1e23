/**
 * A topic is what one channel name stands for: it hands the same bytes to all of its subscribers.
 * What they say is made by its publisher and put into words once.
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

export function encode(message: object): Buffer {
  return encodeText(JSON.stringify(message));
}

export function encodeText(text: string): Buffer {
  return Buffer.from(text);
}
