/**
 * The public HTTP server: the API, reference pages, health and metrics. `ApiHandler` answers API
 * requests on the plain request and response, because the signature covers bytes and nothing may be
 * parsed before it is verified; everything else is Fastify's.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import Fastify, { type FastifyInstance } from "fastify";
import { refuse } from "../../api/errors.ts";
import type { SandboxTraffic } from "../../faults/index.ts";
import { type ConnectionCounts, createConnectionCounts } from "../../limits/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import { Authenticator } from "../authentication/authenticator.ts";
import type { KeyDirectory } from "../authentication/key-directory.ts";
import type { Exchange } from "../endpoint.ts";
import { pagePaths, registerPages } from "../pages/pages.ts";
import { AddressRanges } from "./address.ts";
import { ApiRoutes } from "./api-routes.ts";
import { CONNECTIONS_MAX, ConnectionSlots, REFUSED_CONNECTIONS_MAX } from "./connection-slots.ts";
import { HttpErrors } from "./http-errors.ts";
import type { Clock, ClusterNode, GatewayLog, GatewayMetrics, VenueMark } from "./ports.ts";
import type { RateLimits } from "./rate-limit.ts";
import { GatewayMessage } from "./request-body.ts";
import { endUnwantedUploads } from "./unwanted-uploads.ts";

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 1_000;
/** Longer than the idle time of common clients, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
const HEADER_BYTES_MAX = 16 * 1024;

/** The label of requests that matched no route. */
const NO_ROUTE = "none";

export interface GatewayConfig {
  readonly rateLimits: "standard" | "off";
  /** Addresses and CIDR ranges whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  /** Connections that one address may hold, streams included; rate limits switch it on and off. */
  readonly connectionsPerAddress: number;
  /** Whether `/metrics` is served here too, where it needs no key. */
  readonly publicMetrics: boolean;
}

export interface GatewayOptions {
  readonly exchange: Exchange;
  /** For whoever signs, on a node of a cluster; the same if absent. */
  readonly signedExchange?: Exchange;
  readonly keys: KeyDirectory;
  readonly config: GatewayConfig;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: GatewayLog;
  readonly metrics: GatewayMetrics;
  /** Of the running release, for the reference. */
  readonly version: string;
  /** Shown by the health pages. */
  readonly venue?: VenueMark | null;
  /** Null or absent for an exchange on one machine. */
  readonly node?: ClusterNode | null;
  /** Null while orders are taken; otherwise the reason why not, in kebab case. */
  readonly notReadyBecause: () => string | null;
  /** A request broke an invariant: the process must end. Called at most once a request. */
  readonly onFatal: (error: unknown) => void;
  /** Requests with an Upgrade header that the server hands to its `upgrade` listeners. */
  readonly isUpgrade?: (request: IncomingMessage) => boolean;
  /** Of all gateways; `NO_LIMITS` admits everything. */
  readonly limits: RateLimits;
  /** The connections of all gateways; see `createGatewayCounts`. */
  readonly connections: ConnectionCounts;
  /** In a sandbox: what it does to requests. */
  readonly traffic?: SandboxTraffic | null;
}

/** Builds the server; the caller listens and closes. Throws `RangeError` for a bad proxy range. */
export function createGateway(options: GatewayOptions): FastifyInstance {
  const { clock, log, metrics } = options;
  const errors = new HttpErrors(clock, pagePaths(options.config.publicMetrics));
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      IncomingMessage: GatewayMessage,
      // A request without Host is answered like any other instead of by an empty 400.
      requireHostHeader: false,
      // Other upgrade requests are answered as plain requests.
      shouldUpgradeCallback: options.isUpgrade ?? (() => false),
    },
    // Endpoints read query strings themselves, strictly.
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => errors.answerSocket(error, socket),
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      errors.answer(request.raw.url ?? "", reply.raw, refuse("malformed-request"));
    },
  });
  hardenServer(app.server, errors);
  limitConnections(app.server, errors, options);
  // Handlers read bodies; a body sent to any other path is not read.
  app.removeAllContentTypeParsers();
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    metrics.answered(NO_ROUTE, errors.answerUnrouted(request.raw, reply.raw), 0);
  });
  app.setErrorHandler((error, request, reply) => {
    const status = (error as { readonly statusCode?: number }).statusCode ?? 500;
    reply.hijack();
    if (status < 500) {
      metrics.answered(NO_ROUTE, errors.answerUnrouted(request.raw, reply.raw), 0);
      return;
    }
    log.error({ err: error }, "a reference page failed");
    metrics.answered(NO_ROUTE, errors.answer("", reply.raw, refuse("overloaded")), 0);
  });
  const { config, node = null, version, venue = null, notReadyBecause } = options;
  const trustedProxies = rangesOf(config.trustedProxies);
  apiRoutes(app, options, trustedProxies).takeFrom(app.server);
  endUnwantedUploads(app.server, options.scheduler);
  const { publicMetrics } = config;
  const page = { version, venue, node, publicMetrics, notReadyBecause };
  const { limits } = options;
  const ports = { ...page, metrics, limits, clock, trustedProxies, errors };
  registerPages(app, ports);
  return app;
}

function apiRoutes(
  app: FastifyInstance,
  options: GatewayOptions,
  trustedProxies: AddressRanges | null,
): ApiRoutes {
  const { clock, exchange, keys, limits, metrics, onFatal, scheduler } = options;
  const authenticator = new Authenticator(keys, clock);
  const { node = null, signedExchange = exchange, venue = null } = options;
  const restoredVenue = venue === null || venue.restoredSequence === null ? null : venue.id;
  const shared = { exchange, signedExchange, clock, metrics, onFatal, authenticator, limits };
  const ports = { ...shared, scheduler, trustedProxies, restoredVenue, node };
  return new ApiRoutes(app, ports, options.traffic ?? null);
}

/** For all connections that gateways may hold together. `hashKey`: see `KeyedHash`. */
export function createGatewayCounts(hashKey: Uint8Array): ConnectionCounts {
  return createConnectionCounts(CONNECTIONS_MAX, hashKey);
}

function rangesOf(proxies: readonly string[]): AddressRanges | null {
  return proxies.length === 0 ? null : new AddressRanges(proxies);
}

function limitConnections(server: Server, errors: HttpErrors, options: GatewayOptions): void {
  const { clock, config, log } = options;
  server.maxConnections = CONNECTIONS_MAX + REFUSED_CONNECTIONS_MAX;
  new ConnectionSlots(server, {
    perAddress: config.rateLimits === "off" ? null : config.connectionsPerAddress,
    counts: options.connections,
    trustedProxies: rangesOf(config.trustedProxies),
    keepAliveMs: KEEP_ALIVE_MS,
    monotonicMs: () => clock.monotonicMs(),
    scheduler: options.scheduler,
    log,
    refuse: (socket, share) => {
      const detail = `at most ${share} connections of an address at present`;
      errors.endSocket(socket, refuse("rate-limited", null, detail));
    },
  });
}

/** Answers in the form of the API where Node would answer empty or not at all. */
function hardenServer(server: Server, errors: HttpErrors): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) =>
    errors.endSocket(socket, refuse("method-not-allowed")),
  );
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader("Connection", "close");
    errors.answer(request.url ?? "", response, refuse("malformed-request", "Expect"));
  });
}
