/** Proves that the exchange's timer wakes its caller when armed, and not after it was stopped. */
import assert from "node:assert/strict";
import test from "node:test";
import { NODE_PLATFORM } from "../platform/index.ts";
import { ExchangeTime } from "./exchange-time.ts";

test("the clock wakes its caller at the earliest time, until it is stopped", async () => {
  // The timer alone would not keep the process alive.
  const alive = setInterval(() => undefined, 1_000);
  let woken = 0;
  await new Promise<void>((resolve) => {
    const time = new ExchangeTime(NODE_PLATFORM, () => {
      woken++;
      if (woken === 3) {
        time.stop();
        resolve();
      }
      time.arm(0);
    });
    time.arm(Number.POSITIVE_INFINITY);
    time.arm(1_000_000);
    time.arm(1);
    time.arm(5);
  });
  clearInterval(alive);
  assert.equal(woken, 3);
});
