/**
 * A plain client of the trading WebSocket: sends messages, and gives the answer of each id. Logons
 * are signed with a signing of its own, written from the reference's text.
 */
import { createHmac } from "node:crypto";
import { WebSocket } from "ws";
import type { Credentials } from "./signed-client.ts";

export interface SocketAnswer {
  readonly id: unknown;
  readonly status: number;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly msg: string;
    readonly retryAfterMs?: number;
  };
}

export interface SocketClosed {
  readonly code: number;
  readonly reason: string;
}

export interface LogonParams {
  readonly apiKey: string;
  readonly passphrase: string;
  readonly timestamp: string;
  readonly signature: string;
}

let lastTimestampMs = 0;

/** A logon is good for once, so that no two have the same timestamp. */
export function nextTimestamp(): string {
  lastTimestampMs = Math.max(lastTimestampMs + 1, Date.now());
  return String(lastTimestampMs);
}

export function logonParams(
  { apiKey, secret, passphrase }: Credentials,
  timestamp: string = nextTimestamp(),
): LogonParams {
  const text = `${timestamp}GET/v3/ws/api`;
  const signature = createHmac("sha256", secret).update(text).digest("base64");
  return { apiKey, passphrase, timestamp, signature };
}

export class TradingSocket {
  readonly socket: WebSocket;
  readonly closed: Promise<SocketClosed>;
  /** In the order of their arrival. */
  readonly answers: SocketAnswer[] = [];
  readonly #waiting = new Map<unknown, (answer: SocketAnswer) => void>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as SocketAnswer));
  }

  /** Not logged on without credentials. */
  static async open(port: number, credentials?: Credentials): Promise<TradingSocket> {
    const client = await new Promise<TradingSocket>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/v3/ws/api`);
      const client = new TradingSocket(socket);
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
    if (credentials !== undefined) await client.result("session.logon", logonParams(credentials));
    return client;
  }

  ask(method: unknown, params?: unknown, givenId?: unknown): Promise<SocketAnswer> {
    const id = givenId ?? this.#nextId++;
    return this.answerTo(JSON.stringify({ id, method, params }), id);
  }

  /** The answer with this id to a message sent as it is. */
  answerTo(text: string | Buffer, id: unknown = null): Promise<SocketAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      void this.closed.then(({ code }) => reject(new Error(`closed with ${code}: ${text}`)));
      this.socket.send(text, { binary: false });
    });
  }

  /** Of a method that must succeed. */
  async result<Result>(method: string, params?: unknown): Promise<Result> {
    const answer = await this.ask(method, params);
    if (answer.status === 200) return answer.result as Result;
    throw new Error(`${method} was answered ${JSON.stringify(answer)}`);
  }

  /** The code of an error; null on success. */
  async code(method: unknown, params?: unknown): Promise<number | null> {
    return (await this.ask(method, params)).error?.code ?? null;
  }

  close(): Promise<SocketClosed> {
    this.socket.terminate();
    return this.closed;
  }

  #receive(answer: SocketAnswer): void {
    this.answers.push(answer);
    const resolve = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    resolve?.(answer);
  }
}
