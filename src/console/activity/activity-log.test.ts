/** Proves that the log keeps the newest, survives a reload and damage, and knows what was read. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Activity } from "./activity.ts";
import { ActivityLog, unreadCount } from "./activity-log.ts";

// No page draws here.
globalThis.requestAnimationFrame = () => 0;

function memory() {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

const activity = (atMs: number): Activity => ({
  atMs,
  text: `at ${atMs}`,
  tone: "plain",
  isNews: true,
});

test("newest first, at most 200, read marks and all after a reload", () => {
  const storage = memory();
  const log = new ActivityLog("key", storage);
  for (let i = 1; i <= 250; i++) log.add(activity(i));
  assert.equal(unreadCount(log.live.get()), 200);
  log.markRead();
  log.add(activity(100));
  const again = new ActivityLog("key", storage).live.get();
  assert.deepEqual([again.entries.length, again.entries[0]?.id, again.seenMs], [200, 251, 250]);
  assert.equal(unreadCount(again), 1);
  assert.deepEqual(new ActivityLog("other", storage).live.get().entries, []);
});

test("the account was seen up to the latest moment", () => {
  const log = new ActivityLog("key", memory());
  assert.equal(log.live.get().seenMs, null);
  log.seen(500);
  log.add(activity(400));
  assert.equal(log.live.get().seenMs, 500);
});

test("damage in the storage, or a full one, costs what was kept and no more", () => {
  const storage = memory();
  for (const text of ["{", "5", '{"entries":3}', "null"]) {
    storage.values.set("rialto.activity.key", text);
    assert.deepEqual(new ActivityLog("key", storage).live.get().entries, []);
  }
  const full = {
    ...storage,
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  const log = new ActivityLog("key", full);
  log.add(activity(1));
  assert.equal(log.live.get().entries.length, 1);
});
