/** Proves by examples how an order's fills are tracked: as it arrives, rests and ends. */
import assert from "node:assert/strict";
import test from "node:test";
import { NO_FILLS, OrderTracker } from "./order-tracker.ts";

interface Terms {
  readonly orderId: number;
  readonly createdMs: number;
  readonly price: string;
}

const terms: Terms = { orderId: 7, createdMs: 1, price: "10" };

const fill = (lots: number, priceTicks: number) => ({
  lots,
  valueMinor: BigInt(lots * priceTicks),
  feeMinor: 1n,
  realizedMinor: 0n,
  priceTicks,
});

test("fills of an order that comes in are told once, with what becomes of it", () => {
  const tracker = new OrderTracker<Terms>();
  tracker.filled(7, fill(2, 10), 1);
  tracker.filled(7, fill(3, 12), 1);
  assert.deepEqual(tracker.take(), [], "it is neither open nor ended yet");
  tracker.opened(terms, { lots: 5, valueMinor: 56n }, 1);
  const [opened, ...others] = tracker.take();
  assert.equal(others.length, 0);
  assert.equal(opened?.status, "NEW");
  const totals = { ...NO_FILLS, lots: 5, valueMinor: 56n, feeMinor: 2n };
  assert.deepEqual(opened?.totals, { ...totals, latestTicks: 12, maxTicks: 12, minTicks: 10 });
  assert.deepEqual(tracker.take(), []);
});

test("a resting order is told after each command, and is forgotten with its end", () => {
  const tracker = new OrderTracker<Terms>();
  tracker.load(terms, { ...NO_FILLS, lots: 1, valueMinor: 10n, feeMinor: 4n }, 5);
  assert.deepEqual(tracker.take(), [], "what was there before is no news");
  tracker.filled(7, fill(2, 9), 6);
  tracker.filled(7, fill(1, 9), 6);
  const [partly] = tracker.take();
  assert.deepEqual([partly?.totals.lots, partly?.totals.valueMinor], [4, 37n]);
  assert.deepEqual([partly?.status, partly?.updatedMs], ["NEW", 6]);
  tracker.filled(7, fill(6, 9), 7);
  const end = { status: "FILLED", reason: "filled" } as const;
  tracker.ended(terms, { lots: 10, valueMinor: 91n }, end, 7);
  const [ended, ...others] = tracker.take();
  assert.equal(others.length, 0);
  assert.deepEqual([ended?.status, ended?.totals.feeMinor], ["FILLED", 7n]);
  assert.equal(tracker.termsOf(7), null);
});

test("an amended order goes on with what it has filled, in place or as one that comes in", () => {
  const tracker = new OrderTracker<Terms>();
  tracker.load(terms, { ...NO_FILLS, lots: 1, valueMinor: 10n }, 5);
  tracker.filled(7, fill(2, 9), 6);
  tracker.take();
  tracker.amended({ ...terms, price: "10" }, true, 7);
  const [kept] = tracker.take();
  assert.deepEqual([kept?.status, kept?.totals.lots, kept?.updatedMs], ["NEW", 3, 7]);

  const moved = { ...terms, price: "8" };
  tracker.amended(moved, false, 8);
  assert.equal(tracker.termsOf(7), null, "it is in no book");
  assert.deepEqual(tracker.take(), [], "it is neither open nor ended yet");
  tracker.filled(7, fill(1, 8), 8);
  tracker.opened({ ...moved, createdMs: 8 }, { lots: 4, valueMinor: 36n }, 8);
  const [opened, ...others] = tracker.take();
  assert.equal(others.length, 0);
  assert.deepEqual(opened?.terms, moved, "it was placed when it was placed");
  assert.deepEqual([opened?.totals.lots, opened?.totals.feeMinor], [4, 2n]);
  assert.deepEqual([opened?.totals.minTicks, opened?.totals.maxTicks], [8, 9]);
});
