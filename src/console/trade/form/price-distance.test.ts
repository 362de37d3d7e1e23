/** Proves the words for how far a price is from the last one. */
import assert from "node:assert/strict";
import test from "node:test";
import { distanceText } from "./price-distance.ts";

test("a price is placed against the last one, cut to hundredths of a percent", () => {
  assert.equal(distanceText("100", "100.00"), "At the last price");
  assert.equal(distanceText("98.5", "100"), "1.5% below the last price");
  assert.equal(distanceText("1000", "100"), "900% above the last price");
  assert.equal(distanceText("66.6", "99.9"), "33.33% below the last price");
  assert.equal(distanceText("100.001", "100"), "Just above the last price");
});
