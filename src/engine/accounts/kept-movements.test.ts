/**
 * Proves that the memory of the operator's movements is a map that forgets nothing: whatever users,
 * commands and ids, it finds what a `Map` finds, before and after it was written to a snapshot and
 * read again, across pages; that two whose hashes meet are two; and what a movement costs.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { HASH_KEY, OTHER_HASH_KEY } from "../../../test/support/hash-key.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import {
  type KeptMovement,
  KeptMovements,
  MOVEMENT_ENDS,
  OPERATOR_COMMANDS,
} from "./kept-movements.ts";

const random = seededRandom("kept-movements");
/** Three pages of short rows. */
const MOVEMENTS = 60_000;
const BYTES_EACH_MAX = 160;

function randomId(): string {
  const length = random.pick([1, 2, 3, 4, 5, 8, 36, 64]);
  const letters = Array.from({ length }, () => random.pick(["a", "b", "0", "-", "é"]));
  return random.chance(0.5) ? letters.join("") : String(random.integer(0, 100_000));
}

function randomMovement(): KeptMovement {
  return {
    type: "kept-movement",
    command: random.pick(OPERATOR_COMMANDS),
    uid: random.pick([0, 1, 100_001, 100_002, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]),
    requestId: randomId(),
    assetIndex: random.integer(0, 9),
    amountMinor: BigInt(random.integer(1, 1e9)) ** BigInt(random.integer(1, 3)),
    from: random.pick(MOVEMENT_ENDS),
    to: random.pick(MOVEMENT_ENDS),
    balanceMinor: BigInt(random.integer(-5, 1e9)),
    timestampMs: random.integer(0, 2e12),
  };
}

function keyOf({ command, uid, requestId }: KeptMovement): string {
  return `${command} ${uid} ${requestId}`;
}

test("as a map would, before and after a snapshot", () => {
  let memory = new KeptMovements(HASH_KEY);
  const map = new Map<string, KeptMovement>();
  for (let i = 0; i < scaled(MOVEMENTS); i++) {
    const movement = randomMovement();
    const known = map.get(keyOf(movement)) ?? null;
    const { command, uid, requestId } = movement;
    assert.deepEqual(memory.find(command, uid, requestId), known);
    if (known !== null) continue;
    memory.add(movement);
    map.set(keyOf(movement), movement);
    if (random.chance(2 / MOVEMENTS)) {
      const restored = new KeptMovements(OTHER_HASH_KEY);
      for (const bytes of memory.rows()) restored.restore(bytes.slice());
      assert.deepEqual([...restored.rows()], [...memory.rows()]);
      memory = restored;
    }
  }
  assert.equal(memory.size, map.size);
  for (const movement of map.values()) {
    const { command, uid, requestId, assetIndex } = movement;
    assert.deepEqual(memory.find(command, uid, requestId), movement);
    assert.ok(memory.hasAsset(assetIndex));
  }
  assert.equal(memory.hasAsset(10), false);
});

test("movements that differ in command, user or id alone are two though their hashes meet", () => {
  const memory = new KeptMovements(HASH_KEY);
  const movement = {
    ...randomMovement(),
    command: "deposit-funds",
    uid: 7,
    requestId: "a",
  } as const;
  memory.add(movement);
  const isTaken = (command: KeptMovement["command"], uid: number, requestId: string): boolean => {
    memory.find(command, uid, requestId);
    // What the table asks about every row of the same hash.
    return memory.isSought(0);
  };
  assert.equal(isTaken("deposit-funds", 7, "a"), true);
  assert.equal(isTaken("withdraw-funds", 7, "a"), false);
  assert.equal(isTaken("deposit-funds", 8, "a"), false);
  assert.equal(isTaken("deposit-funds", 7, "b"), false);
});

test("a movement costs no more than its bytes and a place in a table", () => {
  const memory = new KeptMovements(HASH_KEY);
  const movement = { ...randomMovement(), uid: 100_001, balanceMinor: 10n ** 15n };
  for (let i = 0; i < MOVEMENTS; i++) {
    const requestId = `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
    memory.add({ ...movement, requestId, amountMinor: 10n ** 15n });
  }
  const bytesEach = memory.byteLength / MOVEMENTS;
  assert.ok(bytesEach < BYTES_EACH_MAX, `${bytesEach} bytes`);
});
