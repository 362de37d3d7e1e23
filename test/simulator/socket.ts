/** A WebSocket of a client on the simulated network. */
import { WebSocket } from "ws";
import type { StreamMessage } from "../support/stream-client.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

export class SimulatedSocket {
  readonly #socket: WebSocket;
  readonly #answers = new Map<unknown, (answer: StreamMessage | null) => void>();
  readonly #onMessage: (message: StreamMessage) => void;
  #nextId = 1;
  isOpen = false;

  private constructor(socket: WebSocket, onMessage: (message: StreamMessage) => void) {
    this.#socket = socket;
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
      const client = new SimulatedSocket(socket, onMessage);
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

  close(): void {
    this.isOpen = false;
    this.#socket.terminate();
  }

  #receive(message: StreamMessage): void {
    if (message.event === "ping" || message.type === "ping") {
      this.#socket.send(JSON.stringify({ method: "PONG", id: "pong" }));
      return;
    }
    const answered = this.#answers.get(message.id);
    if (answered === undefined) {
      if (message.id !== "pong") this.#onMessage(message);
      return;
    }
    this.#answers.delete(message.id);
    answered(message);
  }
}
