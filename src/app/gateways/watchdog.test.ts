/**
 * Goal: the watchdog reports a silent thread once, gives up on a dead one, and draws no conclusion
 * from a machine that stood still. Method: a clock and beats that the test moves.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { LOOK_EVERY_MS, Watchdog } from "./watchdog.ts";

function watch() {
  const state = { nowMs: 1_000, beats: 1 };
  const said: string[] = [];
  const watchdog = new Watchdog({
    watched: [
      {
        name: "gateway-1",
        get beats() {
          return state.beats;
        },
      },
    ],
    monotonicMs: () => state.nowMs,
    onSilent: (name, ms) => said.push(`${name} silent ${ms}`),
    onDead: (name, ms) => said.push(`${name} dead ${ms}`),
  });
  const pass = (ms: number, isAlive: boolean) => {
    for (let passed = 0; passed < ms; passed += LOOK_EVERY_MS) {
      state.nowMs += LOOK_EVERY_MS;
      if (isAlive) state.beats++;
      watchdog.look();
    }
  };
  return { state, said, watchdog, pass };
}

test("a living thread is never reported", () => {
  const { said, pass } = watch();
  pass(3_600_000, true);
  assert.deepEqual(said, []);
});

test("a silence is reported once, and again after a sign of life", () => {
  const { said, pass } = watch();
  pass(5_000, false);
  pass(1_000, true);
  pass(2_000, false);
  assert.deepEqual(said, ["gateway-1 silent 2000", "gateway-1 silent 2000"]);
});

test("a thread that stays silent is dead", () => {
  const { said, pass } = watch();
  pass(30_000, false);
  assert.deepEqual(said, ["gateway-1 silent 2000", "gateway-1 dead 30000"]);
});

test("nothing is said of a thread that has not begun", () => {
  const { state, said, pass } = watch();
  state.beats = 0;
  pass(60_000, false);
  assert.deepEqual(said, []);
});

test("a machine that stood still proves nothing", () => {
  const { state, said, watchdog, pass } = watch();
  pass(1_500, false);
  for (let pause = 0; pause < 100; pause++) {
    state.nowMs += 10_000;
    watchdog.look();
  }
  assert.deepEqual(said, []);
  pass(30_000, false);
  assert.deepEqual(said.at(-1), "gateway-1 dead 30000");
});
