/** Opens channels for a connection, which knows them by the names that its client uses. */
import type { StreamRefusal } from "./dialect.ts";
import type { Subscriber, Topic } from "./topic.ts";

export interface ChannelOpener {
  /**
   * Gets everything ready for the channels. Null, or why they cannot all be opened; then none of
   * them is.
   */
  prepare(names: readonly string[]): Promise<StreamRefusal | null>;
  /** Only for prepared channels, in the same turn. */
  open(name: string, subscriber: Subscriber): Topic | null;
  close(topic: Topic, subscriber: Subscriber): void;
}
