/**
 * Proves that a gate lets through at once while all of its conditions hold, keeps the order of what
 * waits, calls each of them once, and gives up what waits for longer than requests are held.
 * Method: conditions that come and go in simulated time, by seed.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../test/support/random.ts";
import { SimulatedTimeline } from "../../test/support/simulated-timeline.ts";
import type { Scheduler } from "../platform/index.ts";
import { type AnswerCondition, AnswerGate } from "./answer-gate.ts";
import { HOLD_MS } from "./routed-engine.ts";

class Switch implements AnswerCondition {
  mayAnswer = true;
  #changed: () => void = () => undefined;

  watch(onChange: () => void): void {
    this.#changed = onChange;
  }

  set(isOn: boolean): void {
    this.mayAnswer = isOn;
    if (isOn) this.#changed();
  }
}

test("a gate", async () => {
  const random = seededRandom("answer gate");
  const time = new SimulatedTimeline();
  const scheduler = {
    after: (delayMs: number, run: () => void) => time.at(time.nowMs + delayMs, run),
  } as Scheduler;
  const switches = [new Switch(), new Switch()];
  const gate = new AnswerGate(switches, { clock: { monotonicMs: () => time.nowMs }, scheduler });
  const outcomes = new Map<number, string>();
  const through: number[] = [];
  let passed = 0;
  const pass = (): void => {
    const number = passed++;
    const [wasOpen, atMs] = [gate.isOpen, time.nowMs];
    const settle = (outcome: string): void => {
      assert.ok(!outcomes.has(number), "once");
      outcomes.set(number, outcome);
    };
    gate.pass(
      () => {
        settle("through");
        through.push(number);
        assert.ok(gate.isOpen && time.nowMs - atMs <= HOLD_MS);
      },
      () => {
        settle("late");
        assert.ok(time.nowMs - atMs >= HOLD_MS);
      },
    );
    assert.equal(outcomes.has(number), wasOpen, "at once, or not yet");
  };
  for (let step = 0; step < 4000; step++) {
    if (random.chance(0.1)) random.pick(switches).set(random.chance(0.5));
    pass();
    await time.runUntil(time.nowMs + random.integer(0, random.chance(0.05) ? 9000 : 100));
  }
  for (const each of switches) each.set(false);
  for (let step = 0; step < 3; step++) pass();
  await time.runUntil(time.nowMs + 2 * HOLD_MS);
  assert.equal(outcomes.size, passed);
  assert.deepEqual(
    through,
    through.toSorted((one, other) => one - other),
    "in order",
  );
  const late = passed - through.length;
  assert.ok(late > 10 && through.length > 1000, `${late} late, ${through.length} through`);
});
