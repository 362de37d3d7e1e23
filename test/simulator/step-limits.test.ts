/**
 * Goal: no run of the simulator is endless. Method: an exchange that is always woken again, which
 * passes each limit of a step, and a step that never gives the event loop back, in a process of
 * its own.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { SimulatedTime } from "../support/simulated-machine.ts";
import { Breach } from "./breach.ts";
import { LIMITS, StepLimits } from "./step-limits.ts";

const isEndless = (error: unknown): boolean =>
  error instanceof Breach && error.check === "every step ends";

test("a step that wakes itself for ever is a breach, and begins to count anew", async () => {
  for (const name of ["turns", "calls", "simulatedMs"] as const) {
    const limits = new StepLimits();
    const time = new SimulatedTime();
    const used = { turns: 0, calls: 0, simulatedMs: 0 };
    time.onTurn = () => limits.check(used);
    time.every(1, () => {
      used[name] += LIMITS[name] / 4;
    });
    const works = (ms: number): Promise<void> =>
      time.until(
        new Promise((resolve) => {
          time.after(ms, resolve);
        }),
      );
    await works(4);
    await assert.rejects(works(3), isEndless);
    limits.begin({ ...used });
    await works(4);
  }
});

test("a step that never gives the event loop back is named", () => {
  const watchdog = new URL("watchdog.ts", import.meta.url);
  const body = `
    import { Watchdog } from ${JSON.stringify(watchdog.href)};
    const watchdog = new Watchdog(100);
    watchdog.see(7, 3);
    setTimeout(() => undefined, 60_000);
    await watchdog.started;
    for (;;);
  `;
  const args = ["--input-type=module-typescript", "--eval", body];
  const { signal, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(signal, "SIGKILL");
  assert.match(stdout, /seed 7, step 3: every step ends/);
  assert.match(stdout, /npm run simulate -- --seed 7 --until 3\n/);
});
