/**
 * One subscription of a client, and who reads it: at once or later, event by event or as fast as
 * they come. It is accepted or refused for good, tells nothing once it is closed, and ends once.
 */
import { StreamError, type Subscription } from "../../../src/client/index.ts";
import { hold } from "../breach.ts";
import type { Story } from "../story.ts";
import type { View } from "./channel-views.ts";

export const READERS = ["listener", "iterator", "slow", "late"] as const;
export type Reader = (typeof READERS)[number];

/** Of a slow reader, in a step. */
const READ_AT_ONCE = 3;

/** Of which it needs no more. */
export type Readable<Event> = AsyncIterable<Event> &
  Pick<Subscription<Event>, "channel" | "close" | "listen" | "ready">;

export class OpenChannel<Event> {
  readonly channel: string;
  readonly #subscription: Readable<Event>;
  readonly #view: View<Event>;
  readonly #reader: Reader;
  /** Whether nobody takes its symbol. */
  readonly #isUnknown: boolean;
  #iterator: AsyncIterator<Event, undefined> | null = null;
  #isReading = false;
  /** So many events it still reads. */
  #wanted = 0;
  #isAccepted = false;
  #isRefused = false;
  #isClosed = false;
  #isListening = false;
  #heardAfterClose = 0;
  readonly #ends: (Error | null)[] = [];

  constructor(
    subscription: Readable<Event>,
    view: View<Event>,
    reader: Reader,
    isUnknown: boolean,
  ) {
    this.channel = subscription.channel;
    this.#subscription = subscription;
    this.#view = view;
    this.#reader = reader;
    this.#isUnknown = isUnknown;
    subscription.ready.then(
      () => {
        this.#isAccepted = true;
      },
      (error: unknown) => {
        this.#isRefused = error instanceof StreamError;
      },
    );
    if (reader === "listener") this.#listen();
    else if (reader !== "late") {
      this.#iterator = subscription[Symbol.asyncIterator]() as AsyncIterator<Event, undefined>;
      void this.#read(reader === "slow" ? READ_AT_ONCE : Number.POSITIVE_INFINITY);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #listen(): void {
    let isWaiting = true;
    this.#isListening = true;
    this.#subscription.listen(
      (event) => {
        // What came before its end waits for its first reader.
        if (this.#isClosed && !isWaiting) this.#heardAfterClose++;
        this.#view.take(event);
      },
      (error) => this.#ends.push(error),
    );
    isWaiting = false;
  }

  /** What waits, but not more than that. */
  async #read(count: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, count);
    if (this.#iterator === null || this.#isReading) return;
    this.#isReading = true;
    try {
      for (; this.#wanted > 0; this.#wanted--) {
        const { done, value } = await this.#iterator.next();
        if (done === true) {
          this.#ends.push(null);
          this.#iterator = null;
          break;
        }
        this.#view.take(value);
      }
    } catch (error) {
      this.#iterator = null;
      this.#ends.push(error as Error);
    }
    this.#isReading = false;
  }

  /** Also who reads slowly or late. */
  readAll(): void {
    if (this.#reader === "late" && !this.#isListening) this.#listen();
    void this.#read(Number.POSITIVE_INFINITY);
  }

  check(story: Story): void {
    if (this.#reader === "late" && !this.#isListening) this.#listen();
    if (this.#reader === "slow") void this.#read(READ_AT_ONCE);
    const heard = () => `${this.channel}: ${this.#heardAfterClose}`;
    hold(this.#heardAfterClose === 0, "a channel that is closed tells nothing", heard);
    this.#view.check(story);
  }

  /** Null once the exchange has said what becomes of it. */
  notReady(): string | null {
    if (this.#isUnknown ? this.#isRefused : this.#isAccepted) return null;
    return `${this.channel} was not ${this.#isUnknown ? "refused" : "accepted"}`;
  }

  difference(story: Story): string | null {
    return this.#isUnknown ? null : this.#view.difference(story);
  }

  close(): void {
    this.#isClosed = true;
    this.#subscription.close();
  }

  /** Behind its end, or that of its stream, when everything that waited was read. */
  checkEnd(): void {
    const [end, ...others] = this.#ends;
    const isRight = end === null || (this.#isUnknown && end instanceof StreamError);
    const detail = () => `${this.channel} (${this.#reader}): ${String(this.#ends)}`;
    const isOnce = end !== undefined && others.length === 0;
    hold(isOnce && isRight, "a channel ends once, as it was closed or refused", detail);
  }
}
