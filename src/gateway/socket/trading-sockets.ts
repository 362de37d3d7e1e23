/**
 * Trading over WebSocket: handshakes on the API's server, the connections, their heartbeat and
 * their end.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { refuse } from "../../api/errors.ts";
import { SOCKET_PATH } from "../../api/socket-calls.ts";
import { PERMISSIONS } from "../../domain/index.ts";
import type { SandboxTraffic } from "../../faults/index.ts";
import type { Scheduler, Timer } from "../../platform/index.ts";
import { Authenticator } from "../authentication/authenticator.ts";
import type { KeyDirectory } from "../authentication/key-directory.ts";
import type { Exchange } from "../endpoint.ts";
import { AddressRanges, clientAddress } from "../http/address.ts";
import { HttpErrors } from "../http/http-errors.ts";
import type { Clock } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { methodsWith } from "./methods.ts";
import { SandboxTradingConnection } from "./sandbox-trading-connection.ts";
import {
  type ConnectionPorts,
  type SocketMetrics,
  TradingConnection,
} from "./trading-connection.ts";
import type { UsedLogons } from "./used-logons.ts";

const MESSAGE_BYTES_MAX = 16 * 1024;
/**
 * Options that the types of `ws` lack: no client needs so many fragments of a message, and a client
 * that does not answer our close is cut soon.
 */
const FRAME_OPTIONS = { maxFragments: 64, closeTimeout: 1_000 };
const PING_MS = 30_000;
/** How often keys are checked of connections that say nothing. */
const KEY_CHECK_MS = 100;
/** How long what has begun may take, and the answer to the close, when the exchange stops. */
const STOP_MS = 5_000;
const LOGONS_PER_SECOND = 10;

/** What one address may open, counted together with the streams. */
export interface HandshakeLimits {
  /** A handshake, whatever its result. False refuses it. */
  takeAttempt(address: string, nowMs: number): boolean;
  /** Takes a connection; false when the address has as many as it may. */
  open(address: string, nowMs: number): boolean;
  /** Gives back what `open` took. */
  closed(address: string): void;
}

export interface TradingSocketsOptions {
  readonly exchange: Exchange;
  readonly keys: KeyDirectory;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly metrics: SocketMetrics;
  readonly trustedProxies: readonly string[];
  /** The same that HTTP takes from. */
  readonly limits: RateLimits;
  readonly handshakes: HandshakeLimits;
  /** Shared by all gateways of the exchange. */
  readonly usedLogons: UsedLogons;
  /** Random text of at least 128 bits, for each connection. */
  readonly randomId: () => string;
  /** Whether the exchange takes connections: recovered, and not stopping. */
  readonly isReady: () => boolean;
  readonly onFatal: (error: unknown) => void;
  /** Between two pings of a connection; 30 s unless a test shortens it. */
  readonly pingMs?: number;
  /** In a sandbox: what it does to messages. */
  readonly traffic?: SandboxTraffic | null;
}

/** Whether a request with an Upgrade header is a handshake of the trading WebSocket. */
export function isSocketHandshake({ method, url = "", headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === "websocket";
  return isWebSocket && method === "GET" && url.split("?", 1)[0] === SOCKET_PATH;
}

export class TradingSockets {
  readonly #options: TradingSocketsOptions;
  readonly #ports: ConnectionPorts;
  readonly #trusted: AddressRanges | null;
  readonly #errors: HttpErrors;
  readonly #connections = new Set<TradingConnection>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    ...FRAME_OPTIONS,
  });
  readonly #timers: readonly Timer[];
  #unflushed: TradingConnection[] = [];
  #isStopping = false;

  /** Throws `RangeError` for a bad proxy range. */
  constructor(options: TradingSocketsOptions) {
    const { clock, exchange, keys, limits, metrics, trustedProxies } = options;
    const { onFatal, pingMs = PING_MS, scheduler, usedLogons } = options;
    this.#options = options;
    this.#trusted = trustedProxies.length === 0 ? null : new AddressRanges(trustedProxies);
    this.#errors = new HttpErrors(clock, []);
    this.#ports = {
      exchange,
      authenticator: new Authenticator(keys, clock),
      methods: methodsWith(limits),
      limits,
      logonLimits: limits.forRoute({
        id: "session.logon",
        limit: { kind: "rate", perSecond: LOGONS_PER_SECOND },
        access: { anyOf: PERMISSIONS },
      }),
      usedLogons,
      clock,
      metrics,
      flushLater: (connection) => this.#flushLater(connection),
      onFatal,
    };
    this.#timers = [
      scheduler.every(pingMs, () => this.#each((connection) => connection.beat())),
      scheduler.every(KEY_CHECK_MS, () => this.checkKeys()),
    ];
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Takes over the handshakes of a server that `isSocketHandshake` accepts. */
  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (isSocketHandshake(request)) this.#takeHandshake(request, socket, head);
    });
  }

  /**
   * Refuses new messages, answers what has begun, and tells every client that the exchange is
   * stopping; resolves when all connections have ended.
   */
  async close(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) timer.cancel();
    const ended = [...this.#sockets.clients].map(
      (client) => new Promise<void>((resolve) => client.once("close", () => resolve())),
    );
    this.#each((connection) => connection.stop());
    const timer = this.#options.scheduler.after(STOP_MS, () => {
      for (const client of this.#sockets.clients) client.terminate();
    });
    await Promise.all(ended);
    timer.cancel();
  }

  /** Ends the connections whose key is not in force any more. */
  checkKeys(): void {
    this.#each((connection) => connection.checkKey());
  }

  #each(act: (connection: TradingConnection) => void): void {
    for (const connection of this.#connections) act(connection);
  }

  #takeHandshake(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { clock, handshakes, isReady, metrics } = this.#options;
    socket.on("error", () => socket.destroy());
    const address = clientAddress(request, this.#trusted);
    const isTaken = !this.#isStopping && isReady();
    const nowMs = clock.monotonicMs();
    const isWithin = isTaken && handshakes.takeAttempt(address, nowMs);
    if (isWithin && handshakes.open(address, nowMs)) {
      socket.once("close", () => handshakes.closed(address));
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        this.#open(client, socket, address);
      });
      return;
    }
    const refusal = refuse(isTaken ? "rate-limited" : "stopping");
    metrics.socketRefused(refusal.reason);
    this.#errors.endSocket(socket, refusal, "v3");
  }

  #open(client: WebSocket, socket: Duplex, address: string): void {
    const { metrics, randomId, traffic = null } = this.#options;
    const options = { client, socket, address, id: randomId(), ports: this.#ports };
    const connection =
      traffic === null
        ? new TradingConnection(options)
        : new SandboxTradingConnection(options, traffic);
    this.#connections.add(connection);
    metrics.socketOpened();
    client.on("close", () => {
      connection.close();
      this.#connections.delete(connection);
      metrics.socketClosed();
    });
  }

  /** Answers of one batch arrive in one turn of the event loop, in whose end they are written. */
  #flushLater(connection: TradingConnection): void {
    this.#unflushed.push(connection);
    if (this.#unflushed.length === 1) this.#options.scheduler.soon(() => this.#flush());
  }

  #flush(): void {
    const connections = this.#unflushed;
    this.#unflushed = [];
    for (const connection of connections) connection.flush();
  }
}
