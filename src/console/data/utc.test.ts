/** Goal: a time that is shown can be typed in again, and none is taken for another. */
import assert from "node:assert/strict";
import test from "node:test";
import { parseUtcTime, utcTime } from "./utc.ts";

test("a time is read as it is written, in whole or in part", () => {
  const timeMs = Date.UTC(2027, 0, 31, 8, 5, 9);
  assert.equal(parseUtcTime(utcTime(timeMs)), timeMs);
  assert.equal(parseUtcTime(" 2027-01-31 08:05:09 "), timeMs);
  assert.equal(parseUtcTime("2027-01-31T08:05:09Z"), timeMs);
  assert.equal(parseUtcTime("2027-01-31 08:05"), timeMs - 9_000);
  assert.equal(parseUtcTime("2028-02-29"), Date.UTC(2028, 1, 29));
});

test("what is no time is null", () => {
  const texts = ["", "tomorrow", "2027-02-29", "2027-13-01", "2027-01-31 25:00", "31.01.2027"];
  for (const text of texts) assert.equal(parseUtcTime(text), null, text);
});
