/** A channel for its reader: events to iterate over, or a listener to call. */
import type { StreamError } from "../errors.ts";
import { deferred } from "../runtime.ts";
import { EventBuffer, type Keep } from "./event-buffer.ts";
import { callSafely, type StreamConnection } from "./stream-connection.ts";
import type { Reader, WireMessage } from "./stream-events.ts";

export interface ChannelOptions<Event> {
  readonly connection: StreamConnection;
  readonly channel: string;
  readonly read: Reader<Event>;
  readonly keep: Keep;
}

interface Listener<Event> {
  readonly onEvent: (event: Event) => void;
  readonly onEnd: ((error: Error | null) => void) | undefined;
}

/**
 * Continues over reconnects; see the state of its connection. Events that arrive before anyone
 * reads wait for the first reader; from then on every `for await` and every listener gets all
 * events from its own start.
 */
export class Subscription<Event> implements AsyncIterable<Event> {
  readonly channel: string;
  /**
   * Resolves when the exchange has accepted the channel; rejects with `StreamError` when it will
   * not.
   */
  readonly ready: Promise<void>;
  readonly #options: ChannelOptions<Event>;
  readonly #listeners = new Set<Listener<Event>>();
  readonly #buffers = new Set<EventBuffer<Event>>();
  readonly #remove: () => void;
  /** Events that arrived before anyone read. */
  #unread: EventBuffer<Event> | null;
  #end: { readonly error: StreamError | null } | null = null;

  constructor(options: ChannelOptions<Event>) {
    this.#options = options;
    this.channel = options.channel;
    const { promise, resolve, reject } = deferred<void>();
    this.ready = promise;
    // A caller that does not wait for it learns of the end elsewhere.
    promise.catch(() => undefined);
    this.#unread = this.#openBuffer();
    this.#remove = options.connection.add(options.channel, {
      message: (message) => this.#take(message),
      accepted: resolve,
      interrupted: () => undefined,
      ended: (error) => {
        if (error === null) resolve();
        else reject(error);
        this.#finish(error);
      },
    });
  }

  /** Returns a function that stops it. `onEnd` receives the error, if there was one. */
  listen(onEvent: (event: Event) => void, onEnd?: (error: Error | null) => void): () => void {
    const end = this.#end;
    const unread = this.#unread?.takeAll() ?? [];
    this.#unread = null;
    for (const event of unread) callSafely(() => onEvent(event));
    if (end !== null) {
      if (onEnd !== undefined) callSafely(() => onEnd(end.error));
      return () => undefined;
    }
    const listener = { onEvent, onEnd };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Event, undefined> {
    const buffer = this.#unread ?? this.#openBuffer();
    this.#unread = null;
    return buffer;
  }

  /** Readings end; the channel is unsubscribed with its last subscription. */
  close(): void {
    this.#remove();
  }

  #openBuffer(): EventBuffer<Event> {
    const buffer: EventBuffer<Event> = new EventBuffer<Event>(this.#options.keep, () => {
      this.#buffers.delete(buffer);
    });
    if (this.#end === null) this.#buffers.add(buffer);
    else buffer.end(this.#end.error);
    return buffer;
  }

  #take(message: WireMessage): void {
    for (const event of this.#options.read(message)) {
      for (const buffer of [...this.#buffers]) buffer.push(event);
      for (const { onEvent } of [...this.#listeners]) callSafely(() => onEvent(event));
    }
  }

  #finish(error: StreamError | null): void {
    if (this.#end !== null) return;
    this.#end = { error };
    for (const buffer of [...this.#buffers]) buffer.end(error);
    this.#buffers.clear();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const { onEnd } of listeners) if (onEnd !== undefined) callSafely(() => onEnd(error));
  }
}
