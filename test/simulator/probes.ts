/**
 * What is tried while nobody else does anything, because only then it can be said what must come of
 * it: the sandbox's clock at every speed, and keys that end by exchange time or are revoked.
 */
import type { Random } from "../support/random.ts";
import type { Credentials } from "../support/signed-client.ts";
import { amendBetweenFills } from "./amended-fills.ts";
import { hold } from "./breach.ts";
import { operate } from "./operate.ts";
import { type Clock, readClock } from "./sandbox-clock.ts";
import { changedOperators } from "./scenes/changed-operators.ts";
import { lastReport } from "./scenes/custody-reports.ts";
import { askedMoves } from "./scenes/deep-trees.ts";
import { oneMoreOfUser } from "./scenes/full-users.ts";
import { heldWithdrawal } from "./scenes/held-withdrawals.ts";
import { oneMoreKey } from "./scenes/keys.ts";
import { usedIds } from "./scenes/used-ids.ts";
import { stepRandom } from "./schedule.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { readSlowly } from "./slow-reader.ts";
import { probeTimestamps } from "./timestamps.ts";
import type { Trader } from "./trader.ts";

const SPEEDS = [0.1, 1, 2.5, 60];
const ADVANCES_MS = [1, 999, 60_000, 3_600_000];
const LIVES_MS = 5_000;
/** How often, and for how long, a disk is waited for that was full. */
const WAITS_MAX = 100;
const WAIT_MS = 1_000;

export async function probe(
  exchange: SimulatedExchange,
  traders: readonly Trader[],
  isSandbox: boolean,
  { seed, step }: { readonly seed: number; readonly step: number },
): Promise<void> {
  const random = stepRandom(seed ^ 0x3c6ef372, step);
  const isClock = isSandbox && random.chance(0.06);
  const isKey = random.chance(0.08);
  const left = [
    ...[oneMoreKey, heldWithdrawal, lastReport, changedOperators],
    ...[askedMoves, oneMoreOfUser, usedIds],
  ];
  const again = left.filter((one) => one.isDue(exchange));
  const ofTime = stepRandom(seed ^ 0x72be5d74, step);
  const isTime = ofTime.chance(0.1);
  const ofReader = stepRandom(seed ^ 0x9bdc06a7, step);
  const isSlow = ofReader.chance(0.05) && exchange.limits === null;
  const ofFills = stepRandom(seed ^ 0xd807aa98, step);
  const isAmended = ofFills.chance(0.08);
  const isDue = isClock || isKey || again.length > 0 || isTime || isSlow || isAmended;
  if (!isDue || !(await isReady(exchange))) return;
  // What one change leaves is where the next one begins.
  for (let changes = isClock ? random.integer(1, 3) : 0; changes > 0; changes--) {
    await probeClock(exchange, random);
  }
  if (isKey) await probeKey(exchange, random.pick([...traders]), isSandbox, random);
  for (const one of again) await one.attempt(exchange);
  if (isAmended) await amendBetweenFills(exchange, traders, ofFills);
  if (isSlow) await readSlowly(exchange, traders, ofReader);
  if (isTime) await probeTimestamps(ofTime.pick([...traders]), ofTime);
}

/** A disk that was full a moment ago may still count as such. */
export async function isReady(exchange: SimulatedExchange): Promise<boolean> {
  const request = { method: "GET", path: "/health/ready", headers: {} };
  return (await exchange.life.until(exchange.send("public", request)))?.status === 200;
}

/** A change takes effect where time is, at once and as a whole; then time goes on at its speed. */
async function probeClock(exchange: SimulatedExchange, random: Random): Promise<void> {
  const before = await readClock(exchange);
  const byMs = random.pick(ADVANCES_MS);
  const kind = random.pick(["advance", "set", "speed", "freeze"] as const);
  const path = kind === "advance" ? "sandbox/clock/advance" : "sandbox/clock";
  const speed = kind === "freeze" ? 0 : kind === "speed" ? random.pick(SPEEDS) : before.speed;
  const body = {
    advance: { ms: byMs },
    set: { setMs: before.time + byMs },
    speed: { speed },
    freeze: { freeze: true },
  }[kind];
  const changed = await exchange.operator<Clock>("POST", path, body);
  const said = () => `${kind} ${JSON.stringify([body, before, changed])}`;
  const leastMs = before.time + (kind === "advance" || kind === "set" ? byMs : 0);
  hold(changed.time >= leastMs, "a change of the clock is in force", said);
  hold(changed.speed === speed, "a change of the clock is in force", said);
  const wallMs = exchange.nowMs;
  const first = await readClock(exchange);
  hold(first.time >= changed.time, "exchange time never goes back", said);
  await exchange.pass(random.integer(1, 400));
  const last = await readClock(exchange);
  const passedMs = exchange.nowMs - wallMs;
  const goneMs = last.time - first.time;
  const detail = () => `${said()}: ${goneMs} in ${passedMs} ms`;
  // What speed 1 means to a wall clock that was set back is another question.
  const isBehind = speed === 1 && goneMs === 0;
  const isRight = isBehind || Math.abs(goneMs - passedMs * speed) <= 2 + 2 * speed;
  hold(isRight, "exchange time runs at its speed", detail);
  if (speed === 0 && random.chance(0.8)) {
    await exchange.operator<Clock>("POST", "sandbox/clock", { speed: 1 });
  }
}

export async function createKey(exchange: SimulatedExchange, uid: number): Promise<Credentials> {
  for (let waits = 0; waits < WAITS_MAX && !(await isReady(exchange)); waits++) {
    await exchange.pass(WAIT_MS);
  }
  const key = { label: "probe", permissions: ["read"], passphrase: "passphrase" };
  return await exchange.operator<Credentials>("POST", `users/${uid}/api-keys`, key);
}

/** Whether a request that it signs is answered. */
export async function isLive(exchange: SimulatedExchange, key: Credentials): Promise<boolean> {
  const request = exchange.signedAs(key, "GET", "/api/v2/account/assets", null);
  const answer = await exchange.life.until(exchange.send("public", request));
  const isExpected = answer?.status === 200 || answer?.status === 401 || answer?.status === 400;
  hold(isExpected, "answers", () => `a key that is tried: ${JSON.stringify(answer)}`);
  return answer?.status === 200;
}

/** With one other character a part of a key is wrong, also right behind a request of the key. */
async function probeAlmost(
  exchange: SimulatedExchange,
  key: Credentials,
  random: Random,
): Promise<void> {
  if (exchange.limits !== null) return;
  for (const part of ["apiKey", "secret", "passphrase"] as const) {
    const text = key[part];
    const at = random.integer(0, text.length - 1);
    const other = text[at] === "a" ? "b" : "a";
    const almost = { ...key, [part]: `${text.slice(0, at)}${other}${text.slice(at + 1)}` };
    const detail = () => `${part} ${text}: ${almost[part]}`;
    hold(!(await isLive(exchange, almost)), "a key is right in all of its parts", detail);
    hold(await isLive(exchange, key), "a key that was issued is live", detail);
  }
}

async function probeKey(
  exchange: SimulatedExchange,
  { uid }: Trader,
  isSandbox: boolean,
  random: Random,
): Promise<void> {
  const key = await createKey(exchange, uid);
  const path = `api-keys/${key.apiKey}`;
  hold(await isLive(exchange, key), "a key that was issued is live", () => key.apiKey);
  await probeAlmost(exchange, key, random);
  if (isSandbox && random.chance(0.7)) {
    const { time } = await readClock(exchange);
    const expiresAt = time + LIVES_MS;
    await exchange.operator("PATCH", path, { expiresAt });
    for (const byMs of [random.integer(-3, 0), random.integer(1, 3_000)]) {
      const { time: nowMs } = await readClock(exchange);
      const setMs = expiresAt + byMs;
      // A clock with a speed may have passed that moment by now, and is refused to go back.
      const isAhead = setMs > nowMs;
      if (isAhead) await exchange.life.until(operate(exchange, "POST", "sandbox/clock", { setMs }));
      const { time: asked } = await readClock(exchange);
      const wasLive = await isLive(exchange, key);
      const { time: answered } = await readClock(exchange);
      const detail = () => `${wasLive} from ${asked} to ${answered}, expires ${expiresAt}`;
      const mayLive = asked < expiresAt;
      hold(wasLive ? mayLive : answered >= expiresAt, "a key ends by exchange time", detail);
    }
  }
  await exchange.operator("DELETE", path);
  hold(!(await isLive(exchange, key)), "a revoked key signs nothing", () => key.apiKey);
}
