/** Proves that a depth chart says exact sums and finds the level that a price reaches. */
import assert from "node:assert/strict";
import test from "node:test";
import { depthCurve, depthRange, distanceOf, reachedAt, roundStep } from "./depth-curve.ts";

const SCALE = { priceDecimals: 2, quantityDecimals: 5 };
const BIDS = depthCurve(
  [
    ["99.9", "0.1"],
    ["99.8", "0.2"],
    ["90", "1.00001"],
  ],
  SCALE,
);
const ASKS = depthCurve(
  [
    ["100.1", "0.7"],
    ["104", "0.1"],
  ],
  SCALE,
);

test("sums of quantity and value are exact", () => {
  assert.deepEqual(
    BIDS.map(({ price, quantity, value }) => [price, quantity, value]),
    [
      ["99.9", "0.1", "9.99"],
      ["99.8", "0.3", "29.95"],
      ["90", "1.30001", "119.9509"],
    ],
  );
});

test("the range reaches the farther end on both sides; without two sides there is none", () => {
  const range = depthRange(BIDS, ASKS);
  assert.deepEqual(range, { middle: 100, half: 10, most: 1.30001 });
  assert.equal(depthRange(BIDS, []), null);
  assert.equal(depthRange([], ASKS), null);
});

test("a pointer reaches the last level up to its price, and nothing between the sides", () => {
  assert.equal(reachedAt(BIDS, ASKS, 95)?.point.price, "99.8");
  assert.equal(reachedAt(BIDS, ASKS, 89)?.point.price, "90");
  assert.equal(reachedAt(BIDS, ASKS, 103.9)?.point.price, "100.1");
  assert.deepEqual(reachedAt(BIDS, ASKS, 200), { side: "asks", point: ASKS[1] });
  assert.equal(reachedAt(BIDS, ASKS, 100), undefined);
});

test("labels: the distance from the middle, and round steps of the axis", () => {
  const range = { middle: 100, half: 10, most: 1 };
  assert.equal(distanceOf("99.5", range), "−0.50%");
  assert.equal(distanceOf("100.1", range), "+0.10%");
  assert.equal(roundStep(7), 5);
  assert.equal(roundStep(0.43), 0.2);
  assert.equal(roundStep(1), 1);
});
