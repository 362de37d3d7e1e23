/**
 * What clients connect to: the API with its reference, the console's pages for traders, and the
 * streams, on one port. It reaches the engine through its port alone, so it runs beside the engine
 * or in threads of its own, once or several times.
 */
import type { FastifyInstance } from "fastify";
import { invariant } from "../domain/index.ts";
import {
  FaultMemory,
  SandboxTraffic,
  type TrafficAnswer,
  type TrafficCall,
} from "../faults/index.ts";
import { HandshakeAuthenticator } from "../gateway/authentication/handshake-authenticator.ts";
import type { KeyDirectory } from "../gateway/authentication/key-directory.ts";
import type { GatewayMetrics } from "../gateway/http/ports.ts";
import {
  createRateLimits,
  NO_LIMITS,
  openRateLimits,
  type RateLimits,
  resetRateLimits,
} from "../gateway/http/rate-limit.ts";
import { createGateway, createGatewayCounts } from "../gateway/http/server.ts";
import type { KeyDesk } from "../gateway/key-desk.ts";
import type { SocketMetrics } from "../gateway/socket/trading-connection.ts";
import { isSocketHandshake, TradingSockets } from "../gateway/socket/trading-sockets.ts";
import { logonMemory, UsedLogons } from "../gateway/socket/used-logons.ts";
import { HASH_KEY_BYTES, openConnectionCounts } from "../limits/index.ts";
import type { ListenAddress, Platform, Randomness } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import type { HistoryPort } from "../queries/index.ts";
import type { DemoAccount } from "../sandbox/index.ts";
import {
  AddressLimits,
  createAddressMemory,
  isStreamHandshake,
  type StreamMetrics,
  Streams,
} from "../streams/index.ts";
import type { Config } from "./config.ts";
import { serveTradingConsole } from "./console-pages.ts";
import type { Log } from "./log.ts";
import { METRICS_CONTENT_TYPE } from "./metrics.ts";
import type { NodeView } from "./node-view.ts";
import type { NotReady } from "./readiness.ts";
import { answerTraffic } from "./sandbox-traffic.ts";
import { VERSION } from "./version.ts";

/** So that no other connection ever has the same. */
const CONNECTION_ID_BYTES = 16;

const PUBLIC_CONFIG = [
  "connectionsPerAddress",
  "demoKeys",
  "host",
  "profile",
  "publicMetrics",
  "rateLimits",
  "sandbox",
  "streamIntervalMs",
  "trustedProxies",
  "venue",
] as const;

export type PublicConfig = Pick<Config, (typeof PUBLIC_CONFIG)[number]>;

/** Without what concerns others, such as the operator's token. */
export function publicConfigOf(config: PublicConfig): PublicConfig {
  return Object.fromEntries(PUBLIC_CONFIG.map((name) => [name, config[name]])) as PublicConfig;
}

/** What all gateways of an exchange count together. */
export interface SharedCounts {
  readonly rates: SharedArrayBuffer;
  readonly connections: SharedArrayBuffer;
  readonly streamAddresses: SharedArrayBuffer;
  readonly usedLogons: SharedArrayBuffer;
  /** Of a sandbox. */
  readonly faults: SharedArrayBuffer;
}

export function createSharedCounts({ bytes }: Randomness): SharedCounts {
  return {
    rates: createRateLimits(bytes(HASH_KEY_BYTES)).memory,
    connections: createGatewayCounts(bytes(HASH_KEY_BYTES)).memory,
    streamAddresses: createAddressMemory(bytes(HASH_KEY_BYTES)),
    usedLogons: logonMemory(),
    faults: new FaultMemory().memory,
  };
}

/** What was counted before the exchange went back to an earlier state; connections stay open. */
export function resetSharedCounts({ rates, usedLogons }: SharedCounts): void {
  resetRateLimits(rates);
  new UsedLogons(usedLogons).clear();
}

export interface PublicServerOptions {
  readonly config: PublicConfig;
  readonly platform: Platform;
  readonly engine: EngineClient;
  /** For whoever signs, on a node of a cluster; the same if absent. */
  readonly signedEngine?: EngineClient;
  readonly history: HistoryPort;
  readonly keys: KeyDirectory;
  readonly keyDesk: KeyDesk;
  /** Exchange time now. */
  readonly exchangeMs: () => number;
  readonly notReadyBecause: () => NotReady | null;
  /** Of a cluster; null or absent for an exchange on one machine. */
  readonly node?: NodeView | null;
  readonly metrics: Pick<GatewayMetrics, "answered"> & StreamMetrics & SocketMetrics;
  /** Of the whole process, for `/metrics`. */
  readonly renderMetrics: () => Promise<string>;
  readonly log: Log;
  /** A broken invariant: the process must end. */
  readonly onFatal: (error: Error) => void;
  readonly counts: SharedCounts;
  /** Of a node of a cluster; those of `counts` if absent. */
  readonly limits?: RateLimits;
  /** For the console; the port is null until it is known. */
  readonly demoAccounts: readonly DemoAccount[];
  readonly operatorPort: () => number | null;
  /** Whether there are stream clients, who need events. */
  readonly onListening?: (listens: boolean) => void;
}

export class PublicServer {
  readonly #platform: Platform;
  readonly #app: FastifyInstance;
  readonly #streams: Streams;
  readonly #sockets: TradingSockets;
  readonly #traffic: SandboxTraffic | null;
  #connections = 0;

  /** Throws `RangeError` for a bad proxy range. */
  constructor(options: PublicServerOptions) {
    const { config, demoAccounts, operatorPort } = options;
    this.#platform = options.platform;
    const common = commonTo(options);
    this.#traffic = common.traffic;
    this.#app = openGateway(options, common);
    this.#streams = openStreams(options, common);
    this.#streams.attach(this.#app.server);
    this.#sockets = openSockets(options, common);
    this.#sockets.attach(this.#app.server);
    this.#app.server.on("connection", (socket) => {
      this.#connections++;
      socket.once("close", () => this.#connections--);
    });
    serveTradingConsole(this.#app, { config, demoAccounts, operatorPort });
  }

  /** Resolves with the bound port; rejects with the error of the system. */
  listen(address: ListenAddress): Promise<number> {
    return this.#platform.network.listen(this.#app, address);
  }

  /** Durable events, in order. */
  publish(chunk: Uint8Array): void {
    this.#streams.publish(chunk);
  }

  /** Some events were lost: stream clients have to connect again. */
  missedEvents(): void {
    this.#streams.missedEvents();
  }

  /** A call about a sandbox's traffic; `hasAll` says whether all events have been published. */
  callTraffic(call: TrafficCall, hasAll: () => boolean): Promise<TrafficAnswer> {
    const isQuiet = (): boolean => hasAll() && this.#streams.isQuiet;
    invariant(this.#traffic !== null, "only a sandbox is asked about its traffic");
    return answerTraffic(call, this.#traffic, isQuiet, this.#platform);
  }

  /** The exchange has the state of an earlier moment, and the keys that belong to it. */
  restored(): void {
    this.#streams.restored();
    this.#sockets.checkKeys();
  }

  /** Open connections, streams included. */
  get connections(): number {
    return this.#connections;
  }

  /** Open stream connections. */
  get streams(): number {
    return this.#streams.connections;
  }

  /** Answers what was accepted. */
  async close(): Promise<void> {
    this.#traffic?.rules.replace([]);
    this.#traffic?.held.release();
    await Promise.all([this.#app.close(), this.#streams.close(), this.#sockets.close()]);
  }
}

/** What requests, streams and trading over WebSocket have in common. */
function commonTo({ config, counts, exchangeMs, limits, platform }: PublicServerOptions) {
  const { clock } = platform;
  const isLimited = config.rateLimits !== "off";
  return {
    clock: {
      wallMs: () => clock.wallMs(),
      monotonicMs: () => clock.monotonicMs(),
      exchangeMs,
    },
    limits: isLimited ? (limits ?? openRateLimits(counts.rates)) : NO_LIMITS,
    traffic: config.sandbox ? new SandboxTraffic(counts.faults, platform) : null,
  };
}

type Common = ReturnType<typeof commonTo>;

function openGateway(options: PublicServerOptions, common: Common): FastifyInstance {
  const { config, counts, engine, history, keys, log, notReadyBecause, onFatal, platform } =
    options;
  const { keyDesk, signedEngine = engine } = options;
  return createGateway({
    ...common,
    exchange: { engine, history, keyDesk },
    signedExchange: { engine: signedEngine, history, keyDesk },
    keys,
    config,
    log,
    metrics: gatewayMetrics(options),
    scheduler: platform.scheduler,
    connections: openConnectionCounts(counts.connections),
    version: VERSION,
    venue: config.venue ?? null,
    node: options.node ?? null,
    notReadyBecause,
    onFatal: (error) => onFatal(error instanceof Error ? error : new Error(String(error))),
    isUpgrade: (request) => isStreamHandshake(request) || isSocketHandshake(request),
  });
}

function gatewayMetrics({ metrics, renderMetrics }: PublicServerOptions): GatewayMetrics {
  return {
    answered: (routeId, status, durationMs) => metrics.answered(routeId, status, durationMs),
    contentType: METRICS_CONTENT_TYPE,
    render: renderMetrics,
  };
}

function openStreams(options: PublicServerOptions, { clock, traffic }: Common): Streams {
  const { config, counts, engine, history, keys, metrics, notReadyBecause, onFatal } = options;
  const { rateLimits, streamIntervalMs, trustedProxies, venue = null } = config;
  return new Streams({
    engine,
    history,
    authenticator: new HandshakeAuthenticator({ keys, clock, trustedProxies }),
    clock,
    platform: options.platform,
    metrics,
    rateLimits,
    addresses: counts.streamAddresses,
    periodMs: streamIntervalMs,
    venue,
    isReady: () => notReadyBecause() !== "stopping",
    onFatal,
    onListening: options.onListening ?? (() => undefined),
    traffic,
  });
}

function openSockets(options: PublicServerOptions, common: Common): TradingSockets {
  const { config, counts, engine, history, keys, metrics, notReadyBecause, onFatal, platform } =
    options;
  const { rateLimits, trustedProxies } = config;
  const { keyDesk, signedEngine = engine } = options;
  return new TradingSockets({
    ...common,
    exchange: { engine: signedEngine, history, keyDesk },
    keys,
    scheduler: platform.scheduler,
    metrics,
    trustedProxies,
    handshakes: new AddressLimits(rateLimits === "standard", counts.streamAddresses),
    usedLogons: new UsedLogons(counts.usedLogons),
    randomId: () => platform.randomness.bytes(CONNECTION_ID_BYTES).toString("hex"),
    isReady: () => notReadyBecause() !== "stopping",
    onFatal: (error) => onFatal(error instanceof Error ? error : new Error(String(error))),
  });
}
