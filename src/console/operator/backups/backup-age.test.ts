/** Proves that an age is told in its largest two units. */
import assert from "node:assert/strict";
import test from "node:test";
import { ageText } from "./backup-age.ts";

test("ages in words", () => {
  for (const [ageMs, text] of [
    [-5, "0 seconds"],
    [999, "0 seconds"],
    [1_000, "1 second"],
    [61_000, "1 minute 1 second"],
    [3_600_000, "1 hour"],
    [3_605_000, "1 hour"],
    [7_500_000, "2 hours 5 minutes"],
    [90_061_000, "1 day 1 hour"],
  ] as const) {
    assert.equal(ageText(ageMs), text, String(ageMs));
  }
});
