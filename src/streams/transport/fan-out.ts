/**
 * Writes to clients what waits for them, beside the trading that shares the thread.
 *
 * A write costs the same whether it carries one message or ten, and a thousand of them in a row
 * would let orders wait. So whatever has come for a client since its last turn is one write, those
 * with the same channels are written the very same bytes, and the writing of market data is done in
 * slices that may take a small share of the thread's time. With more clients than that share
 * serves, their turns come less often and carry more.
 *
 * Answers and private messages are not slowed down: they go out in the next turn of the event loop.
 */
import { compressed } from "./compression.ts";
import { textFrames } from "./text-frames.ts";

/** The longest time that orders wait for writes to clients. */
const SLICE_MS = 1;
/**
 * The writing of market data rests this many times as long as it took, times the third power of
 * the share of the thread's time that other work takes. A thread that is half idle has time to
 * spare for it, one that orders keep busy has none.
 */
const REST = 150;
/** More than this is not kept back, however many clients there are. */
const KEPT_BACK_BYTES = 64 * 1024;
/** Lists of messages whose bytes are at hand for the next client with the same channels. */
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
  /** In which queue it is; that of the fan-out alone to change. */
  queue: Urgency | null = null;
  #messages: Buffer[] = [];
  #bytes = 0;
  /** What the socket has kept; only our writes make it more. */
  #socketBytes = 0;

  constructor(fanOut: FanOut, socket: FrameSocket, compresses: boolean, isOpen: () => boolean) {
    this.#fanOut = fanOut;
    this.#socket = socket;
    this.compresses = compresses;
    this.#isOpen = isOpen;
  }

  /** Bytes that the client has not taken off us, here and in the socket. */
  get waitingBytes(): number {
    if (this.#socketBytes > 0) this.#socketBytes = this.#socket.writableLength;
    return this.#bytes + this.#socketBytes;
  }

  /** Too much has come for it to be kept back any longer. */
  get isFull(): boolean {
    return this.#bytes > KEPT_BACK_BYTES;
  }

  post(message: Buffer, urgency: Urgency): void {
    this.#messages.push(message);
    this.#bytes += this.compresses ? compressed(message).length : message.length;
    this.#fanOut.enqueue(this, urgency);
  }

  /** Writes what waits, at once. `join` makes frames of messages. */
  flush(join: typeof textFrames = textFrames): void {
    const messages = this.#messages;
    this.drop();
    if (messages.length === 0 || !this.#isOpen()) return;
    this.#socket.write(join(messages, this.compresses));
    this.#socketBytes = this.#socket.writableLength;
  }

  /** Nothing is written any more of what waits. */
  drop(): void {
    this.#messages = [];
    this.#bytes = 0;
    this.#fanOut.forget(this);
  }
}

export interface ThreadClock {
  monotonicMs(): number;
  /** How long the thread has worked so far, at whatever. */
  busyMs(): number;
}

interface SharedList {
  readonly messages: readonly Buffer[];
  readonly compresses: boolean;
  readonly frames: Buffer;
}

export class FanOut {
  readonly #clock: ThreadClock;
  readonly #prompt = new Set<Outbox>();
  /** With the time since when each waits. */
  readonly #paced = new Map<Outbox, number>();
  #shared: SharedList[] = [];
  #promptTurn: NodeJS.Immediate | null = null;
  #pacedTurn: NodeJS.Immediate | NodeJS.Timeout | null = null;
  /** Where the last slice of market data ended, and the next may begin. */
  #lastEnd = { monotonicMs: 0, busyMs: 0 };
  #nextSliceMs = Number.NEGATIVE_INFINITY;
  #delayMs = 0;

  constructor(clock: ThreadClock) {
    this.#clock = clock;
  }

  /** How long market data waits for its turn at present. */
  get delayMs(): number {
    return this.#delayMs;
  }

  enqueue(outbox: Outbox, urgency: Urgency): void {
    if (outbox.queue === urgency || outbox.queue === "prompt") return;
    this.#paced.delete(outbox);
    outbox.queue = urgency;
    if (urgency === "prompt") {
      this.#prompt.add(outbox);
      this.#promptTurn ??= setImmediate(() => this.#writePrompt());
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
    this.#pacedTurn = waitMs <= 0 ? setImmediate(write) : setTimeout(write, Math.ceil(waitMs));
  }

  #writePrompt(): void {
    this.#promptTurn = null;
    const endMs = this.#clock.monotonicMs() + SLICE_MS;
    for (const outbox of this.#prompt) {
      outbox.flush();
      if (this.#clock.monotonicMs() >= endMs) break;
    }
    if (this.#prompt.size > 0) this.#promptTurn = setImmediate(() => this.#writePrompt());
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

  /** Until when the writing of market data rests after a slice. */
  #rest(beginMs: number, endMs: number): void {
    const tookMs = endMs - beginMs;
    const busyMs = this.#clock.busyMs();
    const othersMs = busyMs - this.#lastEnd.busyMs - tookMs;
    const busyShare = othersMs / Math.max(tookMs, endMs - this.#lastEnd.monotonicMs);
    this.#lastEnd = { monotonicMs: endMs, busyMs };
    const [oldest] = this.#paced.keys();
    const rest = oldest?.isFull === true ? 0 : Math.max(1, REST * busyShare ** 3);
    // One that took much longer was held up by something else, which no rest would make good.
    this.#nextSliceMs = endMs + Math.min(tookMs, 2 * SLICE_MS) * rest;
  }

  /** The frames of these messages, made once for all who get the same. */
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
