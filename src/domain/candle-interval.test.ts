/**
 * Proves the boundaries of candles against the platform's UTC calendar, for random times and for
 * every month boundary of 400 years.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { CANDLE_INTERVALS, candleOpenMs, candlesBetween } from "./candle-interval.ts";

const random = seededRandom("candle intervals");
const DAY_MS = 86_400_000;

test("months begin on the first and weeks on Monday, at midnight UTC", () => {
  for (let month = 1; month < 400 * 12; month++) {
    const open = Date.UTC(1970, month, 1);
    assert.equal(candleOpenMs("1M", open), open);
    assert.equal(candleOpenMs("1M", open - 1), Date.UTC(1970, month - 1, 1));
    assert.equal(candleOpenMs("1M", open, 1), Date.UTC(1970, month + 1, 1));
    const monday = new Date(candleOpenMs("1w", open));
    assert.equal(monday.getUTCDay(), 1);
    assert.equal(monday.getTime() % DAY_MS, 0);
    assert.ok(monday.getTime() <= open && open < monday.getTime() + 7 * DAY_MS);
  }
});

test("an interval holds its times and is as many intervals away as it says", () => {
  for (let i = 0; i < scaled(2_000); i++) {
    const time = random.integer(0, 4_102_444_800_000);
    const interval = random.pick(CANDLE_INTERVALS);
    const open = candleOpenMs(interval, time);
    assert.ok(open <= time && time < candleOpenMs(interval, time, 1));
    assert.equal(candleOpenMs(interval, candleOpenMs(interval, time, 1) - 1), open);
    const offset = random.integer(-1_000, 1_000);
    assert.equal(candlesBetween(interval, time, candleOpenMs(interval, time, offset)), offset);
  }
});
