/**
 * A publisher has the state of one channel and its updates, independent of dialects. It has a topic
 * for each name that clients use for the channel.
 */
import type { ChannelKind } from "../../api/channel-names.ts";
import type { MessageEncoder } from "./dialect.ts";
import { type Subscriber, Topic, type TopicSource } from "./topic.ts";
import type { Update } from "./updates.ts";

export abstract class Publisher implements TopicSource {
  readonly kind: ChannelKind;
  readonly #topics = new Map<string, Topic>();

  constructor(kind: ChannelKind) {
    this.kind = kind;
  }

  abstract get conflates(): boolean;
  abstract get present(): Update | null;

  get isEmpty(): boolean {
    return this.#topics.values().every((topic) => topic.isEmpty);
  }

  subscribe(encoder: MessageEncoder, subscriber: Subscriber): Topic {
    const key = keyOf(encoder);
    let topic = this.#topics.get(key);
    if (topic === undefined) {
      topic = new Topic(this, encoder);
      this.#topics.set(key, topic);
    }
    topic.add(subscriber);
    return topic;
  }

  /** Removes a topic; false when it belongs to another publisher. */
  drop(topic: Topic): boolean {
    const key = keyOf(topic.encoder);
    return this.#topics.get(key) === topic && this.#topics.delete(key);
  }

  protected someEncoder(isWanted: (encoder: MessageEncoder) => boolean): boolean {
    return this.#topics.values().some(({ encoder }) => isWanted(encoder));
  }

  protected publish(update: Update): void {
    for (const topic of this.#topics.values()) topic.publish(update);
  }
}

function keyOf({ dialect, name }: MessageEncoder): string {
  return `${dialect} ${name}`;
}
