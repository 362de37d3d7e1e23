/** Proves the countdown to the funding and the direction of the last price. */
import assert from "node:assert/strict";
import test from "node:test";
import { PriceTrend } from "../price-trend.ts";
import { clockText, untilFunding } from "./funding-clock.ts";

test("the countdown runs by the exchange's clock and ends at zero", () => {
  const answer = { nextFundingTime: 28_800_000, time: 28_000_000 };
  assert.equal(untilFunding(answer, 0), 800_000);
  assert.equal(untilFunding(answer, 300_000), 500_000);
  assert.equal(untilFunding(answer, 900_000), 0);
});

test("a countdown in words", () => {
  assert.equal(clockText(0), "00:00:00");
  assert.equal(clockText(1), "00:00:01");
  assert.equal(clockText(28_800_000), "08:00:00");
  assert.equal(clockText(3_599_999), "01:00:00");
  assert.equal(clockText(90_061_000), "25:01:01");
});

test("a price keeps its direction until it is another one", () => {
  const trend = new PriceTrend();
  const followed = ["0", "10", "10", "10.5", "10.50", "0", "9", "9.000000001"];
  assert.deepEqual(
    followed.map((price) => trend.follow(price)),
    ["none", "none", "none", "up", "up", "up", "down", "up"],
  );
});
