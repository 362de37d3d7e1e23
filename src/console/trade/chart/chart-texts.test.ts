/** Proves what the texts around a chart say: its clock, and how far a candle went. */
import assert from "node:assert/strict";
import test from "node:test";
import { changeOf } from "./candle-change.ts";
import { chartTime } from "./chart-time.ts";

test("candles within a day stand at the reader's time, longer ones at UTC", () => {
  const india = { timeZone: "Asia/Kolkata", offsetMinutes: 330 };
  assert.deepEqual(chartTime("1h", india), { timeZone: "Asia/Kolkata", label: "UTC+5:30" });
  assert.deepEqual(chartTime("1d", india), { timeZone: "UTC", label: "UTC" });
  assert.equal(chartTime("1m", { timeZone: "X", offsetMinutes: -480 }).label, "UTC−8");
  assert.equal(chartTime("1m", { timeZone: "X", offsetMinutes: 0 }).label, "UTC");
});

test("the change of a candle is exact and cut", () => {
  assert.equal(changeOf("3", "4"), "0.333333");
  assert.equal(changeOf("3", "1"), "-0.666666");
  assert.equal(changeOf("91541.14", "91541.14"), "0");
  assert.equal(changeOf("0", "5"), "0");
});
