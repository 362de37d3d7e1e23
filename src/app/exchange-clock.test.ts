/**
 * Proves how exchange time follows from the wall clock: by the offset, at a speed of its own, not
 * at all when frozen, never back, and without the time in which the exchange was stopped.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeClock } from "./exchange-clock.ts";
import { ExchangeState } from "./gateways/shared-state.ts";

const START_MS = 1_000_000;

function clockOf(clockSpeedE3: number | null = null) {
  const settings = { timestampMs: START_MS, clockMs: START_MS, clockOffsetMs: 0, clockSpeedE3 };
  const wall = { ms: START_MS, behindMs: 0, nowMs: () => wall.ms - wall.behindMs };
  const clock = new ExchangeClock(settings, wall);
  const set = (change: Partial<typeof settings>) => {
    const byMs = (change.clockOffsetMs ?? settings.clockOffsetMs) - settings.clockOffsetMs;
    const nowMs = clock.nowMs();
    Object.assign(settings, change);
    clock.changed(nowMs + byMs);
  };
  return { settings, wall, clock, set };
}

test("without a speed, exchange time is the wall clock plus what was advanced", () => {
  const { settings, wall, clock, set } = clockOf();
  wall.ms += 5;
  assert.equal(clock.nowMs(), START_MS + 5);
  set({ clockOffsetMs: 1_000 });
  wall.ms += 5;
  assert.equal(clock.nowMs(), START_MS + 1_010);
  assert.equal(clock.wallDelayMs(70), 70);
  wall.ms = START_MS - 60_000;
  assert.equal(clock.nowMs(), START_MS + 1_005, "never before the last change");
  settings.timestampMs = START_MS + 1_006;
  assert.equal(clock.nowMs(), START_MS + 1_006, "never before the last command");
});

test("a change is in force at once, also where the wall clock was set back", () => {
  const { wall, clock, set } = clockOf();
  wall.ms -= 60_000;
  set({ clockOffsetMs: 999 });
  assert.equal(clock.nowMs(), START_MS + 999);
  wall.ms += 60_001;
  assert.equal(clock.nowMs(), START_MS + 1_000);
});

test("a frozen clock stands still, moves when it is set, and needs no wake-up", () => {
  const { wall, clock, set } = clockOf();
  wall.ms += 7;
  set({ clockSpeedE3: 0 });
  wall.ms += 86_400_000;
  assert.equal(clock.nowMs(), START_MS + 7);
  assert.equal(clock.wallDelayMs(1), Number.POSITIVE_INFINITY);
  assert.equal(clock.wallDelayMs(0), 0, "what is due now is due");
  set({ clockOffsetMs: 500 });
  wall.ms += 1;
  assert.equal(clock.nowMs(), START_MS + 507);
});

test("at any speed, time runs in proportion and without a jump at a change", () => {
  const { wall, clock, set } = clockOf();
  let expectedMs = START_MS;
  for (const speedE3 of [60_000, 100, 10_000_000, 1_000, 0, 1_000]) {
    set({ clockSpeedE3: speedE3 });
    assert.equal(clock.nowMs(), expectedMs);
    wall.ms += 250;
    expectedMs += (250 * speedE3) / 1_000;
    assert.equal(clock.nowMs(), expectedMs);
  }
  set({ clockSpeedE3: 60_000 });
  assert.equal(clock.wallDelayMs(120_000), 2_000);
});

test("after a stop, a clock with a speed of its own goes on where it was", () => {
  const { wall, clock } = clockOf(60_000);
  assert.equal(clock.nowMs(), START_MS);
  wall.ms += 10;
  assert.equal(clock.nowMs(), START_MS + 600);
  // Where the last command was, or where it has put exchange time.
  for (const clockMs of [START_MS, START_MS + 3_600_000]) {
    const later = new ExchangeClock(
      { timestampMs: START_MS, clockMs, clockOffsetMs: 0, clockSpeedE3: 60_000 },
      { nowMs: () => START_MS + 86_400_000, behindMs: 0 },
    );
    assert.equal(later.nowMs(), clockMs);
  }
});

test("gateways in other threads see the same time, whatever was set", () => {
  const { settings, wall, clock, set } = clockOf();
  const written = new ExchangeState();
  const read = new ExchangeState(written.memory);
  const agree = () => {
    written.setTime(settings.timestampMs);
    written.setClock(clock.machineReading);
    wall.ms += 31;
    assert.equal(read.exchangeMs({ wallMs: () => wall.ms }), clock.nowMs());
  };
  agree();
  for (const speedE3 of [0, 60_000, 100]) {
    set({ clockSpeedE3: speedE3 });
    agree();
    set({ clockOffsetMs: settings.clockOffsetMs + 1_234 });
    agree();
  }
  // The exchange went back in time: its wall clock is behind, by the machine's clock.
  settings.timestampMs = START_MS;
  wall.behindMs = 5_000;
  clock.changed(START_MS);
  agree();
});
