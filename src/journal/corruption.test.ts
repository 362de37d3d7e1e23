/**
 * Proves that no damage goes unseen: every bit of a small journal (segments raw and compressed,
 * ring, epoch counter) is flipped, and every file is cut at every byte. Each time the journal
 * either refuses, or says what it put right and has every acknowledged batch. It never opens
 * shorter or different.
 */
import assert from "node:assert/strict";
import { basename } from "node:path";
import test from "node:test";
import {
  JOURNAL_FOLDER,
  openOnDisk,
  outcomeOf,
  outcomesOf,
  withFlippedBit,
} from "../../test/support/journal-damage.ts";
import { appendBatches, type Sent } from "../../test/support/journal-workload.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { FaultyFileSystem, SimulatedDisk } from "../../test/support/simulated-disk.ts";
import type { Batch } from "../protocol/index.ts";
import type { FileJournal } from "./file-journal.ts";
import { verifyJournal } from "./repair/inspect.ts";
import { encodedBatchLength } from "./segments/batch-format.ts";
import { compressClosedSegments } from "./segments/compression.ts";
import { listSegments, type SegmentForm, type SegmentName } from "./segments/segment.ts";
import { SegmentScan } from "./segments/segment-scan.ts";

const random = seededRandom("journal corruption");
const RING = "/journal/header.ring";
const EPOCH = "/journal/epoch";

interface Fixture {
  readonly disk: SimulatedDisk;
  readonly batches: readonly Batch[];
  readonly closedSegment: string;
  readonly openSegment: string;
  /** Where the room behind the open segment's last batch begins. */
  readonly roomStart: number;
}

/**
 * A closed segment, compressed or raw, and an open one, with batches that were all acknowledged.
 */
async function writeJournal(form: SegmentForm): Promise<Fixture> {
  const disk = new SimulatedDisk();
  const sent: Sent[] = [];
  const journal = await open(disk);
  await appendBatches(journal, random, 5, 3, sent);
  await journal.roll();
  if (form === "compressed")
    await compressClosedSegments(JOURNAL_FOLDER, new FaultyFileSystem(disk));
  await appendBatches(journal, random, 5, 2, sent);
  await journal.close();
  const segments = [...disk.names.keys()].filter((path) => path.includes(".segment")).sort();
  const [closedSegment, openSegment] = segments as [string, string];
  const batches = sent.map(({ batch }) => batch);
  const roomStart = await endOfBatches(disk);
  return { disk, batches, closedSegment, openSegment, roomStart };
}

async function open(disk: SimulatedDisk): Promise<FileJournal> {
  const opening = await openOnDisk(disk);
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

async function endOfBatches(disk: SimulatedDisk): Promise<number> {
  const fileSystem = new FaultyFileSystem(disk);
  const segment = (await listSegments(fileSystem, JOURNAL_FOLDER)).at(-1) as SegmentName;
  const scan = await SegmentScan.open(fileSystem, segment);
  assert.ok(typeof scan !== "string");
  while ((await scan.next()).kind === "batch");
  return scan.offset;
}

const raw = await writeJournal("raw");
const compressed = await writeJournal("compressed");
const rawSegments = [raw.closedSegment, raw.openSegment];

test("the fixtures are what they should be, and small", () => {
  for (const { disk, closedSegment, openSegment } of [raw, compressed]) {
    const lengths = [closedSegment, openSegment, RING].map((path) => disk.file(path)?.length ?? 0);
    assert.ok(lengths.every((length) => length > 0));
    assert.ok(lengths.reduce((sum, length) => sum + length) <= 16 * 1024);
  }
  assert.ok(raw.closedSegment.endsWith(".segment"));
  assert.ok(compressed.closedSegment.endsWith(".segment.zst"));
});

test("every flipped bit of a closed segment is refused", async () => {
  const outcomes = await outcomesOf("flips", raw.disk, raw.closedSegment);
  assert.deepEqual(new Set(outcomes), new Set(["refused"]));
});

test("every flipped bit of the open segment is refused, or reported in its room", async () => {
  const outcomes = await outcomesOf("flips", raw.disk, raw.openSegment);
  const start = raw.roomStart * 8;
  assert.deepEqual(new Set(outcomes.slice(0, start)), new Set(["refused"]));
  assert.deepEqual(new Set(outcomes.slice(start)), new Set(["reported"]));
});

test("every flipped bit of a compressed segment is refused, or changes no batch", async () => {
  const outcomes = await outcomesOf("flips", compressed.disk, compressed.closedSegment);
  // Some bits of the zstd format mean nothing; the batches behind them were compared.
  const silent = outcomes.filter((outcome) => outcome === "silent");
  assert.ok(silent.length < outcomes.length / 8);
  assert.ok(!outcomes.includes("reported"));
});

for (const path of [RING, EPOCH]) {
  test(`every flipped bit of ${basename(path)} is reported and put right`, async () => {
    const outcomes = await outcomesOf("flips", raw.disk, path);
    assert.deepEqual(new Set(outcomes), new Set(["reported"]));
  });
}

test("a segment that is cut at any byte is refused, but for its room", async () => {
  const closed = await outcomesOf("cuts", raw.disk, raw.closedSegment);
  assert.deepEqual(new Set(closed), new Set(["refused"]));
  const start = raw.roomStart;
  const open = await outcomesOf("cuts", raw.disk, raw.openSegment);
  assert.deepEqual(new Set(open.slice(0, start)), new Set(["refused"]));
  assert.deepEqual(new Set(open.slice(start)), new Set(["silent"]));
});

test("a compressed segment that is cut is refused, but for zstd's checksum", async () => {
  const outcomes = await outcomesOf("cuts", compressed.disk, compressed.closedSegment);
  assert.deepEqual(new Set(outcomes.slice(0, -16)), new Set(["refused"]));
});

test("a ring or an epoch counter that is cut at any byte is put right", async () => {
  for (const path of [RING, EPOCH]) {
    const outcomes = await outcomesOf("cuts", raw.disk, path);
    assert.deepEqual(new Set(outcomes), new Set(["reported"]));
  }
});

test("a compressed segment at the end is gone on behind, or refused", async () => {
  const disk = compressed.disk.fork();
  const fileSystem = new FaultyFileSystem(disk);
  const journal = await open(disk);
  await journal.roll();
  await journal.close();
  await compressClosedSegments(JOURNAL_FOLDER, fileSystem);
  const segments = await listSegments(fileSystem, JOURNAL_FOLDER);
  disk.place((segments.at(-1) as SegmentName).path, null);
  assert.equal(await outcomeOf(disk.fork(), compressed.batches), "silent");
  const { path } = segments.at(-2) as SegmentName;
  const bytes = disk.file(path) as Uint8Array;
  for (let length = 0; length < bytes.length; length += 7) {
    disk.place(path, bytes.slice(0, length));
    assert.equal(await outcomeOf(disk.fork(), compressed.batches), "refused");
  }
});

test("where the ring cannot tell, damage is refused and not taken for a torn commit", async () => {
  const { disk, batches, openSegment, roomStart } = raw;
  const bytes = disk.file(openSegment) as Uint8Array;
  const last = batches.at(-1) as Batch;
  const lastStart = roomStart - encodedBatchLength(last);
  const newestSlot = newestRingSlot(disk);
  for (let round = 0; round < scaled(100); round++) {
    const copy = disk.fork();
    copy.place(
      openSegment,
      withFlippedBit(bytes, random.integer(lastStart * 8, roomStart * 8 - 1)),
    );
    const bit = newestSlot * 1024 + random.integer(0, 1023);
    const ring = withFlippedBit(disk.file(RING) as Uint8Array, bit);
    copy.place(RING, random.chance(0.5) ? ring : null);
    assert.equal(await outcomeOf(copy, batches), "refused");
  }
});

function newestRingSlot(disk: SimulatedDisk): number {
  const ring = Buffer.from(disk.file(RING) as Uint8Array);
  const lastSequences = Array.from({ length: ring.length / 128 }, (_, slot) =>
    ring.readUInt32LE(slot * 128 + 16),
  );
  return lastSequences.indexOf(Math.max(...lastSequences));
}

test("with a ring of long ago, a later batch proves damage", async () => {
  const disk = raw.disk.fork();
  const ringOfLongAgo = disk.file(RING) as Uint8Array;
  const journal = await open(disk);
  const sent: Sent[] = [];
  await appendBatches(journal, random, 6, 1, sent);
  await journal.close();
  disk.place(RING, ringOfLongAgo);
  const all = [...raw.batches, ...sent.map(({ batch }) => batch)];
  assert.equal(await outcomeOf(disk.fork(), all), "reported");
  const bytes = disk.file(raw.openSegment) as Uint8Array;
  const damaged = encodedBatchLength((sent[0] as Sent).batch);
  for (let at = 0; at < damaged; at++) {
    const copy = disk.fork();
    const bit = (raw.roomStart + at) * 8 + random.integer(0, 7);
    copy.place(raw.openSegment, withFlippedBit(bytes, bit));
    assert.equal(await outcomeOf(copy, all), "refused");
  }
});

/** A batch of one record of one byte for each character. */
async function journalOf(contents: string): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const journal = await open(disk);
  for (const [index, byte] of Buffer.from(contents).entries()) {
    const records = [Uint8Array.of(byte)];
    const batch = { firstSequence: index + 1, timestampMs: 1, records, eventDigest: null };
    assert.equal(await journal.append(index, journal.epoch, batch), "durable");
  }
  await journal.close();
  return disk;
}

test("batches of another journal with the same sequences are not taken", async () => {
  const [left, right] = [await journalOf("a".repeat(24)), await journalOf(`A${"a".repeat(23)}`)];
  const path = "/journal/0000000000000001.segment";
  const rightBytes = right.file(path) as Uint8Array;
  // The ring knows the last 16 commits; what differs before it shows by the chain alone.
  for (let count = 1; count < 8; count++) {
    const end = 512 + count * (84 + 8 + 1 + 32);
    const spliced = Buffer.concat([
      (left.file(path) as Uint8Array).subarray(0, end),
      rightBytes.subarray(end),
    ]);
    for (const ring of [left, right].map((disk) => disk.file(RING) as Uint8Array)) {
      const disk = right.fork();
      disk.place(path, spliced);
      disk.place(RING, ring);
      assert.equal((await openOnDisk(disk)).ok, false);
    }
  }
});

test("a missing file is refused or put right", async () => {
  for (const path of [...rawSegments, RING, EPOCH]) {
    const disk = raw.disk.fork();
    disk.place(path, null);
    const outcome = await outcomeOf(disk, raw.batches);
    const expected = path === RING ? "reported" : path === EPOCH ? "silent" : "refused";
    assert.equal(outcome, expected, path);
  }
});

test("sectors that were zeroed, doubled or swapped are refused or reported", async () => {
  for (let round = 0; round < scaled(1000); round++) {
    const path = random.pick([...rawSegments, RING]);
    const bytes = (raw.disk.file(path) as Uint8Array).slice();
    const sector = random.pick([32, 128, 512]);
    const count = Math.ceil(bytes.length / sector);
    const [left, right] = [
      random.integer(0, count - 1) * sector,
      random.integer(0, count - 1) * sector,
    ];
    const kept = bytes.slice(left, left + sector);
    const kind = random.pick(["zeroed", "doubled", "swapped"]);
    if (kind === "zeroed") bytes.fill(0, left, left + sector);
    else bytes.copyWithin(left, right, Math.min(right + sector, bytes.length));
    if (kind === "swapped") bytes.set(kept.subarray(0, bytes.length - right), right);
    const unchanged = Buffer.compare(bytes, raw.disk.file(path) as Uint8Array) === 0;
    const disk = raw.disk.fork();
    disk.place(path, bytes);
    const outcome = await outcomeOf(disk, raw.batches);
    if (unchanged) assert.equal(outcome, "silent");
    // A ring whose entries stand in other slots, or lacks old ones, still says the same.
    else if (path !== RING) assert.notEqual(outcome, "silent", `${path} ${kind} ${left} ${right}`);
  }
});

test("after a report everything is in order again, and the journal can be written on", async () => {
  for (const path of [RING, raw.openSegment]) {
    const bytes = raw.disk.file(path) as Uint8Array;
    for (let round = 0; round < scaled(40); round++) {
      const roomBits = path === RING ? 0 : raw.roomStart * 8;
      const disk = raw.disk.fork();
      const bit = random.integer(roomBits, bytes.length * 8 - 1);
      disk.place(path, withFlippedBit(bytes, bit));
      assert.equal(await outcomeOf(disk, raw.batches), "reported");
      assert.equal(await outcomeOf(disk, raw.batches), "silent");
      const journal = await open(disk);
      const sent: Sent[] = [];
      await appendBatches(journal, random, 5, 2, sent);
      await journal.close();
      const all = [...raw.batches, ...sent.map(({ batch }) => batch)];
      assert.equal(await outcomeOf(disk, all), "silent");
    }
  }
});

test("verify sees every flip that opening and reading refuse, and names the file", async () => {
  for (let round = 0; round < scaled(600); round++) {
    const path = random.pick(rawSegments);
    const bytes = raw.disk.file(path) as Uint8Array;
    const end = path === raw.openSegment ? raw.roomStart : bytes.length;
    const disk = raw.disk.fork();
    disk.place(path, withFlippedBit(bytes, random.integer(0, end * 8 - 1)));
    const fileSystem = new FaultyFileSystem(disk);
    const inspection = await verifyJournal({ folder: JOURNAL_FOLDER, fileSystem });
    assert.equal(inspection.ok, false);
    assert.equal(inspection.damage[0]?.file, path);
  }
});
