/** The configuration of an exchange that a test runs in its own process. */
import type { Config } from "../../src/app/config.ts";

/** An empty exchange on free ports of this machine, without limits, traders or log. */
export function exchangeConfig(dataFolder: string, choice: Partial<Config> = {}): Config {
  return {
    host: "127.0.0.1",
    port: 0,
    gateways: 0,
    threads: "many",
    operatorHost: "127.0.0.1",
    operatorPort: 0,
    dataFolder,
    from: null,
    profile: "empty",
    sandbox: false,
    rateLimits: "off",
    marketMakers: "off",
    demoHistoryMs: 6 * 3_600_000,
    streamIntervalMs: 100,
    connectionsPerAddress: 256,
    publicMetrics: false,
    trustedProxies: [],
    exposeDemo: false,
    demoKeys: "on",
    acceptClockRegression: false,
    masterKeyFile: null,
    operatorToken: null,
    webhookTargets: "public",
    logLevel: "silent",
    cluster: null,
    ...choice,
  };
}
