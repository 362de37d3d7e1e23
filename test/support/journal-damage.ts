/**
 * Damages one file of a journal in every possible place and tells what opening and reading it then
 * says. It runs in a thread of its own, because the test runner's bookkeeping of promises would
 * take most of the time.
 */
import assert from "node:assert/strict";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { DamagedJournal, openFileJournal } from "../../src/journal/index.ts";
import type { Batch } from "../../src/protocol/index.ts";
import { assertSameBatches, readAll } from "./journal-workload.ts";
import { FaultyFileSystem, SimulatedDisk } from "./simulated-disk.ts";

export const JOURNAL_FOLDER = "/journal";

/** `silent`: everything is there and nothing was said. */
export type Outcome = "refused" | "reported" | "silent";

export function openOnDisk(disk: SimulatedDisk) {
  const fileSystem = new FaultyFileSystem(disk);
  const sizes = { segmentBytes: 4096, preallocatedBytes: 200 };
  return openFileJournal({ folder: JOURNAL_FOLDER, fileSystem, ...sizes });
}

/** Opens and reads all, and insists that whatever can be read is everything. */
export async function outcomeOf(disk: SimulatedDisk, batches: readonly Batch[]): Promise<Outcome> {
  const opening = await openOnDisk(disk);
  if (!opening.ok) {
    assert.notEqual(opening.refusal.kind, "unusable");
    assert.ok(opening.refusal.advice.length > 0);
    return "refused";
  }
  const { journal, findings } = opening;
  try {
    assertSameBatches(await readAll(journal), batches);
  } catch (error) {
    if (error instanceof DamagedJournal) return "refused";
    throw error;
  } finally {
    await journal.close();
  }
  return findings.length > 0 ? "reported" : "silent";
}

export function withFlippedBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
  return flipped;
}

/** `flips`: each bit turned over. `cuts`: the file ended before each byte. */
type Damage = "flips" | "cuts";

interface Task {
  readonly damage: Damage;
  readonly path: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The outcomes in order of bits or bytes. */
export function outcomesOf(damage: Damage, disk: SimulatedDisk, path: string): Promise<Outcome[]> {
  const files = new Map([...disk.names].map(([name, { cached }]) => [name, cached]));
  const task: Task = { damage, path, files };
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  return new Promise((resolve, fail) => {
    worker.once("message", resolve);
    worker.once("error", fail);
  });
}

async function runTask({ damage, path, files }: Task): Promise<Outcome[]> {
  const whole = new SimulatedDisk();
  for (const [name, bytes] of files) whole.place(name, bytes);
  const batches = await readWhole(whole.fork());
  const bytes = files.get(path) as Uint8Array;
  const places = damage === "flips" ? bytes.length * 8 : bytes.length;
  const outcomes: Outcome[] = [];
  for (let place = 0; place < places; place++) {
    const disk = whole.fork();
    const damaged = damage === "flips" ? withFlippedBit(bytes, place) : bytes.slice(0, place);
    disk.place(path, damaged);
    outcomes.push(await outcomeOf(disk, batches));
  }
  return outcomes;
}

async function readWhole(disk: SimulatedDisk): Promise<Batch[]> {
  const opening = await openOnDisk(disk);
  assert.ok(opening.ok);
  const batches = await readAll(opening.journal);
  await opening.journal.close();
  return batches;
}

if (!isMainThread) parentPort?.postMessage(await runTask(workerData as Task));
