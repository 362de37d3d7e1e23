/** Proves that one look at the process is put together from its status and its metrics. */
import assert from "node:assert/strict";
import test from "node:test";
import type { GetStatusAnswer } from "../../../client/index.ts";
import { commandsPerSecond, toHealthSample } from "./health-sample.ts";
import { observations } from "./histogram.ts";

const METRICS = `rialto_durable_sequence 325
rialto_queue_depth 2
rialto_history_lag_commands 3
rialto_journal_nearly_full 1
rialto_uptime_seconds 37.5
rialto_commit_seconds_bucket{le="+Inf"} 172
rialto_request_seconds_bucket{le="+Inf",route="a",status="200"} 3
rialto_request_seconds_bucket{le="+Inf",route="a",status="400"} 1
rialto_request_seconds_bucket{le="+Inf",route="b",status="200"} 5
`;

function sampleAt(sequence: number, takenMs: number, metrics = METRICS) {
  const status = { sequence, process: { version: "0.1.0" } } as unknown as GetStatusAnswer;
  return toHealthSample(status, metrics, takenMs);
}

test("gauges, histograms, and requests by route", () => {
  const sample = sampleAt(325, 0);
  assert.equal(sample.version, "0.1.0");
  assert.equal(sample.durableSequence, 325);
  assert.equal(sample.queueDepth, 2);
  assert.equal(sample.historyLag, 3);
  assert.equal(sample.isJournalNearlyFull, true);
  assert.equal(sample.uptimeMs, 37_500);
  assert.equal(sample.streamConnections, 0);
  assert.equal(observations(sample.commit), 172);
  assert.equal(observations(sample.requests), 9);
  const routes = [...sample.requestsByRoute].map(([route, all]) => [route, observations(all)]);
  assert.deepEqual(routes, [
    ["a", 4],
    ["b", 5],
  ]);
});

test("the rate is what came between two looks, unless the process began anew", () => {
  assert.equal(commandsPerSecond(sampleAt(100, 0), sampleAt(150, 2_000)), 25);
  assert.equal(commandsPerSecond(sampleAt(100, 0), sampleAt(100, 0)), null);
  const restarted = sampleAt(150, 2_000, "rialto_uptime_seconds 1\n");
  assert.equal(commandsPerSecond(sampleAt(100, 0), restarted), null);
});
