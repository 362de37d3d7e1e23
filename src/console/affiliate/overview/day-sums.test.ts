/** Proves that cards and chart say what the days say: exact sums, every day once, holes as 0. */
import assert from "node:assert/strict";
import test from "node:test";
import type { CommissionDay } from "../../../client/index.ts";
import { chartColumns, daysOfChart, sumOf, sumOfLast } from "./day-sums.ts";

function day(date: string, coin: string, usdt: string, volume: string): CommissionDay {
  const productType = "SPOT";
  const sums = { commissions: 2, commission: usdt, commissionUsdt: usdt, volumeUsdt: volume };
  return { date, productType, coin, ...sums };
}

const DAYS = [
  day("2026-01-30", "USDT", "0.1", "10"),
  day("2026-02-01", "BTC", "0.2", "20.5"),
  day("2026-02-01", "USDT", "0.00000003", "0"),
  day("2026-02-02", "USDT", "-0.3", "0"),
];

test("sums are exact: floats would say 0.30000000000000004", () => {
  assert.deepEqual(sumOf(DAYS.slice(0, 2)), {
    commissions: 4,
    commissionUsdt: "0.3",
    volumeUsdt: "30.5",
  });
  assert.equal(sumOf(DAYS).commissionUsdt, "0.00000003");
  assert.equal(sumOf([]).commissionUsdt, "0");
});

test("the last days end with today and hold nothing older", () => {
  assert.equal(sumOfLast(DAYS, "2026-02-01", 1).commissionUsdt, "0.20000003");
  assert.equal(sumOfLast(DAYS, "2026-02-01", 2).commissions, 4);
  assert.equal(sumOfLast(DAYS, "2026-02-01", 3).commissionUsdt, "0.30000003");
  assert.equal(sumOfLast(DAYS, "2026-03-01", 1).commissionUsdt, "0");
});

test("the chart has every day once, over the end of a month", () => {
  const days = daysOfChart(DAYS, "2026-02-02", 4);
  assert.deepEqual(
    days.map(({ date, commissionUsdt }) => [date, commissionUsdt]),
    [
      ["2026-01-30", "0.1"],
      ["2026-01-31", "0"],
      ["2026-02-01", "0.20000003"],
      ["2026-02-02", "-0.3"],
    ],
  );
  const [seconds, commissions, volumes] = chartColumns(days);
  assert.equal(seconds[1], Date.UTC(2026, 0, 31) / 1000);
  assert.deepEqual(commissions, [0.1, 0, 0.20000003, -0.3]);
  assert.deepEqual(volumes, [10, 0, 20.5, 0]);
});
