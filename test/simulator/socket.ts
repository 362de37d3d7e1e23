/** A WebSocket of a client on the simulated network. */
import { WebSocket } from "ws";
import type { StreamMessage } from "../support/stream-client.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

export class SimulatedSocket {
  readonly #socket: WebSocket;
  readonly #answers = new Map<unknown, (answer: StreamMessage | null) => void>();
  readonly #onMessage: (message: StreamMessage) => void;
  readonly #isV2: boolean;
  #nextId = 1;
  isOpen = false;

  private constructor(
    socket: WebSocket,
    isV2: boolean,
    onMessage: (message: StreamMessage) => void,
  ) {
    this.#socket = socket;
    this.#isV2 = isV2;
    this.#onMessage = onMessage;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.isOpen = false;
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
  ): Promise<SimulatedSocket | null> {
    return new Promise((resolve) => {
      const createConnection = () => exchange.connect() as never;
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

  /** The answer to this message; null when the connection broke first. */
  ask(message: Readonly<Record<string, unknown>>): Promise<StreamMessage | null> {
    const id = this.#nextId++;
    if (!this.isOpen) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#socket.send(JSON.stringify({ ...message, id }));
    });
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

  /** The answer to a subscription of version 2, which names its channel. */
  askChannel(channel: string): Promise<StreamMessage | null> {
    if (!this.isOpen) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#answers.set(channel, resolve);
      this.#socket.send(JSON.stringify({ event: "subscribe", channel }));
    });
  }

  close(): void {
    this.isOpen = false;
    this.#socket.terminate();
  }

  #receive(message: StreamMessage): void {
    if (message.event === "ping" || message.type === "ping") {
      const { time } = message;
      const isV2 = message.event === "ping" && this.#isV2;
      const pong = isV2 ? { event: "pong", time } : { method: "PONG", id: "pong" };
      this.#socket.send(JSON.stringify(pong));
      return;
    }
    const isReply = message.event === "subscribed" || message.event === "error";
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
