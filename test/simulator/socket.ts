/** A WebSocket of a client on the simulated network. */
import { WebSocket } from "ws";
import type { StreamMessage } from "../support/stream-client.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

/** That name a channel. */
const REPLIES: ReadonlySet<unknown> = new Set(["subscribed", "unsubscribed", "error"]);

type Answered = (answer: StreamMessage | null) => void;

export class SimulatedSocket {
  readonly #socket: WebSocket;
  readonly #answers = new Map<unknown, Answered>();
  readonly #onMessage: (message: StreamMessage) => void;
  readonly #isV2: boolean;
  #nextId = 1;
  isOpen = false;
  /** Whether the exchange is told that somebody is there. */
  answersPings = true;
  /** That came. */
  pings = 0;
  /** How the other side closed it. */
  closed: { readonly code: number; readonly reason: string } | null = null;

  private constructor(
    socket: WebSocket,
    isV2: boolean,
    onMessage: (message: StreamMessage) => void,
  ) {
    this.#socket = socket;
    this.#isV2 = isV2;
    this.#onMessage = onMessage;
    socket.on("error", () => undefined);
    socket.on("close", (code, reason) => {
      this.isOpen = false;
      this.closed = { code, reason: String(reason) };
      for (const answered of this.#answers.values()) answered(null);
      this.#answers.clear();
    });
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as StreamMessage));
  }

  /** Null when the handshake failed. */
  static open(
    exchange: SimulatedExchange,
    path: string,
    headers: Readonly<Record<string, string>>,
    onMessage: (message: StreamMessage) => void,
    connect = () => exchange.connect(),
  ): Promise<SimulatedSocket | null> {
    return new Promise((resolve) => {
      const createConnection = () => connect() as never;
      const forwarded =
        exchange.limits === null ? {} : { "X-Forwarded-For": exchange.newAddress() };
      const sent = { ...headers, ...forwarded };
      const options = { headers: sent, createConnection, perMessageDeflate: false };
      const socket = new WebSocket(`ws://127.0.0.1${path}`, options);
      const client = new SimulatedSocket(socket, path.includes("/v2/"), onMessage);
      socket.once("open", () => {
        client.isOpen = true;
        resolve(client);
      });
      socket.once("close", () => resolve(null));
    });
  }

  /**
   * The answer to this message; null when the connection broke first. `heard` is called ahead of
   * the messages behind it.
   */
  ask(message: StreamMessage, heard?: Answered): Promise<StreamMessage | null> {
    const id = this.#nextId++;
    return this.#await(id, { ...message, id }, heard);
  }

  #await(key: unknown, message: object, heard?: Answered): Promise<StreamMessage | null> {
    if (!this.isOpen) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#answers.set(key, (answer) => {
        heard?.(answer);
        resolve(answer);
      });
      this.#socket.send(JSON.stringify(message));
    });
  }

  /** As it is; what is answered comes like any other message. */
  send(message: string | Buffer): void {
    if (this.isOpen) this.#socket.send(message);
  }

  /** Whatever the answer to it is. */
  post(message: Readonly<Record<string, unknown>>): void {
    if (this.isOpen) this.#socket.send(JSON.stringify({ ...message, id: "nobody's" }));
  }

  /** Nothing is read any more until `readOn`. */
  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  /** The answer to a request of version 2, which names its channel. */
  askChannel(
    channel: string,
    event: "subscribe" | "unsubscribe" = "subscribe",
    heard?: Answered,
  ): Promise<StreamMessage | null> {
    return this.#await(channel, { event, channel }, heard);
  }

  close(): void {
    this.isOpen = false;
    this.#socket.terminate();
  }

  #receive(message: StreamMessage): void {
    if (message.event === "ping" || message.type === "ping") {
      const { time } = message;
      this.pings++;
      if (!this.answersPings) return;
      const isV2 = message.event === "ping" && this.#isV2;
      const pong = isV2 ? { event: "pong", time } : { method: "PONG", id: "pong" };
      this.#socket.send(JSON.stringify(pong));
      return;
    }
    const isReply = REPLIES.has(message.event);
    const key = isReply ? message.channel : message.id;
    const answered = this.#answers.get(key);
    if (answered === undefined) {
      if (message.id !== "pong") this.#onMessage(message);
      return;
    }
    this.#answers.delete(key);
    answered(message);
  }
}
