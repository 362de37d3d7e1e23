/**
 * Proves that a moment outlives a full disk: without room for the copy of the history it is whole
 * without it, and one that could not be written is written once there is room.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { HASH_KEY } from "../../../test/support/hash-key.ts";
import { appendBatches } from "../../../test/support/journal-workload.ts";
import { Random } from "../../../test/support/random.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { Engine } from "../../engine/engine.ts";
import { openFileJournal, verifyJournal } from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { Moment } from "./moment.ts";

test("a moment is written without the history for which there was no room", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-moment-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const from = join(folder, "journal");
  const opening = await openFileJournal({ folder: from, fileSystem: NODE_PLATFORM.files });
  assert.ok(opening.ok);
  const { journal } = opening;
  await appendBatches(journal, new Random(1), 5, 2, []);
  const sequence = journal.lastSequence;
  const copyTo = async (path: string) => {
    writeFileSync(path, "half of a hist");
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  const sources = {
    platform: NODE_PLATFORM,
    engine: Engine.create(sha256, HASH_KEY),
    history: { writer: { copyTo } },
    keys: { storeBytes: () => Buffer.from("keys") },
    clock: { nowMs: () => 5 },
  };
  const to = join(folder, "moment");
  const digest = new Uint8Array(32);
  const moment = new Moment(sources, to, { sequence, eventDigest: digest });
  await assert.rejects(moment.write("start", join(folder, "no-such-journal")));
  assert.ok(!readdirSync(folder).includes("moment"), "a failure leaves nothing behind");
  const record = await moment.write("start", from);
  assert.deepEqual([record.name, record.sequence, record.clockMs], ["start", sequence, 5]);
  assert.deepEqual(readdirSync(to).sort(), ["checkpoint.json", "journal", "keys.db", "snapshots"]);
  const verified = await verifyJournal({ folder: join(to, "journal") });
  assert.equal(verified.lastSequence, sequence);
  await journal.close();
});
