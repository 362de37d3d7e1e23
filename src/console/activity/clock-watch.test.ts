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

test("a clock that runs fast is told once, and a jump of it besides", () => {
  for (const speed of [12, 60, 1_000]) {
    const clock = new ClockWatch();
    const told: string[] = [];
    for (let second = 0; second < 600; second++) {
      const jumpedMs = second < 400 ? 0 : 40 * 3_600_000;
      const text = clock.next(second * speed * 1_000 + jumpedMs, second * 1_000);
      if (text !== null) told.push(text);
    }
    assert.equal(told.length, 2, told.join());
    assert.match(told[1] ?? "", /forward by 1 d 16 h$/);
  }
});
