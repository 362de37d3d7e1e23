/** Proves that what a browser kept is read back whole, and that what is wrong in it is left out. */
import assert from "node:assert/strict";
import test from "node:test";
import { type ChartSetup, readSetup } from "./chart-setup.ts";

const WHOLE: ChartSetup = {
  interval: "4h",
  priceType: "MARK_PRICE",
  style: "hollow",
  scale: "logarithm",
  marksFills: false,
  indicators: [
    { name: "BOLL", periods: [20, 2] },
    { name: "MA", periods: [5] },
  ],
  drawings: [
    {
      id: "a",
      tool: "trend",
      points: [
        { time: 1, price: 2 },
        { time: 3, price: 4.5 },
      ],
      text: "",
    },
    { id: "b", tool: "text", points: [{ time: 1, price: 2 }], text: "support" },
  ],
};

test("a setup survives being kept", () => {
  assert.deepEqual(readSetup("contract", JSON.stringify(WHOLE), null), WHOLE);
});

test("a new market begins with volume and with the interval that was used last", () => {
  const first = readSetup("spot", null, "1h");
  assert.equal(first.interval, "1h");
  assert.deepEqual(first.indicators, [{ name: "VOL", periods: [] }]);
  assert.equal(readSetup("spot", null, "7h").interval, "1m");
});

test("what is wrong is left out, alone", () => {
  for (const text of ["", "{", "null", "[]", '"x"', '{"indicators":7,"drawings":{}}']) {
    const setup = readSetup("spot", text, null);
    assert.deepEqual([setup.style, setup.drawings], ["candles", []], text);
  }
  const wrong = {
    ...WHOLE,
    style: "kagi",
    scale: "square",
    indicators: [null, { name: "NVT", periods: [1] }, { name: "RSI", periods: ["x"] }],
    drawings: [
      ...WHOLE.drawings,
      { id: "c", tool: "trend", points: [{ time: 1, price: 2 }] },
      { id: "d", tool: "ray", points: [{ time: "1", price: 2 }, null] },
      { id: 5, tool: "text", points: [{ time: 1, price: 2 }] },
    ],
  };
  const setup = readSetup("spot", JSON.stringify(wrong), null);
  assert.deepEqual(setup, {
    ...WHOLE,
    // Spot has no mark price.
    priceType: "LAST_PRICE",
    style: "candles",
    scale: "normal",
    indicators: [{ name: "RSI", periods: [14] }],
  });
});
