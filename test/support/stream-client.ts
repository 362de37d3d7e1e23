/**
 * A plain client of the streams: sends requests, keeps what arrives, and answers pings unless told
 * not to. Handshakes are signed with a signing of its own.
 */
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { Credentials } from "./signed-client.ts";

export type StreamMessage = Readonly<Record<string, unknown>>;

export interface StreamClosed {
  readonly code: number;
  readonly reason: string;
}

const WAIT_MS = 120_000;

export function handshakeHeaders(
  { apiKey, secret, passphrase }: Credentials,
  timestamp: string = String(Date.now()),
  signedPath = "/v3/ws/private",
): Record<string, string> {
  const sign = createHmac("sha256", secret)
    .update(timestamp + signedPath)
    .digest("base64");
  return {
    "ACCESS-KEY": apiKey,
    "ACCESS-SIGN": sign,
    "ACCESS-PASSPHRASE": passphrase,
    "ACCESS-TIMESTAMP": timestamp,
  };
}

export class StreamClient {
  readonly socket: WebSocket;
  readonly closed: Promise<StreamClosed>;
  /** Everything but answers and pings. */
  readonly messages: StreamMessage[] = [];
  /** Called for each of them. */
  onMessage: (message: StreamMessage) => void = () => undefined;
  answersPings = true;
  readonly pings: StreamMessage[] = [];
  readonly #answers = new Map<unknown, (answer: StreamMessage) => void>();
  readonly #waiting = new Set<() => void>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as StreamMessage));
  }

  static open(port: number, path: string, credentials?: Credentials): Promise<StreamClient> {
    const headers = credentials === undefined ? {} : handshakeHeaders(credentials);
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
      const client = new StreamClient(socket);
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
  }

  /** Resolves with the answer to this id. */
  ask(method: string, params: readonly string[], givenId?: unknown): Promise<StreamMessage> {
    const id = givenId ?? this.#nextId++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.socket.send(JSON.stringify({ method, params, id }));
    });
  }

  subscribe(...names: string[]): Promise<StreamMessage> {
    return this.ask("SUBSCRIBE", names);
  }

  /** The messages of one event. */
  of(event: string): readonly StreamMessage[] {
    return this.messages.filter(({ e }) => e === event);
  }

  /** Resolves as soon as the condition holds; it is looked at after every message. */
  async until(condition: () => boolean, what: string): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const last = JSON.stringify(this.messages.slice(-3));
        reject(new Error(`${what} did not come; the last messages: ${last}`));
      }, WAIT_MS);
      const look = (): void => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  /** Lets go of the messages so far, in a test that looks at each as it comes. */
  forget(): void {
    this.messages.length = 0;
  }

  close(): Promise<StreamClosed> {
    this.socket.terminate();
    return this.closed;
  }

  #receive(message: StreamMessage): void {
    if (message.event === "ping" || message.type === "ping") {
      this.pings.push(message);
      if (this.answersPings) this.socket.send(JSON.stringify({ method: "PONG", id: "pong" }));
    } else if ("result" in message) {
      const resolve = this.#answers.get(message.id);
      this.#answers.delete(message.id);
      resolve?.(message);
    } else {
      this.messages.push(message);
      this.onMessage(message);
    }
    for (const look of [...this.#waiting]) look();
  }
}

export interface RefusedHandshake {
  readonly status: number;
  readonly body: unknown;
}

/** The answer to a handshake that must be refused. */
export function refusedHandshake(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<RefusedHandshake> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    socket.once("open", () => {
      socket.terminate();
      reject(new Error("the handshake was accepted"));
    });
    socket.on("error", () => undefined);
    socket.once("unexpected-response", (_request, response: IncomingMessage) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
      });
    });
  });
}
