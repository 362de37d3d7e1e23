/**
 * The real gateway, with signing and all, over an exchange in memory; requests go in without a
 * socket.
 */

import { createSecretKey } from "node:crypto";
import type { Permission } from "../../src/domain/index.ts";
import type { Exchange } from "../../src/gateway/endpoint.ts";
import { NO_LIMITS } from "../../src/gateway/http/rate-limit.ts";
import {
  createGateway,
  createGatewayCounts,
  type GatewayConfig,
} from "../../src/gateway/http/server.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { DOUBLE_TIME_MS } from "./exchange-double.ts";
import { GATEWAY_CONFIG } from "./gateway.ts";
import type { Credentials } from "./signed-client.ts";

export const DOUBLE_CREDENTIALS: Credentials = {
  apiKey: "rialto_0123456789abcdef0123456789abcdef",
  secret: "a secret of the test",
  passphrase: "correct7horse",
};

export type Gateway = ReturnType<typeof createGateway>;

/** One key, of `uid`. Exchange time is the double's; the wall clock is the machine's. */
export function createGatewayDouble(
  exchange: Exchange,
  uid: number,
  permissions: readonly Permission[] = ["spot"],
  config: Partial<GatewayConfig> = {},
): Gateway {
  const { apiKey, secret, passphrase } = DOUBLE_CREDENTIALS;
  const key = {
    apiKey,
    uid,
    secret: createSecretKey(Buffer.from(secret)),
    permissions,
    ipAllowList: [],
    expiresAtMs: null,
    passphraseMatches: (sent: string) => sent === passphrase,
  };
  const ignore = () => {};
  return createGateway({
    scheduler: NODE_PLATFORM.scheduler,
    limits: NO_LIMITS,
    connections: createGatewayCounts(Buffer.from("hash key")),
    exchange,
    keys: { find: (sent) => (sent === apiKey ? key : null) },
    config: { ...GATEWAY_CONFIG, ...config },
    clock: {
      wallMs: () => Date.now(),
      exchangeMs: () => DOUBLE_TIME_MS,
      monotonicMs: () => performance.now(),
    },
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: { answered: ignore, contentType: "text/plain", render: () => "" },
    version: "0.0.0",
    notReadyBecause: () => null,
    onFatal: (error) => {
      throw error;
    },
  });
}
