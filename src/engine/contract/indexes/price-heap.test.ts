/**
 * Goal: the heap is a map from items to prices whose best price is always on top. Method: random
 * sets, changes, removals and pops, next to a plain Map that is searched in full; the heap's own
 * structure is validated as it goes, and a broken one must be noticed.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random, scaled, seededRandom } from "../../../../test/support/random.ts";
import { NONE } from "../../matching/slot.ts";
import { type HeapOrder, PriceHeap } from "./price-heap.ts";

const seed = seededRandom("price heap").seed;

function bestPrice(model: ReadonlyMap<number, number>, order: HeapOrder): number {
  const prices = [...model.values()];
  return order === "lowest-first" ? Math.min(...prices) : Math.max(...prices);
}

for (const order of ["lowest-first", "highest-first"] as const) {
  test(`${order}: agrees with a map over random operations`, () => {
    const random = new Random(seed);
    const heap = new PriceHeap(order);
    const model = new Map<number, number>();
    for (let step = 0; step < scaled(20_000); step++) {
      // Few prices, so that ties are common; items far apart, so that the arrays grow.
      const item = random.integer(0, 500);
      const ticks = random.chance(0.5) ? random.integer(-20, 20) : random.integer(0, 2 ** 50);
      const kind = random.integer(0, 9);
      if (kind < 6) {
        heap.set(item, ticks);
        model.set(item, ticks);
      } else if (kind < 9) {
        heap.remove(item);
        model.delete(item);
      } else {
        const popped = heap.pop();
        if (model.size === 0) assert.equal(popped, NONE);
        else assert.equal(model.get(popped), bestPrice(model, order));
        model.delete(popped);
      }
      assert.equal(heap.size, model.size);
      assert.equal(heap.has(item), model.has(item));
      if (heap.has(item)) assert.equal(heap.ticks(item), model.get(item));
      if (model.size > 0) {
        assert.equal(heap.topTicks, bestPrice(model, order));
        assert.equal(model.get(heap.top), heap.topTicks);
      } else {
        assert.equal(heap.top, NONE);
      }
      if (step % 100 === 0) heap.validate();
    }
  });

  test(`${order}: everything comes out in order`, () => {
    const random = new Random(seed + 1);
    const heap = new PriceHeap(order);
    const items = random.shuffle(Array.from({ length: 3000 }, (_, item) => item));
    for (const item of items) heap.set(item, random.integer(0, 1000));
    let before = order === "lowest-first" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    while (heap.size > 0) {
      const ticks = heap.topTicks;
      assert.ok(order === "lowest-first" ? ticks >= before : ticks <= before);
      before = ticks;
      heap.pop();
    }
  });
}

test("prices of what is not there are asked for in error", () => {
  const heap = new PriceHeap("lowest-first");
  assert.throws(() => heap.topTicks, /only a heap with items/);
  assert.throws(() => heap.ticks(7), /only an item in the heap/);
  heap.remove(7);
  assert.equal(heap.size, 0);
});
