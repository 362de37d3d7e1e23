/** Trading over WebSocket, and the limits that it shares with HTTP and with the streams. */
import { randomBytes } from "node:crypto";
import { createRateLimits, NO_LIMITS, type RateLimits } from "../gateway/http/rate-limit.ts";
import { oncePerRoute } from "../gateway/http/shared-limits.ts";
import { TradingSockets } from "../gateway/socket/trading-sockets.ts";
import { UsedLogons } from "../gateway/socket/used-logons.ts";
import type { KeyVault } from "../keys/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { AddressLimits } from "../streams/index.ts";
import type { Config } from "./config.ts";
import type { History } from "./history.ts";
import type { Metrics } from "./metrics.ts";
import type { Sequencer } from "./sequencer.ts";

/** So that no other connection ever has the same. */
const CONNECTION_ID_BYTES = 16;

/** What requests, messages and handshakes of an address or a user take from together. */
export interface SharedLimits {
  readonly limits: RateLimits;
  readonly addresses: AddressLimits;
}

export function openSharedLimits({ rateLimits }: Config): SharedLimits {
  return {
    limits: rateLimits === "off" ? NO_LIMITS : oncePerRoute(createRateLimits()),
    addresses: new AddressLimits(rateLimits === "standard"),
  };
}

interface SocketSources {
  readonly engine: EngineClient;
  readonly history: History;
  readonly keys: KeyVault;
  readonly metrics: Metrics;
  readonly sequencer: Sequencer;
}

export function openTradingSockets(
  { sandbox, trustedProxies }: Config,
  { engine, history, keys, metrics, sequencer }: SocketSources,
  isReady: () => boolean,
  onFatal: (error: Error) => void,
  { addresses, limits }: SharedLimits,
): TradingSockets {
  return new TradingSockets({
    exchange: { engine, history: history.reader },
    keys: keys.directory,
    clock: {
      wallMs: Date.now,
      exchangeMs: () => sequencer.exchangeMs(),
      monotonicMs: () => performance.now(),
    },
    metrics,
    sandbox,
    trustedProxies,
    limits,
    handshakes: addresses,
    usedLogons: new UsedLogons(),
    randomId: () => randomBytes(CONNECTION_ID_BYTES).toString("hex"),
    isReady,
    onFatal: (error) => onFatal(error instanceof Error ? error : new Error(String(error))),
  });
}
