/** Proves which candle a fill belongs to, and what is said of the fills of a candle. */
import assert from "node:assert/strict";
import test from "node:test";
import { fillsByCandle, fillsText } from "./own-fills.ts";

const OPENED = [1_000, 2_000, 4_000];
const buy = (time: number, quantity: string, value: string) => ({
  time,
  isBuy: true,
  quantity,
  value,
});

test("a fill is in the last candle that opened before it, in gaps too, and in the open one", () => {
  const fills = [1_000, 1_999, 2_000, 3_500, 4_000, 9_000].map((time) => buy(time, "1", "2"));
  const found = fillsByCandle([...fills, buy(999, "1", "2")], OPENED);
  assert.deepEqual(
    [...found].map(([time, { bought }]) => [time, bought?.quantity]),
    [
      [1_000, "2"],
      [2_000, "2"],
      [4_000, "2"],
    ],
  );
  assert.equal(fillsByCandle(fills, []).size, 0);
});

test("both sides of a candle are said with their average prices", () => {
  const sold = { time: 2_100, isBuy: false, quantity: "0.2", value: "16040" };
  const fills = [buy(2_000, "0.1", "8000"), buy(2_001, "0.3", "24030"), sold];
  const candle = fillsByCandle(fills, OPENED).get(2_000);
  assert.ok(candle !== undefined);
  assert.equal(fillsText(candle, 1), "Bought 0.4 at 80,075.0 · Sold 0.2 at 80,200.0");
  assert.equal(fillsText({ bought: null, sold: candle.sold }, 1), "Sold 0.2 at 80,200.0");
});
