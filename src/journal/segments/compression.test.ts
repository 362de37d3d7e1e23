/**
 * Proves that compressing closed segments changes nothing that can be read: for whoever reads
 * meanwhile, after a crash or an error at any of its calls, and with the raw file kept while its
 * content is in doubt.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { zstdCompressSync } from "node:zlib";
import { openJournal, untilStopped } from "../../../test/support/journal-session.ts";
import {
  appendBatches,
  assertSameBatches,
  collect,
  readAll,
  type Sent,
} from "../../../test/support/journal-workload.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import {
  type Fault,
  type FaultPlan,
  FaultyFileSystem,
  SimulatedDisk,
} from "../../../test/support/simulated-disk.ts";
import type { FileAccess, OpenFile } from "../../platform/index.ts";
import type { Batch } from "../../protocol/index.ts";
import { DamagedJournal } from "../damage.ts";
import { openFileJournal } from "../file-journal.ts";
import { compressClosedSegments } from "./compression.ts";
import { openJournalReader } from "./journal-reader.ts";
import { listSegments, type SegmentName } from "./segment.ts";
import { SegmentScan } from "./segment-scan.ts";

const random = seededRandom("segment compression");
const FOLDER = "/journal";

async function closedJournal(): Promise<{ disk: SimulatedDisk; batches: Batch[] }> {
  const disk = new SimulatedDisk();
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok);
  const { journal } = opening;
  const sent: Sent[] = [];
  for (let round = 0; round < 2; round++) {
    await appendBatches(journal, random, 5, 3, sent);
    await journal.roll();
  }
  await appendBatches(journal, random, 3, 3, sent);
  await journal.close();
  return { disk, batches: sent.map(({ batch }) => batch) };
}

async function assertReadsAs(disk: SimulatedDisk, batches: readonly Batch[]): Promise<void> {
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  assertSameBatches(await readAll(opening.journal), batches);
  await opening.journal.close();
}

test("compressed segments read as the raw ones did, from every sequence", async () => {
  const { disk, batches } = await closedJournal();
  const fileSystem = new FaultyFileSystem(disk);
  const reader = openJournalReader(FOLDER, fileSystem);
  const last = batches.at(-1) as Batch;
  const lastSequence = last.firstSequence + last.records.length - 1;
  const expected: Batch[][] = [];
  for (let from = 1; from <= lastSequence; from++) {
    expected.push(await collect(reader.read(from, lastSequence)));
  }
  const compressed = await compressClosedSegments(FOLDER, fileSystem);
  assert.equal(compressed.length, 2);
  assert.deepEqual(await compressClosedSegments(FOLDER, fileSystem), []);
  assert.equal([...disk.names.keys()].filter((path) => path.endsWith(".segment")).length, 1);
  for (const [index, found] of expected.entries()) {
    assertSameBatches(await collect(reader.read(index + 1, lastSequence)), found);
  }
  await assertReadsAs(disk, batches);
});

test("a reader, a writer and the compressor do not disturb each other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-compression-"));
  try {
    const sizes = { segmentBytes: 20_000, preallocatedBytes: 8_000 };
    const opening = await openFileJournal({ folder, ...sizes });
    assert.ok(opening.ok);
    const { journal } = opening;
    const abort = new AbortController();
    const tail = collect(journal.tail(1, abort.signal));
    const sent: Sent[] = [];
    for (let round = 0; round < scaled(15); round++) {
      const writing = appendBatches(journal, random, 60, 8, sent);
      const compressing = compressClosedSegments(folder);
      const reader = openJournalReader(folder);
      const read = await collect(reader.read(1, journal.lastSequence));
      await Promise.all([writing, compressing]);
      assertSameBatches(
        read,
        sent.slice(0, read.length).map(({ batch }) => batch),
      );
    }
    const batches = sent.map(({ batch }) => batch);
    assertSameBatches(await readAll(journal), batches);
    await journal.close();
    assertSameBatches(await tail, batches.slice(0, (await tail).length));
    const names = readdirSync(folder);
    assert.ok(names.some((name) => name.endsWith(".zst")));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a crash or an error at any call leaves a journal that reads the same", async () => {
  const { disk, batches } = await closedJournal();
  const faults: readonly Fault[] = [
    { kind: "stop" },
    { kind: "error", code: "EIO" },
    { kind: "error", code: "ENOSPC" },
  ];
  for (const fault of faults) {
    for (let index = 0, reached = true; reached; index++) {
      const copy = disk.fork();
      const plan: FaultPlan = (_operation, call) => (call === index ? fault : null);
      const machine = new FaultyFileSystem(copy, plan, new Random(index));
      await untilStopped(machine, tryToCompress(machine));
      reached = machine.calls > index;
      await assertReadsAs(copy.afterKill(), batches);
      const left = copy.afterPowerCut("tears", random);
      await assertReadsAs(left, batches);
      await compressClosedSegments(FOLDER, new FaultyFileSystem(left));
      await assertReadsAs(left, batches);
    }
  }
});

async function tryToCompress(machine: FaultyFileSystem): Promise<void> {
  try {
    await compressClosedSegments(FOLDER, machine);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.match(error.message, /simulated/);
  }
}

/** A disk that gives back an older state of a file: whole, and short of its end. */
class ForgetfulFileSystem extends FaultyFileSystem {
  readonly #older: Uint8Array;

  constructor(disk: SimulatedDisk, older: Uint8Array) {
    super(disk);
    this.#older = older;
  }

  override async open(path: string, access: FileAccess): Promise<OpenFile> {
    if (access === "read" && path.endsWith(".zst.tmp")) this.disk.place(path, this.#older);
    return super.open(path, access);
  }
}

test("a compressed form that is whole but holds less does not replace the raw one", async () => {
  const { disk, batches } = await closedJournal();
  const [path] = [...disk.names.keys()].filter((name) => name.endsWith(".segment")).sort();
  const raw = disk.file(path as string) as Uint8Array;
  const shorter = zstdCompressSync(raw.subarray(0, await endOfBatch(disk, batches[1] as Batch)));
  await assert.rejects(
    compressClosedSegments(FOLDER, new ForgetfulFileSystem(disk, shorter)),
    /does not hold what the raw one does/,
  );
  assert.deepEqual(disk.file(path as string), raw);
  await assertReadsAs(disk, batches);
});

/** Where in the first segment the batch ends. */
async function endOfBatch(disk: SimulatedDisk, batch: Batch): Promise<number> {
  const fileSystem = new FaultyFileSystem(disk);
  const [segment] = await listSegments(fileSystem, FOLDER);
  const scan = await SegmentScan.open(fileSystem, segment as SegmentName);
  assert.ok(typeof scan !== "string");
  while (scan.position.sequence < batch.firstSequence) await scan.next();
  await scan.close();
  return scan.offset;
}

/** Flips a bit of the second segment. */
function damage(disk: SimulatedDisk, at: number): { path: string; bytes: Uint8Array } {
  const path = [...disk.names.keys()]
    .filter((name) => name.endsWith(".segment"))
    .sort()[1] as string;
  const bytes = (disk.file(path) as Uint8Array).slice();
  bytes[at] = (bytes[at] as number) ^ 1;
  disk.place(path, bytes);
  return { path, bytes };
}

test("a damaged segment is not compressed away", async () => {
  const { disk } = await closedJournal();
  const { path, bytes } = damage(disk, 700);
  await assert.rejects(
    compressClosedSegments(FOLDER, new FaultyFileSystem(disk)),
    (error) => error instanceof DamagedJournal && error.refusal.file === path,
  );
  assert.deepEqual(disk.file(path), bytes);
});

test("a reader names a segment with a damaged header, from its first byte on", async () => {
  const { batches, disk } = await closedJournal();
  const { path } = damage(disk, 0);
  await assert.rejects(assertReadsAs(disk, batches), (error) => {
    assert.ok(error instanceof DamagedJournal);
    assert.deepEqual([error.refusal.file, error.refusal.offset], [path, 0]);
    return true;
  });
});
