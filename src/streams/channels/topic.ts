/**
 * A topic is one channel under the name that clients of one dialect use. It sends the same bytes to
 * all of its subscribers; each update is encoded once, and not at all without subscribers.
 */
import type { ChannelKind } from "../../api/channel-names.ts";
import type { MessageEncoder } from "./dialect.ts";
import type { Update } from "./updates.ts";

export interface Subscriber {
  /**
   * Sends. A subscriber that is too slow gets the whole state later if the topic conflates, and is
   * disconnected if it does not.
   */
  deliver(topic: Topic, frame: Buffer): void;
}

/** The channel behind a topic. */
export interface TopicSource {
  readonly kind: ChannelKind;
  /** Whether updates may be dropped, because the whole state can be sent again. */
  readonly conflates: boolean;
  /** The whole state, the same object while it is unchanged; null if there is none. */
  readonly present: Update | null;
}

export class Topic {
  readonly encoder: MessageEncoder;
  readonly #source: TopicSource;
  readonly #subscribers = new Set<Subscriber>();
  /** The update that was encoded last. */
  #encoded: { readonly update: Update; readonly frames: readonly Buffer[] } | null = null;

  constructor(source: TopicSource, encoder: MessageEncoder) {
    this.#source = source;
    this.encoder = encoder;
  }

  /** The channel as its clients call it. */
  get name(): string {
    return this.encoder.name;
  }

  get kind(): ChannelKind {
    return this.#source.kind;
  }

  get conflates(): boolean {
    return this.#source.conflates;
  }

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

  /** Sends the whole state to one subscriber: when it subscribes, and after it was too slow. */
  repeat(subscriber: Subscriber): void {
    const { present } = this.#source;
    if (present === null) return;
    for (const frame of this.#framesOf(present)) subscriber.deliver(this, frame);
  }

  publish(update: Update): void {
    if (this.isEmpty) return;
    for (const frame of this.#framesOf(update)) {
      for (const subscriber of this.#subscribers) subscriber.deliver(this, frame);
    }
  }

  #framesOf(update: Update): readonly Buffer[] {
    if (this.#encoded?.update !== update) {
      const frames = this.encoder.encode(update).map((text) => Buffer.from(text));
      this.#encoded = { update, frames };
    }
    return this.#encoded.frames;
  }
}
