/**
 * Runs of a program that writes a journal on a simulated machine, until it is done or the machine
 * fails.
 */
import assert from "node:assert/strict";
import {
  dropAfter,
  type FileJournal,
  type JournalOpening,
  openFileJournal,
} from "../../src/journal/index.ts";
import type { Batch } from "../../src/protocol/index.ts";
import {
  appendBatches,
  assertNoAnswerAfterFailure,
  assertPromiseKept,
  assertSameBatches,
  readAll,
  type Sent,
} from "./journal-workload.ts";
import { Random } from "./random.ts";
import { type FaultPlan, FaultyFileSystem, SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/journal";
/** Small enough that a session passes through several segments and runs out of room. */
const SIZES = { segmentBytes: 3000, preallocatedBytes: 800 };

export interface Session {
  readonly disk: SimulatedDisk;
  readonly calls: number;
  readonly sent: readonly Sent[];
  readonly stopped: boolean;
}

export function openJournal(fileSystem: FaultyFileSystem): Promise<JournalOpening<FileJournal>> {
  return openFileJournal({ folder: FOLDER, fileSystem, ...SIZES });
}

/**
 * Two runs of the program with batches in groups and a roll each; the same calls for the same seed.
 */
export async function runSession(seed: number, plan?: FaultPlan): Promise<Session> {
  const disk = new SimulatedDisk();
  const machine = new FaultyFileSystem(disk, plan, new Random(seed + 1));
  const sent: Sent[] = [];
  await untilStopped(machine, writeTwice(machine, new Random(seed), sent));
  return { disk, calls: machine.calls, sent, stopped: machine.stopped };
}

async function writeTwice(machine: FaultyFileSystem, random: Random, sent: Sent[]): Promise<void> {
  for (let run = 0; run < 2; run++) {
    const opening = await openJournal(machine);
    if (!opening.ok) return;
    try {
      await writeOnce(opening.journal, random, sent);
    } catch (error) {
      assert.ok(isSimulated(error), String(error));
    }
  }
}

async function writeOnce(journal: FileJournal, random: Random, sent: Sent[]): Promise<void> {
  const found = await readAll(journal);
  assertPromiseKept(found, sent);
  // What a start has found it promises to keep, acknowledged before or not; the rest is gone.
  sent.length = found.length;
  for (const entry of sent) entry.result = "durable";
  try {
    await appendBatches(journal, random, 8, 4, sent);
    if (sent.at(-1)?.result === "durable") await journal.roll();
    await appendBatches(journal, random, 4, 3, sent);
    await journal.close();
  } finally {
    assertNoAnswerAfterFailure(sent);
  }
}

/** The failures that the file system itself made up. */
function isSimulated(error: unknown): boolean {
  return error instanceof Error && /simulated|the machine has stopped/.test(error.message);
}

/** A stopped machine's program never ends: it is left where it stands. */
export async function untilStopped(
  machine: FaultyFileSystem,
  program: Promise<void>,
): Promise<void> {
  let ended = false;
  const end = program.finally(() => {
    ended = true;
  });
  while (!ended && !machine.stopped) await new Promise((resolve) => setImmediate(resolve));
  if (ended) await end;
  else end.catch(() => {});
}

export interface Reopening {
  /**
   * Why an operator had to drop the last commit: it could not be told if it had been acknowledged.
   * Null where it opened by itself.
   */
  readonly doubt: string | null;
}

/**
 * Opens the disk and checks the promise of durability; then that the journal can be written on and
 * read again. Only where `mayDoubt` it may refuse, and must then open after the repair that it
 * advises, still with every promise kept.
 */
export async function checkReopening(
  disk: SimulatedDisk,
  sent: readonly Sent[],
  mayDoubt: boolean,
): Promise<Reopening> {
  let opening = await openJournal(new FaultyFileSystem(disk));
  const doubt = opening.ok ? null : opening.refusal.problem;
  if (!opening.ok) {
    const { refusal } = opening;
    assert.equal(refusal.kind, "in-doubt", refusal.message);
    assert.ok(mayDoubt, refusal.message);
    const advised = /--drop-after (\d+)/.exec(refusal.advice)?.[1];
    const options = { folder: FOLDER, fileSystem: new FaultyFileSystem(disk) };
    const dropped = await dropAfter({ ...options, afterSequence: Number(advised) });
    assert.ok(dropped.ok);
    opening = await openJournal(new FaultyFileSystem(disk));
  }
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  const { journal } = opening;
  const found = await readAll(journal);
  assertPromiseKept(found, sent);
  await assertHolds(disk.afterPowerCut("drops-all", new Random(0)), found);
  const later: Sent[] = [];
  await appendBatches(journal, new Random(found.length), 5, 2, later);
  await journal.close();
  const all = [...found, ...later.map(({ batch }) => batch)];
  await assertHolds(disk.afterPowerCut("drops-all", new Random(0)), all);
  return { doubt };
}

/** What a start has shown to anybody must be durable. */
async function assertHolds(disk: SimulatedDisk, batches: readonly Batch[]): Promise<void> {
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  assert.deepEqual(opening.findings, []);
  assertSameBatches(await readAll(opening.journal), batches);
  await opening.journal.close();
}
