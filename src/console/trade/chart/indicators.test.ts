/** Proves that periods are read with care, and the volume-weighted average price by hand. */
import assert from "node:assert/strict";
import test from "node:test";
import { INDICATORS, type IndicatorKind, readPeriods, usualPeriods, vwapOf } from "./indicators.ts";

const kindOf = (name: IndicatorKind["name"]): IndicatorKind =>
  INDICATORS.find((kind) => kind.name === name) as IndicatorKind;

test("periods are whole numbers to 500; empty lines are left out, needed ones are as usual", () => {
  assert.deepEqual(readPeriods(kindOf("MA"), [5, "", 20]), [5, 20]);
  assert.deepEqual(readPeriods(kindOf("MA"), ["5", "10", "501"]), [5, 10]);
  assert.deepEqual(readPeriods(kindOf("MACD"), [0, 1.5, "x"]), [12, 26, 9]);
  assert.deepEqual(readPeriods(kindOf("RSI"), []), [14]);
  assert.deepEqual(readPeriods(kindOf("VOL"), [""]), []);
  assert.deepEqual(usualPeriods(kindOf("VOL")), []);
  assert.deepEqual(usualPeriods(kindOf("BOLL")), [20, 2]);
});

const HOUR = 3_600_000;
const candle = (hours: number, price: number, volume: number) => ({
  timestamp: hours * HOUR,
  high: price + 3,
  low: price - 3,
  close: price,
  volume,
});

test("VWAP weighs typical prices by volume, and starts anew with its session", () => {
  const candles = [candle(0, 100, 0), candle(1, 100, 1), candle(2, 130, 2), candle(24, 50, 7)];
  assert.deepEqual(vwapOf(candles, 1), [{}, { vwap: 100 }, { vwap: 120 }, { vwap: 50 }]);
  assert.deepEqual(vwapOf(candles, 2).at(-1), { vwap: (100 + 260 + 350) / 10 });
});
