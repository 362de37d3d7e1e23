/** Proves that trends are differences of looks, and unknown where the process began anew. */
import assert from "node:assert/strict";
import test from "node:test";
import type { GetStatusAnswer } from "../../../client/index.ts";
import { toHealthSample } from "./health-sample.ts";
import { trendsOf } from "./trends.ts";

function lookAt(seconds: number, commands: number, uptimeSeconds = seconds) {
  const metrics = `rialto_uptime_seconds ${uptimeSeconds}
rialto_commit_seconds_bucket{le="0.001"} ${commands}
rialto_commit_seconds_bucket{le="+Inf"} ${commands}
rialto_request_seconds_bucket{le="+Inf",route="a",status="200"} ${commands * 2}
`;
  const status = { sequence: commands, process: {} } as unknown as GetStatusAnswer;
  return toHealthSample(status, metrics, seconds * 1_000);
}

test("one look has no trend", () => {
  assert.deepEqual(trendsOf([]).seconds, []);
  assert.deepEqual(trendsOf([lookAt(2, 5)]).seconds, []);
});

test("rates and latencies between looks, over three of them once they are there", () => {
  const trends = trendsOf([lookAt(2, 10), lookAt(4, 30), lookAt(6, 30), lookAt(8, 90)]);
  assert.deepEqual(trends.seconds, [4, 6, 8]);
  assert.deepEqual(trends.commandsPerSecond, [10, 5, 80 / 6]);
  assert.deepEqual(trends.requestsPerSecond, [20, 10, 160 / 6]);
  assert.deepEqual(trends.commitP50, [0.0005, 0.0005, 0.0005]);
});

test("without commits there is no latency, and after a restart nothing", () => {
  const trends = trendsOf([lookAt(2, 10), lookAt(4, 10), lookAt(6, 3, 1)]);
  assert.deepEqual(trends.commitP99.slice(0, 1), [null]);
  assert.equal(trends.commandsPerSecond.at(-1), null);
  assert.equal(trends.requestsPerSecond.at(-1), null);
  assert.equal(trends.commitP50.at(-1), null);
});
