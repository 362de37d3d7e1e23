/**
 * One socket from its handshake to its end: requests and responses, heartbeat and response time. A
 * socket that does not respond in time is closed.
 */
import type { ClientRuntime, SocketClass } from "../runtime.ts";
import type { WireMessage } from "./stream-events.ts";

export interface SessionEvents {
  message(message: WireMessage): void;
  latency(ms: number): void;
}

/** A periodic request that checks whether the other side is alive. */
export interface Probe {
  readonly method: "PONG" | "UNSUBSCRIBE";
  readonly params?: readonly string[];
  readonly everyMs: number;
}

export interface SessionOptions {
  readonly socketClass: SocketClass;
  readonly runtime: ClientRuntime;
  readonly url: string;
  readonly protocols: readonly string[];
  readonly probe: Probe;
  readonly events: SessionEvents;
}

export interface StreamAnswer {
  readonly result: boolean;
  readonly msg?: string;
}

const OPEN_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 10_000;
/** The exchange accepts 64 at once. */
const IN_FLIGHT_MAX = 16;
const NORMAL_CLOSE = 1000;

interface Asked {
  readonly resolve: (answer: StreamAnswer | null) => void;
  readonly cancelTimer: () => void;
}

export class StreamSession {
  /** Resolves with the reason why it ended. */
  readonly ended: Promise<string>;
  readonly #socket: WebSocket;
  readonly #options: SessionOptions;
  readonly #asked = new Map<string, Asked>();
  readonly #queue: (() => void)[] = [];
  readonly #cancelOpenTimer: () => void;
  #cancelProbeTimer: () => void = () => undefined;
  #resolveOpened: (isOpen: boolean) => void = () => undefined;
  #resolveEnded: (reason: string) => void = () => undefined;
  #nextId = 1;
  #isOver = false;

  /** Resolves with whether the handshake succeeded. */
  readonly opened: Promise<boolean>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.opened = new Promise((resolve) => {
      this.#resolveOpened = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const { runtime, socketClass, url, protocols } = options;
    const socket = new socketClass(url, [...protocols]);
    this.#socket = socket;
    this.#cancelOpenTimer = runtime.after(OPEN_TIMEOUT_MS, () => this.end("no handshake in time"));
    socket.addEventListener("open", () => {
      this.#cancelOpenTimer();
      this.#resolveOpened(true);
      void this.#probe();
    });
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("error", () => this.end("the connection failed"));
    socket.addEventListener("close", ({ code, reason }) => {
      this.end(reason === "" ? `the connection ended (${code})` : reason);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Null when the session ended before the response. */
  async ask(
    method: "SUBSCRIBE" | "UNSUBSCRIBE" | "PONG",
    params?: readonly string[],
  ): Promise<StreamAnswer | null> {
    if (this.#asked.size >= IN_FLIGHT_MAX) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    if (this.#isOver) return null;
    const id = `r${this.#nextId++}`;
    return new Promise((resolve) => {
      const { runtime } = this.#options;
      const cancelTimer = runtime.after(ANSWER_TIMEOUT_MS, () => this.end("no answer in time"));
      this.#asked.set(id, { resolve, cancelTimer });
      this.#send({ method, params, id });
    });
  }

  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelOpenTimer();
    this.#cancelProbeTimer();
    for (const { resolve, cancelTimer } of this.#asked.values()) {
      cancelTimer();
      resolve(null);
    }
    this.#asked.clear();
    for (const go of this.#queue.splice(0)) go();
    this.#resolveOpened(false);
    this.#resolveEnded(reason);
    const { CONNECTING, OPEN } = this.#options.socketClass;
    if (this.#socket.readyState === OPEN || this.#socket.readyState === CONNECTING) {
      this.#socket.close(NORMAL_CLOSE);
    }
  }

  #send(message: object): void {
    if (this.#socket.readyState === this.#options.socketClass.OPEN) {
      this.#socket.send(JSON.stringify(message));
    }
  }

  #receive(data: unknown): void {
    if (this.#isOver) return;
    const message = read(data);
    if (message === null) {
      this.end("a message that is no JSON object");
    } else if (message.event === "ping" || message.type === "ping") {
      this.#send({ method: "PONG", id: "pong" });
    } else if ("result" in message) {
      this.#answered(message);
    } else this.#options.events.message(message);
  }

  #answered(message: WireMessage): void {
    const asked = this.#asked.get(message.id as string);
    if (asked === undefined) return;
    this.#asked.delete(message.id as string);
    asked.cancelTimer();
    asked.resolve(message as unknown as StreamAnswer);
    this.#queue.shift()?.();
  }

  async #probe(): Promise<void> {
    const { events, probe, runtime } = this.#options;
    const { method, params, everyMs } = probe;
    const sentMs = runtime.monotonicMs();
    const answer = await this.ask(method, params);
    if (answer === null) return;
    events.latency(runtime.monotonicMs() - sentMs);
    // It may have ended since the answer, or because of it.
    if (this.#isOver) return;
    this.#cancelProbeTimer = runtime.after(everyMs, () => void this.#probe());
  }
}

function read(data: unknown): WireMessage | null {
  if (typeof data !== "string") return null;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? (value as WireMessage) : null;
  } catch {
    return null;
  }
}
