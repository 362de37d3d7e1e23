/** Proves where a small line runs: over the whole width, zero below, the highest value on top. */
import assert from "node:assert/strict";
import test from "node:test";
import { sparkPath } from "./spark-path.ts";

test("a line from zero to its highest value", () => {
  assert.equal(sparkPath([0, 5, 10], 100, 30), "M0.00 29.00L50.00 15.00L100.00 1.00");
});

test("nothing but zeros lies at the bottom, one value is no line", () => {
  assert.equal(sparkPath([0, 0], 100, 30), "M0.00 29.00L100.00 29.00");
  assert.equal(sparkPath([3], 100, 30), "");
  assert.equal(sparkPath([], 100, 30), "");
});
