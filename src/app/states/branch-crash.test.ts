/**
 * Proves that a restore of the journal happens whole or not at all: the machine stops at every call
 * of making a branch and of going over to it, as a killed process and as a power cut; what starts
 * then is the log before the restore with all that was acknowledged, or the log after it, and both
 * can be written on. A copy of a log, shared or not, never changes with the log.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { untilStopped } from "../../../test/support/journal-session.ts";
import { appendBatches, readAll, type Sent } from "../../../test/support/journal-workload.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import {
  type FaultPlan,
  FaultyFileSystem,
  type PowerCut,
  SimulatedDisk,
} from "../../../test/support/simulated-disk.ts";
import {
  continueLog,
  copyLog,
  type FileJournal,
  openFileJournal,
  shareLog,
  verifyJournal,
} from "../../journal/index.ts";
import { branchFolder, readBranch, writeBranch } from "./branch-file.ts";

const random = seededRandom("branch crashes");
const DATA = "/data";
const KEPT = "/data/checkpoints/kept/journal";
const SIZES = { segmentBytes: 3000, preallocatedBytes: 800 };

async function open(machine: FaultyFileSystem): Promise<FileJournal> {
  const { number } = await readBranch(DATA, machine);
  const folder = join(branchFolder(DATA, number), "journal");
  const opening = await openFileJournal({ folder, fileSystem: machine, ...SIZES });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

interface Prepared {
  readonly disk: SimulatedDisk;
  readonly sequence: number;
  readonly chainHash: Uint8Array;
  /** In the checkpoint, and in the log that goes on behind it. */
  readonly kept: readonly Sent[];
  readonly all: readonly Sent[];
}

/** A log with a copy of its beginning, which ends in the middle of a segment or at its end. */
async function prepare(seed: number): Promise<Prepared> {
  const disk = new SimulatedDisk();
  const machine = new FaultyFileSystem(disk);
  const journal = await open(machine);
  const draw = new Random(seed);
  const sent: Sent[] = [];
  await appendBatches(journal, draw, 6, 4, sent);
  if (draw.chance(0.3)) await journal.roll();
  const sequence = journal.lastSequence;
  const kept = [...sent];
  const from = join(DATA, "journal");
  const { chainHash } = await copyLog(machine, { from, to: KEPT, throughSequence: sequence });
  await appendBatches(journal, draw, 5, 4, sent);
  await journal.close();
  return { disk, sequence, chainHash, kept, all: sent };
}

async function restore(machine: FaultyFileSystem, prepared: Prepared): Promise<FileJournal> {
  const { sequence, chainHash } = prepared;
  const journal = await open(machine);
  const to = join(branchFolder(DATA, 1), "journal");
  await shareLog(machine, { from: KEPT, to });
  await continueLog(machine, to, { sequence, chainHash, epoch: journal.epoch });
  await writeBranch(DATA, { number: 1, clockBehindMs: 5 }, machine);
  await journal.switchTo(to);
  return journal;
}

async function restoreAndWrite(
  machine: FaultyFileSystem,
  prepared: Prepared,
  sent: Sent[],
): Promise<void> {
  const journal = await restore(machine, prepared);
  await appendBatches(journal, new Random(7), 3, 3, sent);
  await journal.close();
}

function recordsOf(sent: readonly Sent[]): string[][] {
  return sent.map(({ batch }) => textsOf(batch.records));
}

function textsOf(records: Iterable<Uint8Array>): string[] {
  return [...records].map((record) => Buffer.from(record).toString("hex"));
}

/** What starts is one of the two, with what was acknowledged there, and takes more. */
async function check(disk: SimulatedDisk, prepared: Prepared, sent: readonly Sent[]) {
  const machine = new FaultyFileSystem(disk);
  const journal = await open(machine);
  const { number, clockBehindMs } = await readBranch(DATA, machine);
  const found = (await readAll(journal)).map(({ records }) => textsOf(records));
  const durable = sent.filter(({ result }) => result === "durable").length;
  if (number === 0) {
    assert.deepEqual(found, recordsOf(prepared.all));
    assert.equal(durable, 0, "nothing was acknowledged on a branch that is gone");
  } else {
    assert.equal(clockBehindMs, 5);
    const { length } = prepared.kept;
    assert.deepEqual(found.slice(0, length), recordsOf(prepared.kept));
    assert.deepEqual(found.slice(length), recordsOf(sent).slice(0, found.length - length));
    assert.ok(found.length - length >= durable, "what was acknowledged is there");
  }
  await appendBatches(journal, new Random(9), 2, 2, []);
  const { folder } = await journalOf(machine);
  await journal.close();
  const verdict = await verifyJournal({ folder, fileSystem: machine });
  assert.deepEqual(verdict.damage, []);
  const copy = await readFolder(machine, KEPT);
  assert.deepEqual(copy, recordsOf(prepared.kept), "the copy is as it was");
  return number;
}

async function journalOf(machine: FaultyFileSystem) {
  const { number } = await readBranch(DATA, machine);
  return { folder: join(branchFolder(DATA, number), "journal") };
}

async function readFolder(machine: FaultyFileSystem, folder: string) {
  const to = "/elsewhere/journal";
  await shareLog(machine, { from: folder, to });
  const opening = await openFileJournal({ folder: to, fileSystem: machine, ...SIZES });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  const batches = await readAll(opening.journal);
  return batches.map(({ records }) => textsOf(records));
}

function stopAt(index: number): FaultPlan {
  return (_operation, call) => (call === index ? { kind: "stop" } : null);
}

test("a restore without a crash is on the branch, and the tail stays in its folder", async () => {
  const prepared = await prepare(random.integer(0, 1e9));
  const machine = new FaultyFileSystem(prepared.disk);
  const sent: Sent[] = [];
  await restoreAndWrite(machine, prepared, sent);
  const tail = await openFileJournal({ folder: "/data/journal", fileSystem: machine, ...SIZES });
  assert.ok(tail.ok);
  const records = (await readAll(tail.journal)).flatMap(({ records }) => [...records]).length;
  assert.equal(records, recordsOf(prepared.all).flat().length);
  assert.equal(await check(prepared.disk.afterKill(), prepared, sent), 1);
});

for (const cut of ["kill", "drops-all", "keeps-all", "tears"] as const) {
  test(`the machine stops at any call of a restore (${cut}): before it or after it`, async () => {
    const seen = new Set<number>();
    for (let round = 0; round < scaled(1); round++) {
      const prepared = await prepare(random.integer(0, 1e9));
      for (let index = 0, stopped = true; stopped; index++) {
        const disk = prepared.disk.fork();
        const machine = new FaultyFileSystem(disk, stopAt(index), new Random(index));
        const sent: Sent[] = [];
        await untilStopped(machine, restoreAndWrite(machine, prepared, sent));
        stopped = machine.stopped;
        const left =
          cut === "kill" ? disk.afterKill() : disk.afterPowerCut(cut as PowerCut, random);
        seen.add(await check(left, prepared, sent));
      }
    }
    assert.deepEqual([...seen].sort(), [0, 1]);
  });
}
