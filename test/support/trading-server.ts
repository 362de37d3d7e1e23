/**
 * The trading WebSocket on a server of its own, beside the HTTP gateway: fixed clocks, two keys of
 * one user, and an engine that answers at once or, while it is held, when the test lets it.
 */
import { createSecretKey } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";
import type { SandboxTraffic } from "../../src/faults/index.ts";
import type { KeyRecord } from "../../src/gateway/authentication/key-directory.ts";
import { NO_LIMITS, type RateLimits } from "../../src/gateway/http/rate-limit.ts";
import type { SocketEnd } from "../../src/gateway/socket/trading-connection.ts";
import {
  isSocketHandshake,
  TradingSockets,
  type TradingSocketsOptions,
} from "../../src/gateway/socket/trading-sockets.ts";
import { UsedLogons } from "../../src/gateway/socket/used-logons.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { EngineClient, type EnginePort } from "../../src/protocol/index.ts";
import { NO_KEY_DESK } from "./exchange-double.ts";
import {
  API_KEY,
  EXCHANGE_MS,
  keyRecord,
  PASSPHRASE,
  ScriptedEngine,
  SECRET,
  WALL_MS,
} from "./gateway.ts";
import type { Credentials } from "./signed-client.ts";

export const KEY: Credentials = { apiKey: API_KEY, secret: SECRET, passphrase: PASSPHRASE };
export const OTHER_KEY: Credentials = {
  apiKey: "rialto_fedcba9876543210fedcba9876543210",
  secret: "another-secret",
  passphrase: "another passphrase",
};

/** Remembers what arrives at once, and answers it when it is let go. */
export class HeldEngine implements EnginePort {
  readonly scripted = new ScriptedEngine();
  isHeld = false;
  readonly #waiting: (() => void)[] = [];

  submit(request: Uint8Array, answered: (answer: Uint8Array) => void): void {
    this.scripted.submit(request, (answer) => {
      if (this.isHeld) this.#waiting.push(() => answered(answer));
      else answered(answer);
    });
  }

  /** Answers the oldest ones; all of them without a count. */
  release(count: number = this.#waiting.length): void {
    for (const resolve of this.#waiting.splice(0, count)) resolve();
  }
}

export interface TradingServer {
  readonly port: number;
  readonly server: Server;
  readonly sockets: TradingSockets;
  readonly engine: HeldEngine;
  readonly keys: Map<string, KeyRecord>;
  readonly clock: { wall: number; exchange: number; monotonic: number };
  readonly answered: [method: string, status: number][];
  readonly ended: SocketEnd[];
  readonly fatal: unknown[];
  /** Chunks that were written to sockets, of all connections. */
  readonly written: number[];
  isReady: boolean;
}

export interface TradingServerOptions {
  readonly limits?: RateLimits;
  readonly pingMs?: number;
  readonly handshakes?: TradingSocketsOptions["handshakes"];
  readonly traffic?: SandboxTraffic;
}

const NO_HANDSHAKE_LIMITS = { takeAttempt: () => true, open: () => true, closed() {} };

export function otherKeyRecord(change: Partial<KeyRecord> = {}): KeyRecord {
  const { apiKey, passphrase, secret } = OTHER_KEY;
  return keyRecord({
    apiKey,
    secret: createSecretKey(Buffer.from(secret)),
    passphraseMatches: (sent) => sent === passphrase,
    ...change,
  });
}

export async function serveTrading(
  t: TestContext,
  options: TradingServerOptions = {},
): Promise<TradingServer> {
  const { limits = NO_LIMITS, handshakes = NO_HANDSHAKE_LIMITS } = options;
  const { traffic = null } = options;
  const engine = new HeldEngine();
  const keys = new Map([
    [API_KEY, keyRecord()],
    [OTHER_KEY.apiKey, otherKeyRecord()],
  ]);
  const clock = { wall: WALL_MS, exchange: EXCHANGE_MS, monotonic: 50_000 };
  const made = { answered: [], ended: [], fatal: [], written: [] } as Pick<
    TradingServer,
    "answered" | "ended" | "fatal" | "written"
  >;
  const state = { isReady: true };
  let ids = 0;
  const sockets = new TradingSockets({
    exchange: {
      engine: new EngineClient(engine),
      history: { query: async () => ({ unavailable: "history-behind" }) },
      keyDesk: NO_KEY_DESK,
    },
    keys: { find: (apiKey) => keys.get(apiKey) ?? null },
    clock: {
      wallMs: () => clock.wall,
      exchangeMs: () => clock.exchange,
      monotonicMs: () => clock.monotonic,
    },
    scheduler: NODE_PLATFORM.scheduler,
    metrics: {
      answered: (method, status) => made.answered.push([method, status]),
      socketOpened() {},
      socketClosed() {},
      socketRefused() {},
      socketEnded: (cause) => made.ended.push(cause),
    },
    trustedProxies: [],
    limits,
    handshakes,
    usedLogons: new UsedLogons(),
    randomId: () => `connection-${++ids}`,
    isReady: () => state.isReady,
    onFatal: (error) => made.fatal.push(error),
    traffic,
    ...(options.pingMs === undefined ? {} : { pingMs: options.pingMs }),
  });
  const server = createServer({ shouldUpgradeCallback: isSocketHandshake });
  server.on("connection", (socket: Socket) => countWrites(socket, made.written));
  sockets.attach(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    engine.release();
    await sockets.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { port, server, sockets, engine, keys, clock, ...made });
}

function countWrites(socket: Socket, written: number[]): void {
  const write = socket.write.bind(socket) as (chunk: Uint8Array) => boolean;
  socket.write = (chunk: Uint8Array | string) => {
    written.push(chunk.length);
    return write(chunk as Uint8Array);
  };
}
