/**
 * Threads that are none: their bodies run between other work of the calling thread, in the turns of
 * its scheduler. Messages are copied and memory moves with them as between real threads, so a
 * sender that goes on using what it gave away fails here too.
 */
import { invariant } from "../domain/index.ts";
import type { Platform } from "./platform.ts";
import type { Scheduler } from "./scheduler.ts";
import type { BodyPort, ThreadBody, ThreadContext } from "./thread-body.ts";
import type { Thread, ThreadOptions, Threads, Transfer } from "./threads.ts";

/** One direction of a conversation. Messages wait until somebody listens. */
class Mailbox {
  readonly #scheduler: Scheduler;
  readonly #waiting: unknown[] = [];
  #listener: ((message: unknown) => void) | null = null;
  #isDue = false;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  put(message: unknown, transfer: readonly Transfer[]): void {
    const copy = structuredClone(message, { transfer: [...transfer] });
    if (this.#isClosed) return;
    this.#waiting.push(copy);
    this.#deliverSoon();
  }

  listen(listener: (message: unknown) => void): void {
    this.#listener = listener;
    this.#deliverSoon();
  }

  take(): unknown {
    return this.#waiting.shift();
  }

  /** Drops what waits. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
  }

  /** Takes no more messages and calls back when those before were delivered. */
  end(onEmpty: () => void): void {
    this.#isClosed = true;
    this.#onEmpty = onEmpty;
    if (this.#listener === null) this.#waiting.length = 0;
    this.#deliverSoon();
  }

  /** One message a turn: others have theirs in between. */
  #deliverSoon(): void {
    const hasWork = this.#waiting.length > 0 ? this.#listener !== null : this.#onEmpty !== null;
    if (this.#isDue || !hasWork) return;
    this.#isDue = true;
    this.#scheduler.soon(() => {
      this.#isDue = false;
      if (this.#waiting.length > 0) this.#listener?.(this.#waiting.shift());
      else this.#empty();
      this.#deliverSoon();
    });
  }

  #empty(): void {
    const onEmpty = this.#onEmpty;
    this.#onEmpty = null;
    onEmpty?.();
  }
}

class InlineThread implements Thread {
  readonly #toBody: Mailbox;
  readonly #fromBody: Mailbox;
  readonly #terminated = new AbortController();
  readonly #exited = Promise.withResolvers<void>();
  readonly #errorListeners: ((error: Error) => void)[] = [];
  readonly #exitListeners: ((code: number) => void)[] = [];
  #hasEnded = false;
  /** The body has returned; it may still listen. */
  #hasReturned = false;
  #isListening = false;

  constructor(body: ThreadBody, { data, transfer = [] }: ThreadOptions, platform: Platform) {
    const { scheduler } = platform;
    this.#toBody = new Mailbox(scheduler);
    this.#fromBody = new Mailbox(scheduler);
    const context: ThreadContext = {
      port: this.#bodyPort(),
      data: structuredClone(data, { transfer: [...transfer] }),
      platform,
      pause: (delayMs) =>
        new Promise((resolve) => {
          scheduler.after(delayMs, resolve);
        }),
      terminated: this.#terminated.signal,
    };
    scheduler.soon(() => void this.#run(body, context));
  }

  post(message: unknown, transfer: readonly Transfer[] = []): void {
    this.#toBody.put(message, transfer);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#fromBody.listen(listener);
  }

  onError(listener: (error: Error) => void): void {
    this.#errorListeners.push(listener);
  }

  onExit(listener: (code: number) => void): void {
    this.#exitListeners.push(listener);
  }

  terminate(): Promise<void> {
    this.#terminated.abort();
    this.#toBody.close();
    this.#fromBody.close();
    if (this.#hasReturned) this.#end(1);
    return this.#exited.promise;
  }

  async #run(body: ThreadBody, context: ThreadContext): Promise<void> {
    const { terminated } = context;
    try {
      if (!terminated.aborted) await body(context);
    } catch (thrown) {
      this.#fail(thrown);
    }
    this.#hasReturned = true;
    if (terminated.aborted) this.#end(1);
    else if (!this.#isListening) this.#end(0);
  }

  #bodyPort(): BodyPort {
    return {
      post: (message, transfer = []) => this.#fromBody.put(message, transfer),
      onMessage: (listener) => {
        this.#isListening = true;
        this.#toBody.listen((message) => {
          try {
            listener(message);
          } catch (thrown) {
            this.#fail(thrown);
          }
        });
      },
      take: () => this.#toBody.take(),
      close: () => this.#end(0),
    };
  }

  #fail(thrown: unknown): void {
    if (this.#hasEnded || this.#terminated.signal.aborted) return;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    for (const listener of this.#errorListeners) listener(error);
    this.#end(1);
  }

  /** The exit comes after what the body has posted. */
  #end(code: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#toBody.close();
    this.#fromBody.end(() => {
      for (const listener of this.#exitListeners) listener(code);
      this.#exited.resolve();
    });
  }
}

/**
 * Threads inside the calling one. `platformOf` is asked at each start, because the platform that
 * bodies run on usually has these very threads. A thread that no body is named for does not start.
 */
export function inlineThreads(
  bodies: Readonly<Record<string, ThreadBody>>,
  platformOf: () => Platform,
): Threads {
  return {
    start(options) {
      const body = bodies[options.name];
      invariant(body !== undefined, `there is a body for the thread ${options.name}`);
      return new InlineThread(body, options, platformOf());
    },
  };
}
