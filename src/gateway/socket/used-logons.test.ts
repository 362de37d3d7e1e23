/**
 * Proves that a logon is taken once while its timestamp is good: random logons and repeats on a
 * clock that runs, against a plain map; two memories over the same bytes, as two threads have them;
 * and that a full memory lets none in instead of forgetting one.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { logonMemory, UsedLogons } from "./used-logons.ts";

const random = seededRandom("gateway/socket/used-logons");
const START_MS = 1_760_000_000_000;
const REMEMBERED_MS = 60_000;

function signatureOf(text: string): string {
  return createHmac("sha256", "secret").update(text).digest("base64");
}

test("a logon is taken once while it could be accepted again, by whichever thread", () => {
  const memory = logonMemory();
  const threads = [new UsedLogons(memory), new UsedLogons(memory), new UsedLogons(memory)];
  const takenAtMs = new Map<string, number>();
  let wallMs = START_MS;
  let repeats = 0;
  for (let step = 0; step < scaled(20_000); step++) {
    wallMs += random.integer(0, 40);
    const known = [...takenAtMs.keys()].slice(-50);
    const isRepeat = known.length > 0 && random.chance(0.3);
    const signature = isRepeat ? random.pick(known) : signatureOf(`logon ${step}`);
    const earlierMs = takenAtMs.get(signature);
    const outcome = random.pick(threads).take(signature, wallMs, wallMs, wallMs);
    if (earlierMs !== undefined && wallMs - earlierMs <= REMEMBERED_MS) {
      assert.equal(outcome, "used");
      repeats++;
    } else if (earlierMs === undefined) {
      assert.equal(outcome, "taken");
      takenAtMs.set(signature, wallMs);
    }
  }
  assert.ok(repeats > 100, String(repeats));
});

test("one of a sandbox that is ahead is remembered until the wall clock has passed it", () => {
  const logons = new UsedLogons();
  const signature = signatureOf("ahead");
  const timestampMs = START_MS + 7 * 3_600_000;
  assert.equal(logons.take(signature, timestampMs, START_MS, timestampMs), "taken");
  for (const laterMs of [REMEMBERED_MS, 3_600_000, 7 * 3_600_000, 7 * 3_600_000 + 30_000]) {
    const laterOne = [START_MS + laterMs, timestampMs + laterMs] as const;
    assert.equal(logons.take(signature, timestampMs, ...laterOne), "used", String(laterMs));
  }
});

test("one of a sandbox whose clock stands still is remembered until it has gone on", () => {
  const logons = new UsedLogons();
  const signature = signatureOf("frozen");
  assert.equal(logons.take(signature, START_MS, START_MS, START_MS), "taken");
  for (const laterMs of [REMEMBERED_MS + 2_000, 180_000, 86_400_000]) {
    const wallMs = START_MS + laterMs;
    assert.equal(logons.take(signature, START_MS, wallMs, START_MS), "used", String(laterMs));
  }
  const wentOnMs = START_MS + REMEMBERED_MS + 2_000;
  assert.equal(logons.take(signature, START_MS, START_MS + 86_400_000, wentOnMs), "taken");
});

test("a full memory takes no more, and takes them again when the oldest have expired", () => {
  const slots = 128;
  const logons = new UsedLogons(logonMemory(slots));
  const taken: string[] = [];
  let full = 0;
  for (let i = 0; i < 10 * slots; i++) {
    const signature = signatureOf(`many ${i}`);
    const outcome = logons.take(signature, START_MS, START_MS, START_MS);
    if (outcome === "taken") taken.push(signature);
    else full++;
    assert.notEqual(outcome, "used");
  }
  assert.equal(taken.length, slots);
  assert.equal(full, 9 * slots);
  for (const signature of taken) {
    const wallMs = START_MS + REMEMBERED_MS;
    assert.equal(logons.take(signature, START_MS, wallMs, wallMs), "used");
  }
  const laterMs = START_MS + REMEMBERED_MS + 1_001;
  assert.equal(logons.take(signatureOf("later"), laterMs, laterMs, laterMs), "taken");
});
