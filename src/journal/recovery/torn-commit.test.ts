/**
 * Proves decision 0036. A last commit of several sectors is torn in every way in which a power cut
 * can tear it: every subset of its sectors lost, with and without its entry in the ring, every
 * subset of the ring's sectors, alone and among commits before it. Each time the journal opens by
 * itself with all that was acknowledged. And the other way round: once it was acknowledged, no lost
 * sector, no flipped bit and no cut byte of it makes the journal open without it; only within the
 * moment before the ring says so a lost sector would, which a disk that keeps what it synced
 * does not do.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { openJournal } from "../../../test/support/journal-session.ts";
import {
  appendBatches,
  assertSameBatches,
  lastSequenceOf,
  randomBatch,
  readAll,
  type Sent,
} from "../../../test/support/journal-workload.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { FaultyFileSystem, SimulatedDisk } from "../../../test/support/simulated-disk.ts";
import type { Batch } from "../../protocol/index.ts";
import type { FileJournal } from "../file-journal.ts";
import { verifyJournal } from "../repair/inspect.ts";
import { type RingEntry, readRing } from "../ring/header-ring.ts";
import { segmentPath } from "../segments/segment.ts";
import { countEmptySectors } from "./torn-commit.ts";

const random = seededRandom("torn commits");
const FOLDER = "/journal";
const RING = "/journal/header.ring";
const SECTOR_BYTES = 512;
const RECORD_BYTES = 500;

/** A commit of several batches and sectors: the disk before it, and with it whole. */
interface Fixture {
  readonly before: SimulatedDisk;
  readonly whole: SimulatedDisk;
  readonly entry: RingEntry;
  readonly path: string;
  readonly acknowledged: readonly Batch[];
  readonly all: readonly Batch[];
}

async function open(disk: SimulatedDisk): Promise<FileJournal> {
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

async function writeFixture(earlier: number, batches: number): Promise<Fixture> {
  const disk = new SimulatedDisk();
  const sent: Sent[] = [];
  const journal = await open(disk);
  await appendBatches(journal, random, earlier, 2, sent);
  const before = disk.fork();
  const acknowledged = sent.map(({ batch }) => batch);
  let last = journal.lastSequence;
  const answers: Promise<unknown>[] = [];
  const all = [...acknowledged];
  for (let index = 0; index < batches; index++) {
    const batch = randomBatch(random, last, RECORD_BYTES);
    answers.push(journal.append(last, journal.epoch, batch));
    last = lastSequenceOf(batch);
    all.push(batch);
  }
  await Promise.all(answers);
  const entry = (await ringOf(disk)).at(-1) as RingEntry;
  assert.equal(entry.lastSequence, last, "one commit");
  const path = segmentPath(FOLDER, entry.segmentFirstSequence, "raw");
  return { before, whole: disk.fork(), entry, path, acknowledged, all };
}

async function ringOf(disk: SimulatedDisk): Promise<readonly RingEntry[]> {
  return (await readRing(new FaultyFileSystem(disk), FOLDER)).entries;
}

/** Bounds of the parts of the commit that lie in one sector each. */
function piecesOf({ offset, byteLength }: RingEntry): (readonly [number, number])[] {
  const pieces: (readonly [number, number])[] = [];
  for (let at = offset; at < offset + byteLength; ) {
    const sectorEnd = at + SECTOR_BYTES - (at % SECTOR_BYTES);
    const end = Math.min(offset + byteLength, sectorEnd);
    pieces.push([at, end]);
    at = end;
  }
  return pieces;
}

/** The disk with the commit, of which the pieces whose bits are set in `lost` are as before. */
function withLost(fixture: Fixture, lost: number, ring: SimulatedDisk): SimulatedDisk {
  const { whole, path, entry } = fixture;
  const disk = whole.fork();
  const bytes = (whole.file(path) as Uint8Array).slice();
  for (const [index, [start, end]] of piecesOf(entry).entries()) {
    if ((lost & (1 << index)) !== 0) bytes.fill(0, start, end);
  }
  disk.place(path, bytes);
  disk.place(RING, (ring.file(RING) as Uint8Array).slice());
  return disk;
}

/** What it opens with, and twice the same; null where it refuses. */
async function openedWith(disk: SimulatedDisk): Promise<Batch[] | null> {
  const verified = await verifyJournal({ folder: FOLDER, fileSystem: new FaultyFileSystem(disk) });
  const opening = await openJournal(new FaultyFileSystem(disk));
  if (!opening.ok) return null;
  assert.ok(verified.ok, "what a start puts right is no damage");
  const found = await readAll(opening.journal);
  await opening.journal.close();
  const again = await open(disk);
  assertSameBatches(await readAll(again), found);
  await again.close();
  return found;
}

for (const [earlier, batches] of [
  [0, 3],
  [4, 1],
  [3, 4],
] as const) {
  test(`${batches} batches behind ${earlier}: any lost sectors, ring or not`, async () => {
    for (let round = 0; round < scaled(2); round++) {
      const fixture = await writeFixture(earlier, batches);
      const subsets = 2 ** Math.min(piecesOf(fixture.entry).length, 9);
      for (let lost = 0; lost < subsets; lost++) {
        for (const ring of [fixture.before, fixture.whole]) {
          const found = await openedWith(withLost(fixture, lost, ring));
          assert.ok(found !== null, `lost ${lost.toString(2)}: it refuses`);
          assert.ok(found.length >= fixture.acknowledged.length);
          assertSameBatches(found, fixture.all.slice(0, found.length));
          if (lost === 0) assert.equal(found.length, fixture.all.length);
        }
      }
    }
  });
}

test("cut at any byte, it opens where a whole sector is missing, and else refuses", async () => {
  const fixture = await writeFixture(3, 3);
  const { offset, byteLength } = fixture.entry;
  const [lastStart] = piecesOf(fixture.entry).at(-1) as readonly [number, number];
  for (let length = 0; length < byteLength; length++) {
    const disk = fixture.whole.fork();
    const bytes = (disk.file(fixture.path) as Uint8Array).slice();
    bytes.fill(0, offset + length, offset + byteLength);
    disk.place(fixture.path, bytes);
    const found = await openedWith(disk);
    if (found === null) assert.ok(offset + length > lastStart, `cut at ${length}: it refuses`);
    else assertSameBatches(found, fixture.all.slice(0, found.length));
    if (offset + length <= lastStart) assert.ok(found !== null, `cut at ${length}`);
  }
});

test("when no commit follows, the ring soon says that it was acknowledged", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const disk = new SimulatedDisk();
  const sent: Sent[] = [];
  const journal = await open(disk);
  await appendBatches(journal, random, 5, 2, sent);
  const { lastSequence } = journal;
  const acknowledged = async () => (await ringOf(disk)).at(-1)?.acknowledgedSequence;
  assert.ok(((await acknowledged()) ?? 0) < lastSequence);
  context.mock.timers.tick(1000);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await acknowledged(), lastSequence);
  assert.equal(
    (await ringOf(disk.afterPowerCut("drops-all", random))).at(-1)?.acknowledgedSequence,
    lastSequence,
  );
  const entries = (await ringOf(disk)).length;
  context.mock.timers.tick(5000);
  assert.equal((await ringOf(disk)).length, entries, "it says so once");
  await appendBatches(journal, random, 5, 2, sent);
  assertSameBatches(
    await readAll(journal),
    sent.map(({ batch }) => batch),
  );
  await journal.close();
});

/** Ways to say that the commit was acknowledged, each on its own. */
async function acknowledgedDisks(): Promise<readonly (readonly [string, Fixture])[]> {
  return [
    ["after an orderly end", await writeRested()],
    ["by what stands behind it", await writeFollowed()],
  ];
}

/** Closed, so that the ring has the entry of the answer. */
async function writeRested(): Promise<Fixture> {
  const disk = new SimulatedDisk();
  const sent: Sent[] = [];
  const journal = await open(disk);
  await appendBatches(journal, random, 3, 1, sent);
  const before = disk.fork();
  await appendBatches(journal, random, 2, 2, sent);
  await journal.close();
  const entry = (await ringOf(disk)).at(-1) as RingEntry;
  assert.equal(entry.acknowledgedSequence, entry.lastSequence);
  const all = sent.map(({ batch }) => batch);
  const path = segmentPath(FOLDER, entry.segmentFirstSequence, "raw");
  return { before, whole: disk, entry, path, acknowledged: all, all };
}

/** The next commit was begun: a little of it is there, and its entry is not. */
async function writeFollowed(): Promise<Fixture> {
  const fixture = await writeFixture(3, 3);
  const { entry, path, whole, all } = fixture;
  const written = whole.file(path) as Uint8Array;
  const next = entry.offset + entry.byteLength;
  // In a new segment the file may end with the commit.
  const bytes = new Uint8Array(Math.max(written.length, next + 1));
  bytes.set(written);
  bytes[next] = 0x52;
  whole.place(path, bytes);
  return { ...fixture, acknowledged: all };
}

test("once acknowledged, no lost sector makes it open without the commit", async () => {
  for (const [how, fixture] of await acknowledgedDisks()) {
    const subsets = 2 ** Math.min(piecesOf(fixture.entry).length, 9);
    for (let lost = 1; lost < subsets; lost++) {
      const found = await openedWith(withLost(fixture, lost, fixture.whole));
      assert.equal(found, null, `${how}, lost ${lost.toString(2)}`);
    }
  }
});

test("a flipped bit or a shorter file is never taken for a torn write", async () => {
  const fixture = await writeFixture(2, 3);
  const { offset, byteLength } = fixture.entry;
  const whole = fixture.whole.file(fixture.path) as Uint8Array;
  for (let at = 0; at < byteLength; at++) {
    const flipped = whole.slice();
    flipped[offset + at] = (flipped[offset + at] as number) ^ (1 << random.integer(0, 7));
    for (const bytes of [flipped, whole.slice(0, offset + at)]) {
      const disk = fixture.whole.fork();
      disk.place(fixture.path, bytes);
      assert.equal(await openedWith(disk), null, `byte ${at}`);
    }
  }
});

test("a damaged ring proves nothing", async () => {
  const fixture = await writeFixture(3, 3);
  const ring = fixture.whole.file(RING) as Uint8Array;
  for (let slot = 0; slot < 16; slot++) {
    const bytes = ring.slice();
    bytes[slot * 128 + 20] = (bytes[slot * 128 + 20] as number) ^ 1;
    const disk = withLost(fixture, 1, fixture.whole);
    disk.place(RING, bytes);
    // Without the commit's own entry the ring does not vouch for it, as long as it is not in doubt.
    const found = await openedWith(disk);
    assert.equal(found, null, `slot ${slot}`);
  }
});

test("sectors that are empty by themselves are no lost ones", () => {
  const bytes = new Uint8Array(3 * SECTOR_BYTES).fill(1);
  assert.equal(countEmptySectors(bytes, 0), 0);
  bytes.fill(0, SECTOR_BYTES, 2 * SECTOR_BYTES);
  assert.equal(countEmptySectors(bytes, 0), 1);
  assert.equal(countEmptySectors(bytes, 100), 0);
  assert.equal(countEmptySectors(bytes.subarray(SECTOR_BYTES - 5), SECTOR_BYTES - 5), 1);
  assert.equal(countEmptySectors(new Uint8Array(10), 507), 2);
});
