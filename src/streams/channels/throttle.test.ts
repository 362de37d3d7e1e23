/**
 * Proves that a throttled task runs once for many requests, never concurrently, at most once per
 * period, and again if its source was busy. Time advances only when the tests advance it.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { Throttle } from "./throttle.ts";

const PERIOD_MS = 100;

function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const state = { nowMs: 0, runs: 0, finish: (_done: boolean): void => undefined };
  const throttle = new Throttle({
    periodMs: () => PERIOD_MS,
    clock: { monotonicMs: () => state.nowMs },
    scheduler: NODE_PLATFORM.scheduler,
    task: () => {
      state.runs++;
      return new Promise((resolve) => {
        state.finish = resolve;
      });
    },
    onFatal: (error) => assert.fail(error),
  });
  const pass = async (ms: number): Promise<void> => {
    state.nowMs += ms;
    t.mock.timers.tick(ms);
    await turn();
  };
  const finish = async (done: boolean): Promise<void> => {
    state.finish(done);
    await turn();
  };
  return { state, throttle, pass, finish };
}

test("wishes during a run make one more run, a period later", async (t) => {
  const { state, throttle, pass, finish } = setUp(t);
  for (let wishes = 0; wishes < 10; wishes++) throttle.request();
  await pass(0);
  assert.equal(state.runs, 1);
  for (let wishes = 0; wishes < 10; wishes++) throttle.request();
  await pass(10 * PERIOD_MS);
  assert.equal(state.runs, 1, "the first run is not at its end");
  await finish(true);
  await pass(PERIOD_MS - 1);
  assert.equal(state.runs, 1);
  await pass(1);
  assert.equal(state.runs, 2);
  await finish(true);
  await pass(10 * PERIOD_MS);
  assert.equal(state.runs, 2, "nobody has asked again");
});

test("a source that was busy is asked again; after the stop nothing runs", async (t) => {
  const { state, throttle, pass, finish } = setUp(t);
  throttle.request();
  await pass(0);
  await finish(false);
  await pass(PERIOD_MS);
  assert.equal(state.runs, 2);
  await finish(false);
  throttle.stop();
  throttle.request();
  await pass(10 * PERIOD_MS);
  assert.equal(state.runs, 2);
});
