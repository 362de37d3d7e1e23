/**
 * Proves that a node which starts while no PostgreSQL is the primary is one to be started again,
 * and that only what a person can change keeps it down.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { temporaryFolder } from "../../../test/support/exchange-process.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { type ClusterConfig, type Config, StartRefused } from "../config.ts";
import { createLog } from "../log.ts";
import { openLog } from "./open-log.ts";

test("without a primary the node is started again", async () => {
  const config = { dataFolder: temporaryFolder(), sandbox: false } as Config;
  const cluster: ClusterConfig = {
    node: "n1",
    postgresUrls: ["postgresql://rialto@127.0.0.1:1/rialto"],
    advertise: null,
    listen: { host: "127.0.0.1", port: 0 },
    confirm: "async",
  };
  let nowMs = 0;
  // It gives up at its second look.
  const monotonicMs = () => {
    nowMs += 20_000;
    return nowMs;
  };
  const platform = { ...NODE_PLATFORM, clock: { ...NODE_PLATFORM.clock, monotonicMs } };
  const opening = openLog(config, cluster, createLog("silent"), platform);
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof StartRefused);
    assert.match(error.message, /no usable primary: PostgreSQL at 127.0.0.1:1 does not answer/);
    assert.equal(error.exitCode, 75);
    return true;
  });
});
