/**
 * A sandbox's clock at every speed, or frozen for a while, and nobody sends anything: what is due
 * by time alone, countdowns, slots of funding and settlements of commissions, happens at its
 * exchange time, however long that takes on the wall.
 */
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import { type Clock, readClock, readTime } from "../sandbox-clock.ts";
import type { Scene, Stage } from "./stage.ts";

const SPEEDS = [0.1, 0.5, 2.5, 10, 60, 60, 300, 1_000] as const;
const ROUNDS_MAX = 3;
/** Of exchange time until something is due. */
const AHEAD_MS = { least: 1_000, most: 60_000 };
/** Of wall time, at the most. */
const WAIT_MAX_MS = 30_000;
/** The exchange wakes up at the most so much later, by the wall. */
const LATE_WALL_MS = 200;
const FROZEN_MS = { least: 1_000, most: 90_000 };

export const clockSpeeds: Scene = async (stage) => {
  const { exchange, random } = stage;
  const { speed } = await readClock(exchange);
  exchange.daysPassed++;
  for (let rounds = random.integer(1, ROUNDS_MAX); rounds > 0; rounds--) {
    await waitAtSpeed(stage, random.pick(SPEEDS));
  }
  await setSpeed(stage, speed);
  await stage.look();
};

async function waitAtSpeed(stage: Stage, speed: number): Promise<void> {
  const { random } = stage;
  const aheadMs = random.integer(AHEAD_MS.least, Math.min(AHEAD_MS.most, speed * WAIT_MAX_MS));
  // A clock that was slower or faster has been waited for in another way.
  const isSetBefore = random.chance(0.5);
  if (isSetBefore) await setSpeed(stage, speed);
  if (random.chance(0.5)) await setCountdown(stage, aheadMs);
  else await advanceTo(stage, aheadMs);
  if (random.chance(0.4)) await freeze(stage);
  await setSpeed(stage, speed);
  await waitForNext(stage, speed);
}

async function setSpeed({ exchange }: Stage, speed: number): Promise<void> {
  const body = speed === 0 ? { freeze: true } : { speed };
  await exchange.operator<Clock>("POST", "sandbox/clock", body);
}

async function setCountdown(stage: Stage, countdownMs: number): Promise<void> {
  const { random, traders } = stage;
  const family = random.pick(["/api", "/capi"] as const);
  const body = { symbol: SYMBOL, countdownMs };
  await stage.send(random.pick([...traders]), "POST", `${family}/v3/order/cancelAllAfter`, body);
}

/** So much before the next thing that is due. */
async function advanceTo(stage: Stage, aheadMs: number): Promise<void> {
  const dueMs = await nextDueMs(stage);
  const ms = dueMs - (await readTime(stage.exchange)) - aheadMs;
  if (Number.isFinite(ms) && ms > 0) await stage.operate("POST", "sandbox/clock/advance", { ms });
}

/** As the naive exchange knows; infinite for nothing. */
async function nextDueMs(stage: Stage): Promise<number> {
  const { contracts, switches } = await stage.look();
  const { programme } = stage.exchange.story.affiliates;
  const set = switches.filter(({ isHeld }) => !isHeld).map(({ firesAtMs }) => firesAtMs);
  const slots = [...contracts.values()].map(({ nextSlotMs }) => nextSlotMs);
  return Math.min(...set, ...slots, programme.settlementDueMs ?? Number.POSITIVE_INFINITY);
}

/** Nothing is due while time stands still. */
async function freeze(stage: Stage): Promise<void> {
  const { exchange, random } = stage;
  const { time } = await exchange.operator<Clock>("POST", "sandbox/clock", { freeze: true });
  const { story } = exchange;
  await stage.look();
  const commands = story.times.length;
  await stage.pass(random.integer(FROZEN_MS.least, FROZEN_MS.most));
  await stage.look();
  const now = await readTime(exchange);
  const isStill = now === time && story.times.length === commands;
  const detail = () => `${now}, frozen at ${time}, ${story.times.length - commands} commands`;
  hold(isStill, "nothing happens while time is frozen", detail);
}

async function waitForNext(stage: Stage, speed: number): Promise<void> {
  const { exchange } = stage;
  const dueMs = await nextDueMs(stage);
  const before = await readTime(exchange);
  const waitMs = (dueMs - before) / speed;
  if (!(waitMs >= 0 && waitMs <= 2 * WAIT_MAX_MS)) return;
  await stage.pass(Math.ceil(waitMs) + 2 * LATE_WALL_MS);
  await stage.look();
  const latestMs = dueMs + LATE_WALL_MS * speed;
  const isInTime = exchange.story.times.some((timeMs) => timeMs >= dueMs && timeMs <= latestMs);
  const detail = () => `due at ${dueMs}, from ${before} on at a speed of ${speed}`;
  hold(isInTime, "what is due happens at its exchange time", detail);
}
