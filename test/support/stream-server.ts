/**
 * The real engine with the real streams on a real socket, in this process: every book of the engine
 * can be looked at directly behind the command that made it, which no client of a process could do
 * as often.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { accept } from "../../src/domain/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { createAddressMemory, Streams } from "../../src/streams/index.ts";
import { StreamClient } from "./stream-client.ts";
import { StreamFixture } from "./stream-fixture.ts";

const NOTHING = (): void => undefined;

/** Counts nothing; what is counted has tests of its own. */
const NO_METRICS = {
  streamOpened: NOTHING,
  streamClosed: NOTHING,
  streamRefused: NOTHING,
  streamEnded: NOTHING,
  streamSent: NOTHING,
  streamConflated: NOTHING,
};

export class StreamServer {
  readonly fixture: StreamFixture;
  /** By the port of the client. */
  readonly #sockets = new Map<number, Socket>();
  #server: Server;
  #streams: Streams;

  private constructor(fixture: StreamFixture, server: Server, streams: Streams) {
    this.fixture = fixture;
    this.#server = server;
    this.#streams = streams;
    server.on("connection", (socket: Socket) => {
      this.#sockets.set(socket.remotePort ?? 0, socket);
      socket.once("close", () => this.#sockets.delete(socket.remotePort ?? 0));
    });
  }

  static async open(): Promise<StreamServer> {
    const fixture = await StreamFixture.open();
    // The exchange's own feeds have nobody to tell.
    fixture.router.sleep();
    return new StreamServer(fixture, ...(await listen(fixture)));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Null for a closed connection. `waiting` is what this process still holds of what it sent. */
  bytesFor(clientPort: number): { readonly sent: number; readonly waiting: number } | null {
    const socket = this.#sockets.get(clientPort);
    if (socket === undefined || socket.destroyed) return null;
    return { sent: socket.bytesWritten, waiting: socket.writableLength };
  }

  /** A private connection of a user of the exchange. */
  private(product: "spot" | "contract", uid: number): Promise<StreamClient> {
    const prefix = product === "spot" ? "" : "/contract";
    const credentials = { apiKey: String(uid), secret: "secret", passphrase: "" };
    return StreamClient.open(this.port, `${prefix}/v3/ws/private`, credentials);
  }

  /** Everything but the engine is thrown away and made anew, as a restart does. */
  async restart(): Promise<void> {
    await this.close();
    [this.#server, this.#streams] = await listen(this.fixture);
  }

  async close(): Promise<void> {
    await this.#streams.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function listen(fixture: StreamFixture): Promise<[Server, Streams]> {
  const { exchange } = fixture;
  const streams = new Streams({
    addresses: createAddressMemory(Buffer.from("hash key")),
    engine: exchange.client,
    history: exchange.history,
    authenticator: {
      addressOf: () => "127.0.0.1",
      // Who calls is who they say: the key is the uid.
      identify: ({ headers }) => {
        const apiKey = String(headers["access-key"] ?? "");
        return accept({ uid: Number(apiKey), apiKey });
      },
      isLive: () => true,
      expiresAtMs: () => null,
      refuse: (socket) => socket.destroy(),
    },
    clock: { exchangeMs: () => exchange.wallMs, monotonicMs: () => performance.now() },
    platform: NODE_PLATFORM,
    metrics: NO_METRICS,
    rateLimits: "off",
    isReady: () => true,
    onFatal: (error) => {
      throw error;
    },
    // As often as the engine is asked, so that as many books as can be are seen.
    periodMs: 0,
  });
  exchange.onEvents = (chunk) => streams.publish(chunk);
  const server = createServer();
  streams.attach(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return [server, streams];
}
