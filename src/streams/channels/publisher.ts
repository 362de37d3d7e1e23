/**
 * A publisher knows what one channel says, in no dialect: its state and its updates. For each name
 * that clients call the channel by it has a topic, and each topic says an update once, however many
 * subscribers it has. Where nobody listens nothing is put into words.
 */
import type { Wording } from "./dialect.ts";
import { type ChannelKind, encodeText, type Subscriber, Topic } from "./topic.ts";
import type { Update } from "./updates.ts";

export abstract class Publisher {
  readonly kind: ChannelKind;
  readonly #topics = new Map<string, NamedTopic>();

  constructor(kind: ChannelKind) {
    this.kind = kind;
  }

  /** Whether updates may be left out, because the whole state can be sent again. */
  abstract get conflates(): boolean;

  /** The whole state, the same object for as long as it is the same; null where there is none. */
  abstract get present(): Update | null;

  get isEmpty(): boolean {
    return this.#topics.values().every((topic) => topic.isEmpty);
  }

  subscribe(wording: Wording, subscriber: Subscriber): Topic {
    const key = `${wording.dialect} ${wording.name}`;
    let topic = this.#topics.get(key);
    if (topic === undefined) {
      topic = new NamedTopic(this, key, wording);
      this.#topics.set(key, topic);
    }
    topic.add(subscriber);
    return topic;
  }

  /** Forgets a topic; false when it is another publisher's. */
  drop(topic: Topic): boolean {
    if (!(topic instanceof NamedTopic) || this.#topics.get(topic.key) !== topic) return false;
    return this.#topics.delete(topic.key);
  }

  protected someWording(isWanted: (wording: Wording) => boolean): boolean {
    return this.#topics.values().some(({ wording }) => isWanted(wording));
  }

  protected publish(update: Update): void {
    for (const topic of this.#topics.values()) topic.say(update);
  }
}

/** Those who called a channel by the same name. */
class NamedTopic extends Topic {
  readonly key: string;
  readonly wording: Wording;
  readonly #publisher: Publisher;
  /** The update that was last put into words. */
  #said: { readonly update: Update; readonly frames: readonly Buffer[] } | null = null;

  constructor(publisher: Publisher, key: string, wording: Wording) {
    super(wording.name, publisher.kind);
    this.#publisher = publisher;
    this.key = key;
    this.wording = wording;
  }

  get conflates(): boolean {
    return this.#publisher.conflates;
  }

  repeat(subscriber: Subscriber): void {
    const { present } = this.#publisher;
    if (present === null) return;
    for (const frame of this.#framesOf(present)) subscriber.deliver(this, frame);
  }

  say(update: Update): void {
    if (this.isEmpty) return;
    for (const frame of this.#framesOf(update)) this.send(frame);
  }

  #framesOf(update: Update): readonly Buffer[] {
    if (this.#said?.update !== update) {
      this.#said = { update, frames: this.wording.say(update).map(encodeText) };
    }
    return this.#said.frames;
  }
}
