/**
 * Proves that a backup is whole or not at all: the machine stops, or a call fails, at every call of
 * a run that adds to an earlier backup; the folder then has the earlier one or the later one, each
 * with every batch that was acknowledged when it was asked for, and the next run takes it up. From
 * a backup any command can be restored, in the middle of a batch too, and each byte that is wrong,
 * missing or too much is found and named.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { untilStopped } from "../../../test/support/journal-session.ts";
import {
  appendBatches,
  collect,
  lastSequenceOf,
  readAll,
  type Sent,
} from "../../../test/support/journal-workload.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import {
  type FaultPlan,
  FaultyFileSystem,
  type PowerCut,
  SimulatedDisk,
} from "../../../test/support/simulated-disk.ts";
import type { Batch } from "../../protocol/index.ts";
import { DamagedJournal } from "../damage.ts";
import { type FileJournal, openFileJournal } from "../file-journal.ts";
import { verifyJournal, verifyJournalEnd } from "../repair/inspect.ts";
import { compressClosedSegments } from "../segments/compression.ts";
import { openJournalReader } from "../segments/journal-reader.ts";
import { BackupFolder } from "./backup-folder.ts";
import { type BackupManifest, DamagedBackup, filesOf } from "./backup-manifest.ts";
import { restoreLog } from "./log-restoring.ts";
import { DivergedBackup, endOf, shipLog } from "./log-shipping.ts";

const random = seededRandom("backup of the journal");
const JOURNAL = "/data/journal";
const TARGET = "/backup";
const SIZES = { segmentBytes: 3000, preallocatedBytes: 800 };
const VENUE = { id: "a venue", sandbox: false, clockBehindMs: 0 };

async function open(machine: FaultyFileSystem, folder = JOURNAL): Promise<FileJournal> {
  const opening = await openFileJournal({ folder, fileSystem: machine, ...SIZES });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

/** What a run of the command does, but for files outside of the journal. */
async function backUp(machine: FaultyFileSystem, check: "all" | "size" = "all"): Promise<number> {
  const { lastSequence, damage } = await verifyJournalEnd({ folder: JOURNAL, fileSystem: machine });
  const [problem] = damage;
  if (problem !== undefined) throw new DamagedJournal(problem);
  const target = new BackupFolder(machine, TARGET);
  const earlier = await target.readManifest();
  await target.prepare();
  const segments = await shipLog({
    fileSystem: machine,
    journalFolder: JOURNAL,
    throughSequence: lastSequence,
    target,
    earlier: earlier?.segments ?? [],
    check,
  });
  const sequence = endOf(segments)?.sequence ?? 0;
  const manifest: BackupManifest = {
    sequence,
    takenMs: 0,
    venue: VENUE,
    segments,
    snapshots: [],
    keys: null,
  };
  await target.commit(manifest);
  await target.prune(manifest);
  return sequence;
}

/** The records of the log that a backup restores to, up to a sequence. */
async function restored(disk: SimulatedDisk, through: number | null = null): Promise<string[]> {
  const machine = new FaultyFileSystem(disk.fork());
  const source = new BackupFolder(machine, TARGET);
  const manifest = await source.readManifest();
  assert.ok(manifest !== null);
  const folder = "/new/journal";
  const limit = { sequence: through ?? manifest.sequence };
  const end = await restoreLog({ fileSystem: machine, source, manifest, folder, limit });
  assert.equal(end, limit.sequence);
  const inspection = await verifyJournal({ folder, fileSystem: machine });
  assert.deepEqual([inspection.damage, inspection.notes], [[], []]);
  const journal = await open(machine, folder);
  const records = recordsOf(await readAll(journal));
  await appendBatches(journal, new Random(3), 2, 2, []);
  await journal.close();
  assert.deepEqual((await verifyJournal({ folder, fileSystem: machine })).damage, []);
  return records;
}

function recordsOf(batches: Iterable<Batch>): string[] {
  return [...batches].flatMap(({ records }) =>
    [...records].map((record) => Buffer.from(record).toString("hex")),
  );
}

function sentRecords(sent: readonly Sent[]): string[] {
  return recordsOf(sent.map(({ batch }) => batch));
}

interface Prepared {
  readonly disk: SimulatedDisk;
  readonly sent: readonly Sent[];
  /** The end of the earlier backup. */
  readonly earlier: number;
}

/** A backup, and a journal that went on: in the same segment or others, compressed or not. */
async function prepare(seed: number): Promise<Prepared> {
  const disk = new SimulatedDisk();
  const machine = new FaultyFileSystem(disk);
  const draw = new Random(seed);
  const journal = await open(machine);
  const sent: Sent[] = [];
  let earlier = 0;
  for (let run = draw.integer(1, 3); run > 0; run--) {
    await appendBatches(journal, draw, draw.integer(3, 12), 4, sent);
    if (draw.chance(0.3)) await journal.roll();
    if (draw.chance(0.3)) await compressClosedSegments(JOURNAL, machine);
    earlier = await backUp(machine);
  }
  assert.equal(earlier, journal.lastSequence);
  await appendBatches(journal, draw, draw.integer(2, 10), 4, sent);
  if (draw.chance(0.5)) await journal.roll();
  if (draw.chance(0.5)) await compressClosedSegments(JOURNAL, machine);
  await journal.close();
  return { disk, sent, earlier };
}

/** Every name in the target that a restore would not read. */
function strays(disk: SimulatedDisk, manifest: BackupManifest): string[] {
  const named = new Set(filesOf(manifest).map(({ name }) => `${TARGET}/${name}`));
  named.add(`${TARGET}/manifest.json`);
  return [...disk.names.keys()].filter((path) => path.startsWith(TARGET) && !named.has(path));
}

async function checkLeft(disk: SimulatedDisk, { sent, earlier }: Prepared): Promise<boolean> {
  const all = sentRecords(sent);
  const machine = new FaultyFileSystem(disk);
  const found = await new BackupFolder(machine, TARGET).readManifest();
  assert.ok(found?.sequence === earlier || found?.sequence === all.length);
  assert.deepEqual(await restored(disk), all.slice(0, found.sequence));
  assert.equal(await backUp(machine), all.length, "the next run goes on");
  const manifest = await new BackupFolder(machine, TARGET).readManifest();
  assert.deepEqual(strays(disk, manifest as BackupManifest), []);
  assert.deepEqual(await restored(disk), all);
  return found.sequence === all.length;
}

function stopAt(index: number): FaultPlan {
  return (_operation, call) => (call === index ? { kind: "stop" } : null);
}

for (const cut of ["kill", "drops-all", "keeps-all", "tears"] as const) {
  test(`the machine stops in a run (${cut}): the earlier backup or the later`, async () => {
    const seen = new Set<boolean>();
    let calls = 0;
    for (let round = 0; round < scaled(1); round++) {
      const prepared = await prepare(random.integer(0, 1e9));
      // Calls of the same kind follow each other: a part of them is enough.
      const step = random.integer(1, 3);
      for (let index = 0, stopped = true; stopped; index += step) {
        const disk = prepared.disk.fork();
        const machine = new FaultyFileSystem(disk, stopAt(index), new Random(index));
        const run = backUp(machine).then(() => undefined);
        await untilStopped(machine, run);
        stopped = machine.stopped;
        const left =
          cut === "kill" ? disk.afterKill() : disk.afterPowerCut(cut as PowerCut, random);
        seen.add(await checkLeft(left, prepared));
        calls++;
      }
    }
    console.log(`stopped at ${calls} calls`);
    assert.deepEqual([...seen].sort(), [false, true]);
  });
}

test("any call of a run fails: the earlier backup stays, and the next run goes on", async () => {
  const prepared = await prepare(random.integer(0, 1e9));
  let failed = 0;
  for (let index = 0, again = true; again; index += 3) {
    const disk = prepared.disk.fork();
    let hit = false;
    const machine = new FaultyFileSystem(disk, (_operation, call) => {
      if (call !== index) return null;
      hit = true;
      return { kind: "error", code: index % 2 === 0 ? "ENOSPC" : "EIO" };
    });
    await backUp(machine).catch((error: Error) => {
      assert.match(error.message, /simulated|are missing before it/);
      failed++;
    });
    await checkLeft(disk, prepared);
    again = hit;
  }
  assert.ok(failed > 5, String(failed));
});

test("a full target keeps the earlier backup, and leaves room as it was", async () => {
  const prepared = await prepare(random.integer(0, 1e9));
  const { disk } = prepared;
  const used = disk.usedBytes;
  disk.capacityBytes = used + 700;
  await assert.rejects(backUp(new FaultyFileSystem(disk)), /ENOSPC/);
  assert.ok(disk.usedBytes <= used + 700);
  assert.deepEqual(
    await restored(disk.afterKill()),
    sentRecords(prepared.sent).slice(0, prepared.earlier),
  );
  disk.capacityBytes = Number.POSITIVE_INFINITY;
  await checkLeft(disk, prepared);
});

test("every command of a log can be the last one, and time cuts between batches", async () => {
  const { disk, sent } = await prepare(random.integer(0, 1e9));
  await backUp(new FaultyFileSystem(disk));
  const all = sentRecords(sent);
  for (let through = 1; through <= all.length; through++) {
    assert.deepEqual(await restored(disk, through), all.slice(0, through));
  }
  for (const { batch } of sent) {
    const machine = new FaultyFileSystem(disk.fork());
    const source = new BackupFolder(machine, TARGET);
    const manifest = (await source.readManifest()) as BackupManifest;
    const [folder, fileSystem] = ["/new/journal", machine];
    const restore = (timeMs: number) =>
      restoreLog({ fileSystem, source, manifest, folder, limit: { timeMs } });
    assert.equal(await restore(batch.timestampMs), lastSequenceOf(batch));
    for (const name of [...machine.disk.names.keys()]) {
      if (name.startsWith(folder)) machine.disk.place(name, null);
    }
    assert.equal(await restore(batch.timestampMs - 1), batch.firstSequence - 1);
  }
  console.log(`restored to ${all.length} sequences and ${2 * sent.length} times`);
});

test("a later run adds what is new, and reads what it has", async () => {
  const disk = new SimulatedDisk();
  const machine = new FaultyFileSystem(disk);
  const journal = await open(machine);
  await appendBatches(journal, random, 4, 3, []);
  await backUp(machine);
  const target = new BackupFolder(machine, TARGET);
  const first = (await target.readManifest()) as BackupManifest;
  await backUp(machine);
  assert.deepEqual(await target.readManifest(), first, "nothing was added");
  await appendBatches(journal, random, 1, 1, []);
  await backUp(machine);
  const second = (await target.readManifest()) as BackupManifest;
  assert.equal(filesOf(second).length, filesOf(first).length + 1);
  assert.deepEqual(filesOf(second).slice(0, -1), filesOf(first), "earlier pieces are kept");
  // A damaged piece is written anew, where the exchange still has its commands.
  const [piece] = filesOf(second);
  assert.ok(piece !== undefined);
  disk.place(`${TARGET}/${piece.name}`, new Uint8Array(piece.bytes));
  await backUp(machine, "size");
  await assert.rejects(restored(disk), DamagedBackup);
  await backUp(machine, "all");
  assert.equal((await restored(disk)).length, journal.lastSequence);
  await journal.close();
});

test("a journal that lacks the backup's end changes nothing in it", async () => {
  const { disk } = await prepare(random.integer(0, 1e9));
  await backUp(new FaultyFileSystem(disk));
  const before = await restored(disk);
  for (let round = 0; round < scaled(5); round++) {
    const other = disk.fork();
    for (const path of [...other.names.keys()]) {
      if (path.startsWith(JOURNAL)) other.place(path, null);
    }
    const machine = new FaultyFileSystem(other);
    if (round % 2 === 1) {
      // The same exchange, gone back.
      const source = new BackupFolder(machine, TARGET);
      const manifest = (await source.readManifest()) as BackupManifest;
      const limit = { sequence: random.integer(1, before.length - 1) };
      await restoreLog({ fileSystem: machine, source, manifest, folder: JOURNAL, limit });
    }
    const journal = await open(machine);
    const length = random.integer(1, 40);
    await appendBatches(journal, random, length, 4, []);
    if (random.chance(0.5)) await journal.roll();
    await assert.rejects(backUp(machine), DivergedBackup);
    assert.deepEqual(await restored(other), before);
    await journal.close();
  }
});

test("an exchange that was restored to the end goes on in the same backup", async () => {
  const { disk, sent } = await prepare(random.integer(0, 1e9));
  const machine = new FaultyFileSystem(disk);
  await backUp(machine);
  for (const path of [...disk.names.keys()]) if (path.startsWith(JOURNAL)) disk.place(path, null);
  const source = new BackupFolder(machine, TARGET);
  const manifest = (await source.readManifest()) as BackupManifest;
  const limit = { sequence: manifest.sequence };
  await restoreLog({ fileSystem: machine, source, manifest, folder: JOURNAL, limit });
  const journal = await open(machine);
  const later: Sent[] = [];
  await appendBatches(journal, random, 5, 2, later);
  await backUp(machine);
  assert.deepEqual(await restored(disk), [...sentRecords(sent), ...sentRecords(later)]);
  await journal.close();
});

test("a damaged journal is not backed up, and the earlier backup stays", async () => {
  const { disk, sent, earlier } = await prepare(random.integer(0, 1e9));
  const machine = new FaultyFileSystem(disk);
  const batches = await collect(openJournalReader(JOURNAL, machine).read(1, sent.length));
  assert.ok(batches.length > 0);
  const paths = [...disk.names.keys()].filter((name) => /journal\/\d+\.segment/.test(name));
  const path = paths.sort()[0] ?? "";
  const bytes = Uint8Array.from(disk.file(path) ?? []);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  disk.place(path, bytes);
  for (const name of [...disk.names.keys()]) if (name.startsWith(TARGET)) disk.place(name, null);
  await assert.rejects(backUpUnchecked(machine), DamagedJournal);
  assert.equal(await new BackupFolder(machine, TARGET).readManifest(), null);
  assert.ok(earlier > 0);
});

async function backUpUnchecked(machine: FaultyFileSystem): Promise<unknown> {
  const { lastSequence } = await verifyJournalEnd({ folder: JOURNAL, fileSystem: machine });
  const target = new BackupFolder(machine, TARGET);
  const journalFolder = JOURNAL;
  const options = {
    fileSystem: machine,
    journalFolder,
    target,
    earlier: [],
    check: "all",
  } as const;
  return await shipLog({ ...options, throughSequence: Math.max(1, lastSequence) });
}

test("each byte that is wrong, missing or too much is found, and its file is named", async () => {
  const { disk } = await prepare(random.integer(0, 1e9));
  await backUp(new FaultyFileSystem(disk));
  const paths = [...disk.names.keys()].filter((path) => path.startsWith(TARGET));
  let tried = 0;
  for (const path of paths) {
    const bytes = Uint8Array.from(disk.file(path) ?? []);
    const damages: (Uint8Array | null)[] = [
      bytes.subarray(0, -1),
      bytes.subarray(0, bytes.length >> 1),
      new Uint8Array(0),
      Uint8Array.from([...bytes, 0]),
    ];
    if (!path.endsWith("manifest.json")) damages.push(null);
    const gap = Math.max(1, Math.floor(bytes.length / scaled(60)));
    for (let at = random.integer(0, gap - 1); at < bytes.length; at += gap) {
      const flipped = bytes.slice();
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.integer(0, 7));
      damages.push(flipped);
    }
    for (const damage of damages) {
      const damaged = disk.fork();
      damaged.place(path, damage);
      await assert.rejects(restored(damaged, 1), (error: unknown) => {
        assert.ok(error instanceof DamagedBackup, String(error));
        assert.equal(error.file, path);
        return true;
      });
      tried++;
    }
  }
  console.log(`${tried} kinds of damage in ${paths.length} files`);
});
