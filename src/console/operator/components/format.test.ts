/** Proves how times, spans, sizes and latencies are written, at the edges between units. */
import assert from "node:assert/strict";
import test from "node:test";
import { utcTime } from "../../data/utc.ts";
import { bytesText, countText, latencyText, spanText } from "./format.ts";

test("times are exchange time in UTC", () => {
  assert.equal(utcTime(0), "1970-01-01 00:00:00 UTC");
  assert.equal(utcTime(1_795_328_990_483), "2026-11-22 06:29:50 UTC");
});

test("a span has its two largest units", () => {
  assert.equal(spanText(999), "0 s");
  assert.equal(spanText(61_000), "1 min 1 s");
  assert.equal(spanText(3_600_000), "1 h");
  assert.equal(spanText(86_400_000 * 3 + 3_600_000 * 4 + 59_000), "3 d 4 h");
});

test("sizes, latencies and counts", () => {
  assert.equal(bytesText(999), "999 B");
  assert.equal(bytesText(249_974_784), "250.0 MB");
  assert.equal(latencyText(0.000_085), "85 µs");
  assert.equal(latencyText(0.001_25), "1.25 ms");
  assert.equal(latencyText(0.025), "25 ms");
  assert.equal(latencyText(1), "1 s");
  assert.equal(countText(1_234_567.4), "1,234,567");
  assert.equal(countText(12), "12");
});
