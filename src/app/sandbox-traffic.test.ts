/** Proves that a gateway counts as quiet once it has stayed so, and not when it never is. */
import assert from "node:assert/strict";
import test from "node:test";
import { SimulatedTime } from "../../test/support/simulated-machine.ts";
import { SandboxTraffic } from "../faults/index.ts";
import type { Platform } from "../platform/index.ts";
import { answerTraffic } from "./sandbox-traffic.ts";

/** What is said, and after how long. */
async function ask(isQuiet: () => boolean): Promise<readonly [said: unknown, afterMs: number]> {
  const time = new SimulatedTime();
  const clock = { monotonicMs: () => time.nowMs, wallMs: () => time.nowMs };
  const platform = { clock, scheduler: time } as unknown as Platform;
  const traffic = new SandboxTraffic(new SharedArrayBuffer(1_024), platform);
  const said = await time.until(answerTraffic({ kind: "quiet" }, traffic, isQuiet, platform));
  return [said, time.nowMs];
}

test("three looks in a row find nothing to do", async () => {
  const looks = [false, true, true, false, true, true, true];
  const [said, afterMs] = await ask(() => looks.shift() ?? assert.fail("nobody looks again"));
  assert.deepEqual([said, looks.length], [true, 0]);
  assert.ok(afterMs < 1_000, `${afterMs} ms`);
});

test("a gateway that is never quiet is given up after ten seconds", async () => {
  const [said, afterMs] = await ask(() => false);
  assert.equal(said, false);
  assert.ok(afterMs >= 10_000 && afterMs < 11_000, `${afterMs} ms`);
});
