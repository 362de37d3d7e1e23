/**
 * The streams of the exchange: handshakes on the API's server, connections, heartbeats and
 * shutdown.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { type Refusal, refuse } from "../api/errors.ts";
import { type StreamDialect, type StreamPath, streamPathOf } from "../api/stream-paths.ts";
import { STREAM_PROTOCOL } from "../api/stream-protocols.ts";
import type { Accepted } from "../domain/index.ts";
import type { SandboxTraffic } from "../faults/index.ts";
import type { Platform, Timer } from "../platform/index.ts";
import { PrivateChannels, PublicChannels } from "./channel-openers.ts";
import { Activity } from "./channels/activity.ts";
import type { Dialect } from "./channels/dialect.ts";
import type {
  StreamAuthenticator,
  StreamCaller,
  StreamClock,
  StreamMetrics,
  StreamSources,
} from "./channels/ports.ts";
import { EventRouter } from "./event-router.ts";
import { AGREED, offersCompression } from "./transport/compression.ts";
import { Connection, type ConnectionOptions } from "./transport/connection.ts";
import { DelayedOutbox, type OutboxSocket } from "./transport/delayed-outbox.ts";
import { FanOut, Outbox } from "./transport/fan-out.ts";
import { AddressLimits, ConnectionLimits } from "./transport/limits.ts";
import { SandboxConnection } from "./transport/sandbox-connection.ts";
import { V2_DIALECT } from "./v2/v2-dialect.ts";
import { V3_DIALECT } from "./v3/v3-dialect.ts";

const DIALECTS: Readonly<Record<StreamDialect, Dialect>> = { v2: V2_DIALECT, v3: V3_DIALECT };

export interface StreamsOptions extends StreamSources {
  readonly authenticator: StreamAuthenticator;
  readonly clock: StreamClock;
  readonly platform: Pick<Platform, "clock" | "scheduler">;
  readonly metrics: StreamMetrics;
  readonly rateLimits: "standard" | "off";
  /** Counts of addresses, which the streams of several gateways share. */
  readonly addresses: SharedArrayBuffer;
  /** Whether the exchange takes connections: recovered, and not stopping. */
  readonly isReady: () => boolean;
  readonly onFatal: (error: Error) => void;
  /** Whether anybody is connected: events are needed only then. Told before state is queried. */
  readonly onListening?: (listens: boolean) => void;
  /** Between two pings of a connection; 30 s unless a test shortens it. */
  readonly pingMs?: number;
  /** Between two updates of a channel. */
  readonly periodMs: number;
  /** Named in every handshake; of a restored one each connection is told first of all. */
  readonly venue?: { readonly id: string; readonly restoredSequence: number | null } | null;
  /** In a sandbox: what it does to messages. */
  readonly traffic?: SandboxTraffic | null;
}

const PING_MS = 30_000;
/** How often slow clients and expiring keys are checked. */
const CATCH_UP_MS = 100;
const MESSAGE_BYTES_MAX = 16 * 1024;
/** How long clients have to answer the close when the exchange stops. */
const STOP_MS = 1_000;

interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly path: StreamPath;
  readonly address: string;
}

export class Streams {
  readonly #options: StreamsOptions;
  readonly #router: EventRouter;
  readonly #addresses: AddressLimits;
  readonly #fanOut: FanOut;
  readonly #activity = new Activity();
  readonly #connections = new Set<Connection>();
  /** Connections whose key expires, with the exchange time of the expiry. */
  readonly #expiring = new Map<Connection, number>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: AGREED,
    maxPayload: MESSAGE_BYTES_MAX,
    // Browsers require a response to the subprotocols they name; ours carry part of a signature.
    handleProtocols: (offered) =>
      offered.has(STREAM_PROTOCOL) ? STREAM_PROTOCOL : (offered.values().next().value ?? false),
  });
  readonly #timers: readonly Timer[];
  #isStopping = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    const { engine, history, clock, onFatal, periodMs, pingMs = PING_MS } = options;
    const { scheduler } = options.platform;
    this.#fanOut = new FanOut(options.platform.clock, scheduler);
    const delayMs = (): number => this.#fanOut.delayMs;
    const activity = this.#activity;
    const ports = { engine, history, clock, scheduler, periodMs, delayMs, onFatal, activity };
    this.#router = new EventRouter(ports, (apiKey) => this.#endKey(apiKey));
    const { venue = null } = options;
    this.#sockets.on("headers", (headers: string[]) => {
      if (venue !== null) headers.push(`X-Rialto-Venue: ${venue.id}`);
    });
    this.#addresses = new AddressLimits(options.rateLimits === "standard", options.addresses);
    this.#timers = [
      scheduler.every(pingMs, () => this.#beat()),
      scheduler.every(CATCH_UP_MS, () => {
        this.#catchUp();
        this.#endExpired();
      }),
    ];
  }

  get #isSandbox(): boolean {
    return (this.#options.traffic ?? null) !== null;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Takes over the handshakes of a server that `isStreamHandshake` accepts. */
  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#takeHandshake(request, socket, head);
    });
  }

  /** Everything that was published has been written to the clients, and they have read it. */
  get isQuiet(): boolean {
    if (!this.#router.isIdle || this.#activity.count > 0 || !this.#fanOut.isEmpty) return false;
    for (const connection of this.#connections) if (connection.isLagging) return false;
    for (const client of this.#sockets.clients) if (client.bufferedAmount > 0) return false;
    return true;
  }

  /** Receives durable events in order. */
  publish(chunk: Uint8Array): void {
    this.#router.publish(chunk);
  }

  /** Events were lost, so that no state here is whole: every client has to connect again. */
  missedEvents(): void {
    for (const connection of this.#connections) {
      connection.end("missed-events", "updates were lost; connect again");
    }
    this.#router.sleep();
  }

  /**
   * The exchange went back to an earlier state: connections stay, are told, and get the present
   * state of their channels; those whose key is not in force any more end.
   */
  restored(): void {
    const { authenticator } = this.#options;
    for (const connection of this.#connections) {
      const { apiKey } = connection;
      if (apiKey !== "" && !authenticator.isLive(apiKey)) {
        connection.end("key-ended", "the API key has ended");
        continue;
      }
      connection.suspend();
      this.#watchKey(connection);
    }
    this.#router.beginAnew();
    if (this.#connections.size > 0) this.#router.wake();
    for (const connection of this.#connections) connection.resume();
  }

  /** Tells every client that the exchange is stopping; resolves when all connections have ended. */
  async close(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) timer.cancel();
    for (const connection of this.#connections) {
      connection.end("stopping", "the exchange is stopping");
    }
    const ended = [...this.#sockets.clients].map(
      (socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
    );
    const timer = this.#options.platform.scheduler.after(STOP_MS, () => {
      for (const socket of this.#sockets.clients) socket.terminate();
    });
    await Promise.all(ended);
    timer.cancel();
  }

  #takeHandshake(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { authenticator, metrics } = this.#options;
    const path = streamPathOf(request.url ?? "");
    // The trading WebSocket answers on the same server.
    if (path === null) return;
    socket.on("error", () => socket.destroy());
    const address = authenticator.addressOf(request);
    const caller = this.#admit(request, path, address);
    if (caller.ok) {
      this.#upgrade({ request, socket, head, path, address }, caller.value);
      return;
    }
    metrics.streamRefused(caller.reason);
    authenticator.refuse(socket, caller, path);
  }

  #admit(
    request: IncomingMessage,
    path: StreamPath,
    address: string,
  ): Accepted<StreamCaller> | Refusal {
    const { authenticator, clock, isReady } = this.#options;
    if (this.#isStopping || !isReady()) return refuse("stopping");
    const isWithinLimits = this.#addresses.takeAttempt(address, clock.monotonicMs());
    return isWithinLimits ? authenticator.identify(request, path, address) : refuse("rate-limited");
  }

  #upgrade(handshake: Handshake, caller: StreamCaller): void {
    const { request, socket, head, path, address } = handshake;
    const { authenticator, clock, metrics } = this.#options;
    // Another gateway may have opened the last one since the attempt.
    if (!this.#addresses.open(address, clock.monotonicMs())) {
      const refusal = refuse("rate-limited");
      metrics.streamRefused(refusal.reason);
      authenticator.refuse(socket, refusal, path);
      return;
    }
    const { headers } = request;
    const isPublic = path.access === null;
    if (!isPublic || !offersCompression(headers["sec-websocket-extensions"])) {
      delete headers["sec-websocket-extensions"];
    }
    let isOpen = false;
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      isOpen = true;
      this.#open(client, handshake, caller);
    });
    // It calls back at once or, when the handshake is malformed or the client gone, never.
    if (!isOpen) this.#addresses.closed(address);
  }

  #open(client: WebSocket, { socket, path, address }: Handshake, caller: StreamCaller): void {
    const { clock, metrics, platform, rateLimits, onFatal } = this.#options;
    const nowMs = clock.monotonicMs();
    const isPrivate = path.access !== null;
    const dialect = DIALECTS[path.dialect];
    const connection = this.#newConnection(client, socket, address, {
      caller,
      isPrivate,
      dialect,
      channels: isPrivate
        ? new PrivateChannels(dialect, path.product, caller.uid, this.#router)
        : new PublicChannels(dialect, path.product, this.#router, this.#isSandbox),
      limits: new ConnectionLimits(rateLimits === "standard", nowMs),
      clock,
      scheduler: platform.scheduler,
      metrics,
      onFatal,
    });
    const { venue } = this.#options;
    const restored = venue?.restoredSequence ?? null;
    if (venue && restored !== null) connection.sendVenue(venue.id, restored);
    this.#connections.add(connection);
    this.#watchKey(connection);
    if (this.#connections.size === 1) this.#options.onListening?.(true);
    this.#router.wake();
    metrics.streamOpened();
    client.on("close", () => {
      connection.close();
      this.#connections.delete(connection);
      this.#expiring.delete(connection);
      this.#addresses.closed(address);
      metrics.streamClosed();
      if (this.#connections.size > 0) return;
      this.#options.onListening?.(false);
      this.#router.sleep();
    });
  }

  #newConnection(
    client: WebSocket,
    socket: Duplex,
    address: string,
    options: Omit<ConnectionOptions, "socket" | "outbox">,
  ): Connection {
    const { platform, traffic = null } = this.#options;
    const written: OutboxSocket = {
      socket,
      compresses: client.extensions !== "",
      isOpen: () => client.readyState === WebSocket.OPEN,
    };
    if (traffic === null) {
      const outbox = new Outbox(this.#fanOut, socket, written.compresses, written.isOpen);
      return new Connection({ ...options, socket: client, outbox });
    }
    const outbox = new DelayedOutbox(this.#fanOut, written, platform.clock, platform.scheduler);
    return new SandboxConnection({ ...options, socket: client, outbox, traffic, address });
  }

  #beat(): void {
    const { authenticator } = this.#options;
    for (const connection of this.#connections) {
      const { apiKey } = connection;
      if (apiKey !== "" && !authenticator.isLive(apiKey)) {
        connection.end("key-ended", "the API key has ended");
      } else connection.ping();
    }
    this.#router.accounts.spot.dropIdle();
    this.#router.accounts.contract.dropIdle();
  }

  #catchUp(): void {
    for (const connection of this.#connections) if (connection.isLagging) connection.catchUp();
  }

  /** A change of the key ends the connection, so this stays valid until a restore. */
  #watchKey(connection: Connection): void {
    const { apiKey, isPrivate } = connection;
    const expiresAtMs = isPrivate ? this.#options.authenticator.expiresAtMs(apiKey) : null;
    if (expiresAtMs === null) this.#expiring.delete(connection);
    else this.#expiring.set(connection, expiresAtMs);
  }

  /** Polls instead of setting timers, because the clock of a sandbox jumps. */
  #endExpired(): void {
    if (this.#expiring.size === 0) return;
    const nowMs = this.#options.clock.exchangeMs();
    for (const [connection, expiresAtMs] of this.#expiring) {
      if (expiresAtMs > nowMs) continue;
      this.#expiring.delete(connection);
      connection.end("key-ended", "the API key has ended");
    }
  }

  #endKey(apiKey: string): void {
    for (const connection of this.#connections) {
      if (connection.apiKey === apiKey)
        connection.end("key-ended", "the API key was changed or revoked");
    }
  }
}

/** Whether a request with an Upgrade header is the handshake of a stream. */
export function isStreamHandshake({ method, url, headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === "websocket";
  return isWebSocket && method === "GET" && streamPathOf(url ?? "") !== null;
}
