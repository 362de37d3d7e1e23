/**
 * Events that wait for a `for await`: bounded, so that a slow reader cannot use unlimited memory.
 */
import { StreamError } from "../errors.ts";

/**
 * Beyond the bound the oldest is dropped ("latest", and "newest", which keeps one), or the reading
 * fails ("all").
 */
export type Keep = "newest" | "latest" | "all";

const WAITING_MAX: Readonly<Record<Keep, number>> = {
  newest: 1,
  latest: 1_000,
  all: 10_000,
};

interface Waiting<Event> {
  readonly resolve: (result: IteratorResult<Event, undefined>) => void;
  readonly reject: (error: Error) => void;
}

export class EventBuffer<Event> implements AsyncIterableIterator<Event, undefined> {
  readonly #keep: Keep;
  readonly #onReturn: () => void;
  #events: Event[] = [];
  #first = 0;
  readonly #waiting: Waiting<Event>[] = [];
  #end: { readonly error: Error | null } | null = null;

  constructor(keep: Keep, onReturn: () => void) {
    this.#keep = keep;
    this.#onReturn = onReturn;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  push(event: Event): void {
    if (this.#end !== null) return;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting.resolve({ done: false, value: event });
      return;
    }
    const most = WAITING_MAX[this.#keep];
    if (this.#events.length - this.#first >= most) {
      if (this.#keep === "all") {
        this.#onReturn();
        this.end(new StreamError(`more than ${most} events wait: read them faster`));
        return;
      }
      this.#first++;
    }
    this.#compact(most);
    this.#events.push(event);
  }

  /** Takes the waiting events; nothing is buffered from now on. */
  takeAll(): readonly Event[] {
    const waiting = this.#events.slice(this.#first);
    void this.return();
    return waiting;
  }

  /** Waiting events can still be read; then the reading ends, or fails with the error. */
  end(error: Error | null): void {
    if (this.#end !== null) return;
    this.#end = { error };
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (error === null) resolve({ done: true, value: undefined });
      else reject(error);
    }
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    if (this.#first < this.#events.length) {
      const value = this.#events[this.#first++] as Event;
      return Promise.resolve({ done: false, value });
    }
    if (this.#end === null) {
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    const { error } = this.#end;
    this.#end = { error: null };
    return error === null
      ? Promise.resolve({ done: true, value: undefined })
      : Promise.reject(error);
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.#onReturn();
    this.#events = [];
    this.#first = 0;
    this.end(null);
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Read events are removed in blocks, so that neither end costs a copy each time. */
  #compact(most: number): void {
    if (this.#first < most) return;
    this.#events = this.#events.slice(this.#first);
    this.#first = 0;
  }
}
