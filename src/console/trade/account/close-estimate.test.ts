/** Proves what closing at market is said to do, level by level, on both sides. */
import assert from "node:assert/strict";
import test from "node:test";
import { estimateClose, markOf, profitOfClosing } from "./close-estimate.ts";

const BOOK = {
  bids: [
    ["100", "1"],
    ["98", "2"],
  ],
  asks: [
    ["102", "1"],
    ["105", "1"],
  ],
} as const;
const LONG = { side: "LONG", size: "2", openValue: "190" } as const;
const SHORT = { ...LONG, side: "SHORT" } as const;

test("a long sells into the bids, a short buys from the asks, the last level in part", () => {
  assert.deepEqual(estimateClose(LONG, "2", BOOK, "101"), {
    averagePrice: "99",
    filled: "2",
    slippage: "1.98",
    profit: "8",
  });
  assert.deepEqual(estimateClose(SHORT, "1.5", BOOK, "101"), {
    averagePrice: "103",
    filled: "1.5",
    slippage: "1.98",
    profit: "-12",
  });
});

test("a thin book fills what it holds, an empty one nothing", () => {
  const thin = estimateClose({ ...LONG, size: "10", openValue: "950" }, "10", BOOK, "101");
  assert.deepEqual([thin.filled, thin.profit], ["3", "11"]);
  assert.deepEqual(estimateClose(LONG, "2", { bids: [], asks: [] }, "101"), {
    averagePrice: "0",
    filled: "0",
    slippage: "0",
    profit: "0",
  });
});

test("profit and mark price follow from what the position was opened for", () => {
  assert.equal(profitOfClosing(LONG, "1", "100"), "5");
  assert.equal(profitOfClosing(SHORT, "1", "100"), "-5");
  assert.equal(markOf({ ...LONG, unrealizePnl: "12" }), "101");
  assert.equal(markOf({ ...SHORT, unrealizePnl: "-12" }), "101");
});
