/**
 * Writes waiting messages to clients, on the thread that also trades.
 *
 * A write costs the same whether it carries one message or ten, and a thousand of them in a row
 * would delay orders. So everything that arrived for a client since its last turn is one write,
 * clients with the same channels are written the very same bytes, and market data is written in
 * slices that may take a small share of the thread's time. With more clients than that share
 * serves, their turns come less often and carry more.
 *
 * Responses and private messages are not delayed: they go out in the next turn of the event loop.
 */
import type { Clock, Scheduler, Timer } from "../../platform/index.ts";
import { compressed } from "./compression.ts";
import { textFrames } from "./text-frames.ts";

/** The longest time that orders wait for writes to clients. */
const SLICE_MS = 1;
/**
 * After a slice, the writing of market data pauses for its duration times this factor, times the
 * third power of the share of the thread's time that other work takes. A half idle thread barely
 * pauses; one that is busy with orders pauses for the full time.
 */
const REST = 150;
/** More than this is not held back, however many clients there are. */
const KEPT_BACK_BYTES = 64 * 1024;
/** Lists of messages whose bytes are kept for the next client with the same channels. */
const SHARED_LISTS = 4;

/** The part of a socket that is written to. */
export interface FrameSocket {
  readonly writableLength: number;
  write(frames: Buffer): unknown;
}

export type Urgency = "prompt" | "paced";

/** What waits for one client. */
export class Outbox {
  readonly #fanOut: FanOut;
  readonly #socket: FrameSocket;
  /** False when nothing may be written any more. */
  readonly #isOpen: () => boolean;
  /** Whether the client takes compressed messages. */
  readonly compresses: boolean;
  /** The queue it is in; only the fan-out changes it. */
  queue: Urgency | null = null;
  #messages: Buffer[] = [];
  #bytes = 0;
  /** Bytes buffered in the socket; only our writes increase it. */
  #socketBytes = 0;

  constructor(fanOut: FanOut, socket: FrameSocket, compresses: boolean, isOpen: () => boolean) {
    this.#fanOut = fanOut;
    this.#socket = socket;
    this.compresses = compresses;
    this.#isOpen = isOpen;
  }

  /** Bytes that the client has not read yet, here and in the socket. */
  get waitingBytes(): number {
    if (this.#socketBytes > 0) this.#socketBytes = this.#socket.writableLength;
    return this.#bytes + this.#socketBytes;
  }

  /** Too much is waiting to be held back any longer. */
  get isFull(): boolean {
    return this.#bytes > KEPT_BACK_BYTES;
  }

  post(message: Buffer, urgency: Urgency): void {
    this.#messages.push(message);
    this.#bytes += this.compresses ? compressed(message).length : message.length;
    this.#fanOut.enqueue(this, urgency);
  }

  /** Writes the waiting messages at once. `join` makes frames of messages. */
  flush(join: typeof textFrames = textFrames): void {
    const messages = this.#messages;
    this.drop();
    if (messages.length === 0 || !this.#isOpen()) return;
    this.#socket.write(join(messages, this.compresses));
    this.#socketBytes = this.#socket.writableLength;
  }

  /** Discards what waits. */
  drop(): void {
    this.#messages = [];
    this.#bytes = 0;
    this.#fanOut.forget(this);
  }
}

type ThreadClock = Pick<Clock, "monotonicMs" | "busyMs">;

interface SharedList {
  readonly messages: readonly Buffer[];
  readonly compresses: boolean;
  readonly frames: Buffer;
}

export class FanOut {
  readonly #clock: ThreadClock;
  readonly #scheduler: Scheduler;
  readonly #prompt = new Set<Outbox>();
  /** With the time since when each waits. */
  readonly #paced = new Map<Outbox, number>();
  #shared: SharedList[] = [];
  #promptTurn: Timer | null = null;
  #pacedTurn: Timer | null = null;
  /** When the last slice of market data ended, and when the next may begin. */
  #lastEnd = { monotonicMs: 0, busyMs: 0 };
  #nextSliceMs = Number.NEGATIVE_INFINITY;
  #delayMs = 0;

  constructor(clock: ThreadClock, scheduler: Scheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  /** How long market data currently waits for its turn. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Nothing waits to be written. */
  get isEmpty(): boolean {
    return this.#prompt.size === 0 && this.#paced.size === 0;
  }

  enqueue(outbox: Outbox, urgency: Urgency): void {
    if (outbox.queue === urgency || outbox.queue === "prompt") return;
    this.#paced.delete(outbox);
    outbox.queue = urgency;
    if (urgency === "prompt") {
      this.#prompt.add(outbox);
      this.#promptTurn ??= this.#scheduler.soon(() => this.#writePrompt());
    } else {
      this.#paced.set(outbox, this.#clock.monotonicMs());
      this.#schedulePaced();
    }
  }

  forget(outbox: Outbox): void {
    outbox.queue = null;
    this.#prompt.delete(outbox);
    this.#paced.delete(outbox);
  }

  #schedulePaced(): void {
    if (this.#pacedTurn !== null) return;
    const waitMs = this.#nextSliceMs - this.#clock.monotonicMs();
    const write = (): void => this.#writePaced();
    const scheduler = this.#scheduler;
    this.#pacedTurn =
      waitMs <= 0 ? scheduler.soon(write) : scheduler.after(Math.ceil(waitMs), write);
  }

  #writePrompt(): void {
    this.#promptTurn = null;
    const endMs = this.#clock.monotonicMs() + SLICE_MS;
    for (const outbox of this.#prompt) {
      outbox.flush();
      if (this.#clock.monotonicMs() >= endMs) break;
    }
    if (this.#prompt.size > 0) {
      this.#promptTurn = this.#scheduler.soon(() => this.#writePrompt());
    }
  }

  #writePaced(): void {
    this.#pacedTurn = null;
    const beginMs = this.#clock.monotonicMs();
    const join: typeof textFrames = (...list) => this.#join(...list);
    let nowMs = beginMs;
    for (const [outbox, sinceMs] of this.#paced) {
      outbox.flush(join);
      this.#delayMs = beginMs - sinceMs;
      nowMs = this.#clock.monotonicMs();
      if (nowMs - beginMs >= SLICE_MS) break;
    }
    this.#rest(beginMs, nowMs);
    if (this.#paced.size > 0) this.#schedulePaced();
    else this.#shared = [];
  }

  /** When the pause after a slice ends. */
  #rest(beginMs: number, endMs: number): void {
    const tookMs = endMs - beginMs;
    const busyMs = this.#clock.busyMs();
    const othersMs = busyMs - this.#lastEnd.busyMs - tookMs;
    const spanMs = Math.max(tookMs, endMs - this.#lastEnd.monotonicMs);
    // Two slices may end at one reading of the clock, which then tells nothing.
    const busyShare = spanMs > 0 ? othersMs / spanMs : 0;
    this.#lastEnd = { monotonicMs: endMs, busyMs };
    const [oldest] = this.#paced.keys();
    const rest = oldest?.isFull === true ? 0 : Math.max(1, REST * busyShare ** 3);
    // A slice that took much longer was interrupted by something else, which a pause cannot make up
    // for.
    this.#nextSliceMs = endMs + Math.min(tookMs, 2 * SLICE_MS) * rest;
  }

  /** The frames of these messages, made once for all receivers of the same list. */
  #join(messages: readonly Buffer[], compresses: boolean): Buffer {
    const known = this.#shared.find(
      (list) => list.compresses === compresses && isSame(list.messages, messages),
    );
    if (known !== undefined) return known.frames;
    const frames = textFrames(messages, compresses);
    this.#shared = [{ messages, compresses, frames }, ...this.#shared.slice(0, SHARED_LISTS - 1)];
    return frames;
  }
}

/** Messages are made once for all their receivers, so the same message is the same buffer. */
function isSame(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  return one.length === other.length && one.every((message, i) => message === other[i]);
}
