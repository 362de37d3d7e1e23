/** Proves which snapshots stay: the last one of each day, for as many days as were asked for. */
import assert from "node:assert/strict";
import test from "node:test";
import { dailySnapshots } from "./snapshot-retention.ts";

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 20_000 * DAY_MS + DAY_MS / 2;

const snapshot = (sequence: number, copiedMs?: number) => ({
  sequence,
  file: { name: `snapshots/${sequence}`, bytes: 1, sha256: "" },
  ...(copiedMs === undefined ? {} : { copiedMs }),
});

test("the last one of each day, for some days", () => {
  // Three a day for ten days, and one of an older version.
  const all = Array.from({ length: 30 }, (_, i) => {
    return snapshot(100 + i, NOW_MS - 9.4 * DAY_MS + (i * DAY_MS) / 3);
  });
  const kept = (days: number) =>
    dailySnapshots([snapshot(1), ...all], days, NOW_MS).map(({ sequence }) => sequence);
  assert.deepEqual(kept(0), []);
  const perDay = (days: number) => new Set(kept(days)).size;
  assert.equal(perDay(1), 1);
  assert.equal(perDay(4), 4);
  assert.equal(Math.max(...kept(1)), 129);
  for (const { sequence, copiedMs = 0 } of all) {
    const day = Math.floor(copiedMs / DAY_MS);
    const isLast = all.every((other) => {
      return other.sequence <= sequence || Math.floor((other.copiedMs ?? 0) / DAY_MS) !== day;
    });
    assert.equal(kept(4).includes(sequence), isLast && day > 20_000 - 4, String(sequence));
  }
});
