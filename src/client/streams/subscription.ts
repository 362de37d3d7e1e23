/** A channel as its reader has it: events to iterate over, or to be called with. */
import type { StreamError } from "../errors.ts";
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
 * Goes on over reconnects; see the state of its connection. Every `for await` and every listener
 * gets every event from then on.
 */
export class Subscription<Event> implements AsyncIterable<Event> {
  readonly channel: string;
  /** The exchange has accepted the channel; rejects with `StreamError` when it will not. */
  readonly ready: Promise<void>;
  readonly #options: ChannelOptions<Event>;
  readonly #listeners = new Set<Listener<Event>>();
  readonly #buffers = new Set<EventBuffer<Event>>();
  readonly #remove: () => void;
  #end: { readonly error: StreamError | null } | null = null;

  constructor(options: ChannelOptions<Event>) {
    this.#options = options;
    this.channel = options.channel;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    // Who does not wait for it learns of the end elsewhere.
    promise.catch(() => undefined);
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

  /** Gives the function that stops it. `onEnd` is told of the error, if there was one. */
  listen(onEvent: (event: Event) => void, onEnd?: (error: Error | null) => void): () => void {
    const end = this.#end;
    if (end !== null) {
      if (onEnd !== undefined) callSafely(() => onEnd(end.error));
      return () => undefined;
    }
    const listener = { onEvent, onEnd };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Event, undefined> {
    const buffer: EventBuffer<Event> = new EventBuffer<Event>(this.#options.keep, () => {
      this.#buffers.delete(buffer);
    });
    if (this.#end === null) this.#buffers.add(buffer);
    else buffer.end(this.#end.error);
    return buffer;
  }

  /** Readings end; the channel is given up with its last subscription. */
  close(): void {
    this.#remove();
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
