/** Proves the sums of a day, and that transfers, other assets and other days are none of it. */
import assert from "node:assert/strict";
import test from "node:test";
import { realisedDays } from "./realised-days.ts";

const DAY_MS = 86_400_000;
const NOON_MS = Date.parse("2026-11-22T12:00:00Z");

test("fills are split into profit and fee, funding is apart", () => {
  const row = { asset: "USDT", time: NOON_MS, fillFee: "0" } as const;
  const rows = [
    { ...row, incomeType: "position_close_long", income: "9.5", fillFee: "0.5" },
    { ...row, incomeType: "position_open_short", income: "-0.25", fillFee: "0.25" },
    { ...row, incomeType: "position_funding", income: "-1.5" },
    { ...row, incomeType: "deposit", income: "1000" },
    { ...row, incomeType: "position_close_long", income: "7", asset: "BTC" },
    { ...row, incomeType: "position_funding", income: "2", time: NOON_MS - DAY_MS },
    { ...row, incomeType: "position_funding", income: "4", time: NOON_MS - 2 * DAY_MS },
  ] as const;
  assert.deepEqual(realisedDays(rows, "USDT", "2026-11-22", 2), [
    { date: "2026-11-21", realised: "0", fees: "0", funding: "2" },
    { date: "2026-11-22", realised: "10", fees: "-0.75", funding: "-1.5" },
  ]);
});
