/**
 * Proves that the formats on disk stay what they are: a fixed journal and a fixed snapshot make the
 * same bytes as ever. A failure here means that data written by earlier versions may not be read
 * any more: raise the format version, keep a reader for the old one, and only then change the hash.
 * The ring grew by fields in what was zeros: one without them is the old one, and is read. Also
 * that a burst of appends is one commit.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { crc32 } from "node:zlib";
import { FaultyFileSystem, SimulatedDisk } from "../../test/support/simulated-disk.ts";
import type { AppendResult, Batch } from "../protocol/index.ts";
import { openFileJournal } from "./file-journal.ts";
import { openSnapshotFiles } from "./snapshots/snapshot-files.ts";

const SEGMENT_SHA256 = "eb2aaea98bfb1f30eabbc777ac7f5ae699b2ce6b45e8f59b335fc20fa0cee1b6";
const RING_SHA256 = "20a3fee573e19f340eb7c540f5481e6f2b157cfdd2e24fa2568d1e3cdbdfb64b";
/** Of the same journal, before entries told what was acknowledged and counted empty sectors. */
const OLDER_RING_SHA256 = "030f6170f32c4ddc822b3205f11b1e9c9a531c5f2be9ac5a08fd8bb6752f8331";
const SLOT_BYTES = 128;
const SNAPSHOT_SHA256 = "24be4ef7d414192acf0f09a15b40a97c5eeda208a7a9f8b84ac4dadfa89664b4";

function sha256(bytes: Uint8Array | undefined): string {
  return createHash("sha256")
    .update(bytes ?? new Uint8Array())
    .digest("hex");
}

async function openOn(fileSystem: FaultyFileSystem, preallocatedBytes: number) {
  const opening = await openFileJournal({ folder: "/journal", fileSystem, preallocatedBytes });
  assert.ok(opening.ok);
  return opening.journal;
}

test("segment and ring are written in format version 1", async () => {
  const disk = new SimulatedDisk();
  const journal = await openOn(new FaultyFileSystem(disk), 1024);
  const batches: Batch[] = [
    {
      firstSequence: 1,
      timestampMs: 1_700_000_000_000,
      records: [Uint8Array.of(1, 2, 3)],
      eventDigest: null,
    },
    {
      firstSequence: 2,
      timestampMs: 1_700_000_000_001,
      records: [Uint8Array.of(4), new Uint8Array(0), Uint8Array.of(5, 6)],
      eventDigest: new Uint8Array(32).fill(9),
    },
  ];
  for (const batch of batches) {
    assert.equal(await journal.append(batch.firstSequence - 1, 1, batch), "durable");
  }
  await journal.close();
  assert.equal(sha256(disk.file("/journal/0000000000000001.segment")), SEGMENT_SHA256);
  const ring = disk.file("/journal/header.ring") as Uint8Array;
  assert.equal(sha256(ring), RING_SHA256);
  const older = asOlderVersion(ring, batches.length);
  assert.equal(sha256(older), OLDER_RING_SHA256);
  disk.place("/journal/header.ring", older);
  const again = await openOn(new FaultyFileSystem(disk), 1024);
  assert.equal(again.lastSequence, 4);
  await again.close();
});

/** Without the fields that came later, and without the entry of the last answer. */
function asOlderVersion(ring: Uint8Array, entries: number): Uint8Array {
  const older = new Uint8Array(ring.length);
  for (let start = 0; start < entries * SLOT_BYTES; start += SLOT_BYTES) {
    const slot = older.subarray(start, start + SLOT_BYTES);
    slot.set(ring.subarray(start, start + 72));
    const view = new DataView(slot.buffer, slot.byteOffset, SLOT_BYTES);
    view.setUint32(SLOT_BYTES - 4, crc32(slot.subarray(0, SLOT_BYTES - 4)), true);
  }
  return older;
}

test("a snapshot is written in format version 1", async () => {
  const disk = new SimulatedDisk();
  const fileSystem = new FaultyFileSystem(disk);
  const files = openSnapshotFiles({
    folder: "/snapshots",
    fileSystem,
    now: () => 1_700_000_000_999,
  });
  await files.save({
    sequence: 42,
    timestampMs: 1_700_000_000_000,
    clockMs: 1_700_000_000_000,
    rulesVersion: 1,
    stateHash: "ab".repeat(32),
    eventDigest: new Uint8Array(32).fill(1),
    chainHash: new Uint8Array(32).fill(2),
    sections: [{ name: "books", bytes: Uint8Array.of(1, 2, 3) }],
  });
  assert.equal(sha256(disk.file("/snapshots/0000000000000042.snapshot")), SNAPSHOT_SHA256);
});

test("appends that wait for a sync are written and synced together", async () => {
  const disk = new SimulatedDisk();
  let syncs = 0;
  const fileSystem = new FaultyFileSystem(disk, (operation) => {
    if (operation === "sync") syncs++;
    return null;
  });
  const journal = await openOn(fileSystem, 64 * 1024);
  const before = syncs;
  const answers: Promise<AppendResult>[] = [];
  for (let sequence = 1; sequence <= 5; sequence++) {
    const records = [Uint8Array.of(sequence)];
    const batch = { firstSequence: sequence, timestampMs: 1, records, eventDigest: null };
    answers.push(journal.append(sequence - 1, journal.epoch, batch));
  }
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(["durable"]));
  assert.equal(syncs - before, 2, "one of the segment, one of the ring");
  await journal.close();
});
