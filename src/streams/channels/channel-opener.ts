/** Opens channels for a connection by the names that its client uses. */
import type { StreamRefusal } from "./dialect.ts";
import type { Subscriber, Topic } from "./topic.ts";

export interface ChannelOpener {
  /**
   * Prepares the channels. Returns null, or the reason why they cannot all be opened; then none is.
   */
  prepare(names: readonly string[]): Promise<StreamRefusal | null>;
  /** Only for prepared channels, in the same turn. */
  open(name: string, subscriber: Subscriber): Topic | null;
  close(topic: Topic, subscriber: Subscriber): void;
}
