/**
 * A plain client of the v2 streams, in the style of older clients: one channel per request,
 * responses matched by their channel, pings answered with the same time.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Credentials } from "./signed-client.ts";
import { handshakeHeaders, type StreamClosed, type StreamMessage } from "./stream-client.ts";

export const SIGNED_PATH_V2 = "/v2/ws/private";
const WAIT_MS = 120_000;

export class StreamClientV2 {
  readonly socket: WebSocket;
  readonly closed: Promise<StreamClosed>;
  /** What was pushed, in its order. */
  readonly pushes: StreamMessage[] = [];
  /** Everything else but pings of the exchange. */
  readonly replies: StreamMessage[] = [];
  readonly pings: StreamMessage[] = [];
  /** Called for each push. */
  onPush: (message: StreamMessage) => void = () => undefined;
  answersPings = true;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as StreamMessage));
  }

  static open(port: number, path: string, credentials?: Credentials): Promise<StreamClientV2> {
    const headers =
      credentials === undefined ? {} : handshakeHeaders(credentials, undefined, SIGNED_PATH_V2);
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
      const client = new StreamClientV2(socket);
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Resolves with the next reply. */
  async ask(message: object | string): Promise<StreamMessage> {
    const before = this.replies.length;
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
    await this.until(() => this.replies.length > before, "a reply");
    return this.replies[before] as StreamMessage;
  }

  async subscribe(...channels: string[]): Promise<void> {
    for (const channel of channels) {
      const reply = await this.ask({ event: "subscribe", channel });
      assert.deepEqual(reply, { event: "subscribed", channel });
    }
  }

  /** The entries that were pushed in one public channel. */
  entriesOf(name: string): readonly Readonly<Record<string, unknown>>[] {
    return this.pushes
      .filter(({ channel }) => channel === name)
      .flatMap(({ data }) => data as Readonly<Record<string, unknown>>[]);
  }

  /** Resolves as soon as the condition holds; it is looked at after messages. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const signal = AbortSignal.timeout(WAIT_MS);
    while (!condition()) {
      await once(this.socket, "message", { signal }).catch(() => {
        const last = JSON.stringify(this.pushes.slice(-3));
        throw new Error(`${what} did not come; the last pushes: ${last}`);
      });
    }
  }

  close(): Promise<StreamClosed> {
    this.socket.terminate();
    return this.closed;
  }

  #receive(message: StreamMessage): void {
    if (message.event === "ping") {
      this.pings.push(message);
      if (this.answersPings) this.send({ event: "pong", time: message.time });
    } else if (message.event === "payload") {
      this.pushes.push(message);
      this.onPush(message);
    } else this.replies.push(message);
  }
}
