/** Records what arrives on a connection of the public client, independently of the client. */
import assert from "node:assert/strict";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { StreamMessage } from "../support/stream-client.ts";
import type { StreamingWeex } from "./ccxt-streams.ts";

type End = "/public" | "/private";

/** What the client keeps of one connection. */
interface ClientSocket {
  readonly url: string;
  readonly subscriptions: Readonly<Record<string, unknown>>;
  readonly connected: PromiseLike<unknown>;
  readonly connection: WebSocket;
}

const WAIT_MS = 15_000;
/** Of a millisecond each, or longer on a busy machine. */
const WAITS_MAX = 15_000;

export class Tap {
  /** Names of events with the symbol, and those of candles with the interval. */
  readonly events = new Set<string>();
  readonly #socket: ClientSocket;
  readonly #answered = new Map<unknown, () => void>();
  #look: () => void = () => undefined;

  private constructor(socket: ClientSocket) {
    this.#socket = socket;
    socket.connection.on("message", (data) => {
      const { e, s, id, d } = JSON.parse(String(data)) as StreamMessage;
      const interval = e === "kline" ? (d as { i: string }[])[0]?.i : undefined;
      if (e !== undefined) this.events.add([e, s, interval].filter(Boolean).join(" "));
      this.#answered.get(id)?.();
      this.#look();
    });
  }

  /** On the connection that the client opens or has opened. */
  static async on(client: StreamingWeex, end: End): Promise<Tap> {
    for (let turns = 0; turns < 1000; turns++) {
      const sockets = Object.values(client.clients) as unknown as ClientSocket[];
      const socket = sockets.find(({ url }) => url.endsWith(end));
      if (socket !== undefined) {
        await socket.connected;
        return new Tap(socket);
      }
      await client.fetchTime();
    }
    assert.fail(`the client does not connect to ${end}`);
  }

  /** Resolves when all of these have arrived. */
  async until(events: readonly string[]): Promise<void> {
    const missing = (): string[] => events.filter((event) => !this.events.has(event));
    if (missing().length === 0) return;
    await new Promise<void>((resolve, reject) => {
      const fail = (): void => reject(new Error(`did not arrive: ${missing().join()}`));
      const timer = setTimeout(fail, WAIT_MS);
      this.#look = () => {
        if (missing().length > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Until the client has these subscriptions and the exchange has answered to them. */
  async subscribed(names: readonly string[]): Promise<void> {
    const missing = (): string[] => names.filter((name) => !(name in this.#socket.subscriptions));
    for (let waits = 0; missing().length > 0 && waits < WAITS_MAX; waits++) await sleep(1);
    assert.deepEqual(missing(), []);
    // What the client sends when its connection is open it has sent behind this.
    await turn();
    await this.roundTrip();
  }

  /** A connection's requests are answered in order, and behind what was sent before. */
  async roundTrip(): Promise<void> {
    const id = `tap-${this.#answered.size}`;
    await new Promise<void>((resolve) => {
      this.#answered.set(id, resolve);
      const request = { method: "UNSUBSCRIBE", params: ["nothing"], id };
      this.#socket.connection.send(JSON.stringify(request));
    });
  }
}
