/**
 * Proves that a secret and the mark of a venue that goes back are durable at once: they are in the
 * file that SQLite has synced, without the log that a power cut may lose.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { WebhookStore } from "./webhook-store.ts";

test("what must not be lost is in the synced file when it was kept", async (t) => {
  const [folder, other] = ["kept", "left"].map((name) => mkdtempSync(join(tmpdir(), name))) as [
    string,
    string,
  ];
  t.after(() => {
    for (const made of [folder, other]) rmSync(made, { recursive: true });
  });
  const store = new WebhookStore(folder);
  t.after(() => store.close());
  const left = () => {
    copyFileSync(join(folder, "webhooks.db"), join(other, "webhooks.db"));
    const copy = new WebhookStore(other);
    const found = copy.find("wh_1");
    copy.delete();
    return found;
  };
  await store.put("wh_1", { secret: "first", position: 0 });
  assert.deepEqual(left(), { secret: "first", position: 0, backToSequence: null });
  await store.put("wh_1", { secret: "second", position: 7 });
  assert.deepEqual(left(), { secret: "second", position: 7, backToSequence: null });
  store.goBack(5);
  assert.deepEqual(left(), { secret: "second", position: 7, backToSequence: 5 });
});
