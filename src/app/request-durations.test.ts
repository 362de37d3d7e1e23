/**
 * Goal: the durations of requests read in `/metrics` as the registry's own histogram would write
 * them. Method: random requests are counted in both, and the two texts are compared.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Histogram, Registry } from "@prometheus-io/client";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { RequestDurations } from "./request-durations.ts";

const BOUNDS = [0.001, 0.01, 0.1, 1];
const random = seededRandom("app/request-durations");

test("the text is that of the registry's own histogram", async () => {
  const durations = new RequestDurations(BOUNDS);
  const ours = new Registry();
  ours.registerMetric(durations.asMetric());
  const theirs = new Registry();
  const histogram = new Histogram({
    name: durations.name,
    help: durations.help,
    labelNames: ["route", "status"],
    buckets: BOUNDS,
    registers: [theirs],
  });
  assert.equal(await ours.metrics(), await theirs.metrics(), "before the first request");
  for (let i = 0; i < scaled(2_000); i++) {
    const route = random.pick(["v2-place-order", "v3-ping", "none"]);
    const status = random.pick([200, 400, 429]);
    // Binary fractions add up to the same sum in any order; bounds belong to their bucket.
    const seconds = random.chance(0.1) ? 1 : random.integer(0, 2_048) / 1_024;
    durations.observe(route, status, seconds);
    histogram.observe({ route, status: String(status) }, seconds);
  }
  // Series come in an order of their own.
  assert.deepEqual(
    (await ours.metrics()).split("\n").sort(),
    (await theirs.metrics()).split("\n").sort(),
  );
});
