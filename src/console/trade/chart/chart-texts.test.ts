/** Proves what the texts around a chart say: its clock, and how far a candle went. */
import assert from "node:assert/strict";
import test from "node:test";
import { changeOf } from "./candle-change.ts";
import { axisLocale, chartTime } from "./chart-time.ts";

test("candles within a day stand at the reader's time, longer ones at UTC", () => {
  assert.deepEqual(chartTime("1h", 330), {
    shiftSeconds: 19_800,
    label: "UTC+5:30",
    isWithinDay: true,
  });
  assert.equal(chartTime("1m", -480).label, "UTC−8");
  assert.equal(chartTime("1m", 0).label, "UTC");
  assert.deepEqual(chartTime("1d", 330), { shiftSeconds: 0, label: "UTC", isWithinDay: false });
});

test("a language that dates cannot be written in gives English", () => {
  assert.equal(axisLocale("de-at"), "de-AT");
  assert.equal(axisLocale("en-US@posix"), "en");
});

test("the change of a candle is exact and cut", () => {
  assert.equal(changeOf("3", "4"), "0.333333");
  assert.equal(changeOf("3", "1"), "-0.666666");
  assert.equal(changeOf("91541.14", "91541.14"), "0");
  assert.equal(changeOf("0", "5"), "0");
});
