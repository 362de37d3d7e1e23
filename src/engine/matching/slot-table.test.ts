/**
 * Proves that the hash table finds what a Map finds, at every moment of its growth: slots are put
 * in, looked for and taken out while some stand in the new table and some in the former one, with
 * good hashes and with hashes that pile up.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { type SlotKeys, SlotTable } from "./slot-table.ts";

const random = seededRandom("engine/matching/slot-table");
const NONE = -1;

class Keyed implements SlotKeys {
  readonly keys: number[] = [];
  readonly #hash: (key: number) => number;
  sought = 0;

  constructor(hash: (key: number) => number) {
    this.#hash = hash;
  }

  hash(key: number): number {
    return this.#hash(key);
  }

  isSought(slot: number): boolean {
    return this.keys[slot] === this.sought;
  }
}

const HASHES: Readonly<Record<string, (key: number) => number>> = {
  spread: (key) => Math.imul(key, 0x9e3779b1),
  "in long runs": (key) => Math.imul(key % 37, 0x9e3779b1),
  "at the end, so that runs wrap": (key) => -1 - (key % 5) * 0x1000,
};

for (const [name, hash] of Object.entries(HASHES)) {
  test(`the same as a Map, hashes ${name}`, () => {
    const keyed = new Keyed(hash);
    const table = new SlotTable(keyed);
    const model = new Map<number, number>();
    const free: number[] = [];
    const steps = scaled(name === "spread" ? 60_000 : 3_000);
    for (let step = 0; step < steps; step++) {
      const key = random.integer(1, steps);
      const slot = model.get(key);
      // Three insertions for each removal at first, so that it grows; then it empties again.
      if (slot === undefined && random.chance(step < steps * 0.7 ? 0.75 : 0.2)) {
        const taken = free.pop() ?? keyed.keys.length;
        keyed.keys[taken] = key;
        table.insert(taken, keyed.hash(key));
        model.set(key, taken);
      } else if (slot !== undefined) {
        table.remove(slot, keyed.hash(key));
        model.delete(key);
        free.push(slot);
      }
      keyed.sought = random.integer(1, steps);
      assert.equal(table.find(keyed.hash(keyed.sought)), model.get(keyed.sought) ?? NONE);
    }
    for (const [key, slot] of model) {
      keyed.sought = key;
      assert.equal(table.find(keyed.hash(key)), slot);
    }
  });
}

test("a slot that is not in the table cannot be taken out", () => {
  const keyed = new Keyed(HASHES.spread as (key: number) => number);
  keyed.keys.push(1, 2);
  const table = new SlotTable(keyed);
  table.insert(0, keyed.hash(1));
  assert.throws(() => table.remove(1, keyed.hash(2)), /stands in the table/);
});

test("while it grows, the former table counts as memory too", () => {
  const keyed = new Keyed(HASHES.spread as (key: number) => number);
  const table = new SlotTable(keyed);
  const empty = table.byteLength;
  const sizes = new Set<number>();
  for (let key = 1; key <= 100; key++) {
    keyed.keys.push(key);
    table.insert(key - 1, keyed.hash(key));
    sizes.add(table.byteLength / empty);
  }
  assert.deepEqual([...sizes].slice(0, 5), [1, 3, 2, 6, 4]);
});
