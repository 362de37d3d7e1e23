/**
 * Proves what the health page reckons from `/metrics`: samples with labels and escapes, histograms
 * added over labels and subtracted over time, and quantiles that agree with sorted observations to
 * within their bucket.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../../test/support/random.ts";
import {
  bucketCounts,
  type Histogram,
  histogramOf,
  observations,
  quantile,
  since,
} from "./histogram.ts";
import { readMetrics, totalOf } from "./metrics-text.ts";

const TEXT = `# HELP rialto_request_seconds HTTP requests by route and status
# TYPE rialto_request_seconds histogram
rialto_request_seconds_bucket{le="0.001",route="a",status="200"} 2
rialto_request_seconds_bucket{le="+Inf",route="a",status="200"} 3

rialto_request_seconds_bucket{le="0.001",route="a",status="400"} 1
rialto_request_seconds_bucket{le="+Inf",route="a",status="400"} 1
rialto_request_seconds_bucket{le="0.001",route="b",status="200"} 0
rialto_request_seconds_bucket{le="+Inf",route="b",status="200"} 5
rialto_queue_depth 7
odd{text="a \\"quoted\\" \\\\ line\\n"} 1.5e3 1795328990483
not a sample
rialto_nothing NaN
`;

test("samples are read with their labels, the rest is left out", () => {
  const samples = readMetrics(TEXT);
  assert.equal(samples.length, 8);
  assert.equal(totalOf(samples, "rialto_queue_depth"), 7);
  assert.equal(totalOf(samples, "rialto_none"), 0);
  assert.deepEqual(samples.at(-1), {
    name: "odd",
    labels: { text: 'a "quoted" \\ line\n' },
    value: 1_500,
  });
});

test("a histogram is added up over the labels that are wanted", () => {
  const samples = readMetrics(TEXT);
  const all = histogramOf(samples, "rialto_request_seconds");
  assert.deepEqual(all, [
    { bound: 0.001, count: 3 },
    { bound: Number.POSITIVE_INFINITY, count: 9 },
  ]);
  assert.deepEqual(bucketCounts(all), [3, 6]);
  const one = histogramOf(samples, "rialto_request_seconds", ({ route }) => route === "a");
  assert.equal(observations(one), 4);
  assert.deepEqual(histogramOf(samples, "none"), []);
});

test("since is the difference, and everything after a restart", () => {
  const earlier: Histogram = [
    { bound: 1, count: 1 },
    { bound: 2, count: 4 },
  ];
  const later: Histogram = [
    { bound: 1, count: 3 },
    { bound: 2, count: 9 },
  ];
  assert.deepEqual(bucketCounts(since(later, earlier)), [2, 3]);
  assert.deepEqual(since(earlier, later), earlier);
});

test("quantiles are interpolated, and null or the last bound at the edges", () => {
  const histogram: Histogram = [
    { bound: 1, count: 10 },
    { bound: 2, count: 30 },
    { bound: Number.POSITIVE_INFINITY, count: 40 },
  ];
  assert.equal(quantile(histogram, 0.25), 1);
  assert.equal(quantile(histogram, 0.5), 1.5);
  assert.equal(quantile(histogram, 0.99), 2);
  assert.equal(quantile([], 0.5), null);
  assert.equal(quantile([{ bound: 1, count: 0 }], 0.5), null);
});

test("a quantile lies in the bucket of the observation of its rank", () => {
  const random = seededRandom("console-histogram");
  const bounds = [0.001, 0.01, 0.1, 1];
  for (let round = 0; round < 200; round++) {
    const values = Array.from(
      { length: random.integer(1, 60) },
      () => random.integer(1, 999) / 1000,
    );
    values.sort((one, other) => one - other);
    const counted = bounds.map((bound) => ({
      bound,
      count: values.filter((value) => value <= bound).length,
    }));
    for (const share of [0.5, 0.9, 0.99]) {
      const exact = values[Math.ceil(values.length * share) - 1] as number;
      const at = bounds.findIndex((bound) => exact <= bound);
      const estimate = quantile(counted, share) as number;
      assert.ok(estimate <= (bounds[at] as number) && estimate >= (bounds[at - 1] ?? 0));
    }
  }
});
