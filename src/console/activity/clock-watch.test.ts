/** Proves that jumps of exchange time are told, and neither the network nor a fast clock is. */
import assert from "node:assert/strict";
import test from "node:test";
import { ClockWatch } from "./clock-watch.ts";

test("a jump is told once, in its two largest units", () => {
  const clock = new ClockWatch();
  assert.equal(clock.next(1_000_000, 0), null);
  assert.equal(clock.next(1_010_500, 10_000), null);
  const hours = 2 * 3_600_000 + 5 * 60_000 + 7_000;
  assert.equal(clock.next(1_020_000 + hours, 20_000), "Exchange time jumped forward by 2 h 5 min");
  assert.equal(clock.next(1_030_000 + hours, 30_000), null);
  assert.equal(clock.next(1_080_000, 80_000), "Exchange time jumped back by 2 h 5 min");
});

test("a clock that runs fast is not told with every tick", () => {
  const clock = new ClockWatch();
  let told = 0;
  for (let second = 0; second < 60; second++) {
    if (clock.next(second * 60_000, second * 1_000) !== null) told++;
  }
  assert.ok(told >= 1 && told <= 2, `${told}`);
});
