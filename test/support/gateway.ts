/**
 * A gateway in front of a scripted engine: fixed clocks, one key, and signed requests. Tests see
 * which commands and queries passed the gateway, and the answers.
 */
import { createHmac, createSecretKey } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { FastifyInstance } from "fastify";
import type { Permission } from "../../src/domain/index.ts";
import type { SandboxTraffic } from "../../src/faults/index.ts";
import type { KeyRecord } from "../../src/gateway/authentication/key-directory.ts";
import { createRateLimits, NO_LIMITS, type RateLimits } from "../../src/gateway/http/rate-limit.ts";
import {
  createGateway,
  createGatewayCounts,
  type GatewayConfig,
} from "../../src/gateway/http/server.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import {
  type Answer,
  type Command,
  EngineClient,
  type EnginePort,
  type EngineQuery,
  type Submission,
  type Unavailable,
} from "../../src/protocol/index.ts";
import { portOf } from "./engine-double.ts";
import { NO_KEY_DESK } from "./exchange-double.ts";

const HASH_KEY = Buffer.from("hash key");

export const WALL_MS = 1_760_000_000_000;
export const EXCHANGE_MS = WALL_MS + 3_600_000;
export const API_KEY = "rialto_0123456789abcdef0123456789abcdef";
export const SECRET = "a-secret-of-the-test";
export const PASSPHRASE = "passphrase1";
export const UID = 1001;

type Scripted = Answer["result"] | Unavailable;

type Asked = Command | EngineQuery;

/** Answers every command and question with `answer`, and remembers them. */
export class ScriptedEngine implements EnginePort {
  readonly commands: Command[] = [];
  readonly queries: EngineQuery[] = [];
  /** Of its answers. */
  sequence = 1;
  /** Both, in their order. */
  readonly asked: Asked[] = [];
  answer: Scripted | ((asked: Asked) => Scripted) = {
    ok: true,
    value: {
      ...{ orderId: 7, clientOrderId: "c-1", symbol: "BTCUSDT", createdMs: EXCHANGE_MS },
      bookVersion: 41,
    },
  };

  get calls(): number {
    return this.commands.length + this.queries.length;
  }

  readonly submit = portOf((submission): Answer | Unavailable => {
    const asked = this.#remember(submission);
    this.asked.push(asked);
    const result = typeof this.answer === "function" ? this.answer(asked) : this.answer;
    if ("unavailable" in result) return result;
    return { sequence: this.sequence, timestampMs: EXCHANGE_MS, result };
  }).submit;

  #remember(submission: Submission): Asked {
    if (submission.kind === "query") {
      this.queries.push(submission.query);
      return submission.query;
    }
    this.commands.push(submission.command);
    return submission.command;
  }
}

export interface FakeGateway {
  readonly app: FastifyInstance;
  readonly engine: ScriptedEngine;
  readonly keys: Map<string, KeyRecord>;
  readonly fatal: unknown[];
  readonly answered: [routeId: string, status: number][];
  readonly clock: { wall: number; exchange: number; monotonic: number };
}

export function keyRecord(change: Partial<KeyRecord> = {}): KeyRecord {
  return {
    apiKey: API_KEY,
    uid: UID,
    secret: createSecretKey(Buffer.from(SECRET, "utf8")),
    permissions: ["spot"] satisfies Permission[],
    ipAllowList: [],
    expiresAtMs: null,
    passphraseMatches: (passphrase) => passphrase === PASSPHRASE,
    ...change,
  };
}

export const GATEWAY_CONFIG: GatewayConfig = {
  rateLimits: "off",
  trustedProxies: [],
  connectionsPerAddress: 256,
  publicMetrics: false,
};

export function fakeGateway(
  config: Partial<GatewayConfig> = {},
  limits: RateLimits = config.rateLimits === "standard" ? createRateLimits(HASH_KEY) : NO_LIMITS,
  traffic: SandboxTraffic | null = null,
): FakeGateway {
  const engine = new ScriptedEngine();
  const keys = new Map([[API_KEY, keyRecord()]]);
  const fatal: unknown[] = [];
  const answered: [string, number][] = [];
  const clock = { wall: WALL_MS, exchange: EXCHANGE_MS, monotonic: 50_000 };
  const app = createGateway({
    scheduler: NODE_PLATFORM.scheduler,
    exchange: {
      engine: new EngineClient(engine),
      history: { query: async () => ({ unavailable: "history-behind" }) },
      keyDesk: NO_KEY_DESK,
    },
    keys: { find: (apiKey) => keys.get(apiKey) ?? null },
    config: { ...GATEWAY_CONFIG, ...config },
    clock: {
      wallMs: () => clock.wall,
      exchangeMs: () => clock.exchange,
      monotonicMs: () => clock.monotonic,
    },
    log: { info() {}, warn() {}, error() {} },
    metrics: {
      answered: (routeId, status) => answered.push([routeId, status]),
      contentType: "text/plain; version=0.0.4",
      render: () => "rialto_up 1\n",
    },
    version: "0.0.0",
    notReadyBecause: () => null,
    onFatal: (error) => fatal.push(error),
    limits,
    traffic,
    connections: createGatewayCounts(HASH_KEY),
  });
  return { app, engine, keys, fatal, answered, clock };
}

/** One that listens, for tests of what happens on connections. */
export async function serve(
  t: TestContext,
  config: Partial<GatewayConfig> = {},
  limits?: RateLimits,
  traffic?: SandboxTraffic,
): Promise<FakeGateway & { readonly port: number }> {
  const gateway = fakeGateway(config, limits, traffic);
  await gateway.app.listen({ port: 0, host: "127.0.0.1" });
  t.after(() => gateway.app.close());
  return { ...gateway, port: (gateway.app.server.address() as AddressInfo).port };
}

export interface RequestToSign {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly body?: string | Buffer;
  readonly secret?: string;
  readonly timestampMs?: number;
}

/** Headers of a request that passes every check of authentication. */
export function signedHeaders(request: RequestToSign): Record<string, string> {
  const { method, url, body = "", secret = SECRET, timestampMs = WALL_MS } = request;
  const sign = createHmac("sha256", secret)
    .update(`${timestampMs}${method}${url}`, "latin1")
    .update(body)
    .digest("base64");
  return {
    "access-key": API_KEY,
    "access-sign": sign,
    "access-timestamp": String(timestampMs),
    "access-passphrase": PASSPHRASE,
    ...(body.length === 0 ? {} : { "content-type": "application/json" }),
  };
}

/** Sends a signed request without a socket; `change` alters headers after signing. */
export async function send(
  app: FastifyInstance,
  request: RequestToSign,
  change: Readonly<Record<string, string | undefined>> = {},
) {
  const headers = Object.entries({ ...signedHeaders(request), ...change }).filter(
    (header): header is [string, string] => header[1] !== undefined,
  );
  const { method, url, body } = request;
  const payload = body === undefined || body.length === 0 ? {} : { payload: body };
  return app.inject({ method, url, headers: Object.fromEntries(headers), ...payload });
}

export const ORDER = {
  symbol: "BTCUSDT_SPBL",
  side: "buy",
  orderType: "limit",
  force: "normal",
  price: "65000.1",
  quantity: "0.001",
  clientOrderId: "c-1",
};

/** A place-order request with some fields changed; undefined leaves one out. */
export function placeOrderRequest(change: Readonly<Record<string, unknown>> = {}): RequestToSign {
  const body = JSON.stringify({ ...ORDER, ...change });
  return { method: "POST", url: "/api/v2/trade/orders", body };
}
