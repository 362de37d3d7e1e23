/** Proves that what a node of a cluster cannot be is refused, each with a sentence of its own. */
import assert from "node:assert/strict";
import test from "node:test";
import { exchangeConfig } from "../../test/support/exchange-config.ts";
import { type ClusterConfig, type Config, checkConfig } from "./config.ts";

const CLUSTER: ClusterConfig = {
  postgresUrls: ["postgresql://10.0.0.1/rialto", "postgresql://10.0.0.2/rialto"],
  node: "n1",
  advertise: null,
  listen: { host: "127.0.0.1", port: 0 },
  confirm: "async",
};

const NODE: Partial<Config> = {
  cluster: CLUSTER,
  masterKeyFile: "/etc/rialto/master.key",
};

for (const [choice, sentence] of [
  [{ from: "state.rialto" }, /^A node begins with its cluster's log/],
  [{ gateways: 2 }, /^A node has one gateway/],
  [{ masterKeyFile: null }, /^The nodes of a cluster share one master key/],
  [
    { cluster: { ...CLUSTER, postgresUrls: ["postgresql://10.0.0.1/rialto"] } },
    /^The leader asks the standbys of PostgreSQL .* --confirm off\.$/,
  ],
] as const satisfies readonly (readonly [Partial<Config>, RegExp])[]) {
  test(`a node is refused with ${JSON.stringify(choice)}`, () => {
    const config = exchangeConfig("data", { ...NODE, ...choice });
    assert.throws(() => checkConfig(config), { name: "StartRefused", message: sentence });
    if (!("masterKeyFile" in choice)) checkConfig({ ...config, cluster: null });
  });
}

test("a node of the empty profile is not refused", () => {
  checkConfig(exchangeConfig("data", NODE));
  checkConfig(exchangeConfig("data", { ...NODE, gateways: "auto" }));
  // Whether there is one is for the log to say.
  checkConfig(exchangeConfig("data", { ...NODE, sandbox: true }));
});
