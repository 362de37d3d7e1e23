/**
 * Proves that the memory of requests answers like a list that is searched from its end, with every
 * bound at once: age, number and characters. A request is found as long as the bounds allow and
 * never longer, and the order in which they go is the order in which they were done.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { type DoneRequest, DoneRequests } from "./done-requests.ts";

const random = seededRandom("done-requests");
const MINUTE_MS = 60_000;
const KEPT_MS = 10 * MINUTE_MS;

function request(uid: number, id: number, doneMs: number, characters = 1): DoneRequest {
  return { uid, requestId: `r${id}`, answer: "x".repeat(characters), doneMs };
}

test("a request is found for ten minutes, by its user alone", () => {
  const memory = new DoneRequests();
  memory.add({ uid: 1, requestId: "one", answer: "{}", doneMs: 1_000 });
  assert.equal(memory.find(1, "one", 1_000 + KEPT_MS), "{}");
  assert.equal(memory.find(1, "one", 1_001 + KEPT_MS), null);
  assert.equal(memory.find(2, "one", 1_000), null);
  assert.equal(memory.find(1, "two", 1_000), null);
});

test("as a list would, within bounds of number and characters", () => {
  for (let round = 0; round < scaled(100); round++) {
    const countMax = random.integer(1, 12);
    const charactersMax = random.integer(5, 60);
    const memory = new DoneRequests({ countMax, charactersMax });
    let kept: DoneRequest[] = [];
    let nowMs = 0;
    for (let step = 0; step < 120; step++) {
      nowMs += random.pick([0, 1, MINUTE_MS, 4 * MINUTE_MS]);
      const [uid, id] = [random.integer(1, 3), random.integer(1, 20)];
      const alive = kept.filter(({ doneMs }) => nowMs - doneMs <= KEPT_MS);
      const known = alive.find((one) => one.uid === uid && one.requestId === `r${id}`);
      assert.equal(memory.find(uid, `r${id}`, nowMs), known?.answer ?? null);
      if (known !== undefined) continue;
      const added = request(uid, id, nowMs, random.integer(0, 9));
      memory.add(added);
      // Expired ones may still take room, so what a list of the living would keep is the least.
      kept = [...kept.filter((one) => one.uid !== uid || one.requestId !== `r${id}`), added];
      const length = () => kept.reduce((sum, { answer }) => sum + answer.length, 0);
      while (kept.length > countMax || length() > charactersMax) kept.shift();
      const held = [...memory.all()];
      assert.deepEqual(held, kept.slice(kept.length - held.length));
      const dropped = kept.slice(0, kept.length - held.length);
      assert.ok(dropped.every(({ doneMs }) => nowMs - doneMs > KEPT_MS));
      kept = kept.slice(kept.length - held.length);
    }
  }
});

test("a memory that is restored has what it had, and goes on like it", () => {
  const memory = new DoneRequests();
  let restored = memory;
  let nowMs = 0;
  for (let i = 0; i < 400; i++) {
    // Many at once, then a pause, leave more behind than one call drops.
    nowMs += random.chance(0.1) ? KEPT_MS + 1 : 1;
    for (const one of new Set([memory, restored])) one.add(request(1, i, nowMs));
    if (random.chance(0.7)) {
      restored = new DoneRequests();
      for (const done of memory.all()) restored.restore(done);
    }
    assert.deepEqual([...restored.all()], [...memory.all()]);
  }
});

test("what is too old goes, so that the memory is as large as ten minutes are busy", () => {
  const memory = new DoneRequests();
  for (let i = 0; i < 5_000; i++) memory.add(request(1, i, i * MINUTE_MS));
  assert.ok(memory.size <= 12, String(memory.size));
});
