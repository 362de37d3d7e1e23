/**
 * The journal alone, in the calling thread and in its own: appends at several depths of pipelining
 * with the caller's CPU time, and reading it back. The disk dominates the rates, so every figure is
 * shown beside a bare write and sync from the same run.
 */
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type DurableJournal, openFileJournal, openThreadedJournal } from "../src/journal/index.ts";
import { NODE_PLATFORM } from "../src/platform/index.ts";
import type { BenchRow } from "./report.ts";
import { scaled } from "./scale.ts";

const RECORD_BYTES = 120;
const BARE_COMMITS = scaled(2_000);

interface Load {
  readonly inFlight: number;
  readonly recordsPerBatch: number;
  readonly appends: number;
}

/** 500 records in a batch, two batches in flight: how the sequencer appends under load. */
const LOADS: readonly Load[] = [
  { inFlight: 1, recordsPerBatch: 1, appends: scaled(3_000) },
  { inFlight: 64, recordsPerBatch: 1, appends: scaled(100_000) },
  { inFlight: 512, recordsPerBatch: 1, appends: scaled(200_000) },
  { inFlight: 2, recordsPerBatch: 500, appends: scaled(4_000) },
];

export async function runJournalBench(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
  try {
    const rows = [await bareSync(folder)];
    const inline = await open(folder);
    const threaded = await openInThread(join(folder, "threaded"));
    for (const load of LOADS) {
      rows.push(await appendUnder(inline, load, "same thread"));
      rows.push(await appendUnder(threaded, load, "own thread"));
    }
    await Promise.all([inline.close(), threaded.close()]);
    rows.push(...(await readBack(folder)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function open(folder: string): Promise<DurableJournal> {
  const opening = await openFileJournal({ folder: join(folder, "journal") });
  if (!opening.ok) throw new Error(opening.refusal.message);
  return opening.journal;
}

async function openInThread(folder: string): Promise<DurableJournal> {
  const { threads } = NODE_PLATFORM;
  const onFailure = (error: Error) => {
    throw error;
  };
  const opening = await openThreadedJournal({ folder, threads, onFailure });
  if (!opening.ok) throw new Error(opening.refusal.message);
  return opening.journal;
}

/** The cost of one write and sync into zeros here, without a journal. */
async function bareSync(folder: string): Promise<BenchRow> {
  const sync = promisify(fdatasync);
  const descriptor = openSync(join(folder, "bare"), "w");
  const bytes = Buffer.alloc(256, 1);
  writeSync(descriptor, Buffer.alloc((BARE_COMMITS + 1) * bytes.length));
  await sync(descriptor);
  const latenciesMs: number[] = [];
  for (let index = 0; index < BARE_COMMITS; index++) {
    const startedMs = performance.now();
    writeSync(descriptor, bytes, 0, bytes.length, index * bytes.length);
    await sync(descriptor);
    latenciesMs.push(performance.now() - startedMs);
  }
  closeSync(descriptor);
  return {
    name: "bare write and fdatasync, p50",
    value: microseconds(latenciesMs, 0.5),
    unit: "us",
    note: `p99 ${microseconds(latenciesMs, 0.99)} us`,
  };
}

async function appendUnder(journal: DurableJournal, load: Load, where: string): Promise<BenchRow> {
  const { inFlight, recordsPerBatch, appends } = load;
  const record = Buffer.alloc(RECORD_BYTES, 7);
  const records = Array.from({ length: recordsPerBatch }, () => record);
  const latenciesMs: number[] = [];
  let last = journal.lastSequence;
  let begun = 0;
  const client = async () => {
    while (begun < appends) {
      begun++;
      const expected = last;
      last += recordsPerBatch;
      const batch = { firstSequence: expected + 1, timestampMs: 1, records, eventDigest: null };
      const startedMs = performance.now();
      const result = await journal.append(expected, journal.epoch, batch);
      if (result !== "durable") throw new Error(`the journal answered ${result}`);
      latenciesMs.push(performance.now() - startedMs);
    }
  };
  const startedMs = performance.now();
  const cpu = process.threadCpuUsage();
  await Promise.all(Array.from({ length: inFlight }, client));
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.threadCpuUsage(cpu);
  const cpuMicroseconds = ((user + system) / appends).toFixed(1);
  const rate = Math.round((appends * recordsPerBatch) / seconds);
  const times = [0.5, 0.99].map((share) => microseconds(latenciesMs, share));
  const name = `appends of ${recordsPerBatch}, ${inFlight} in flight, ${where}`;
  const note = `p50 ${times[0]} us, p99 ${times[1]} us; ${cpuMicroseconds} us CPU of the caller`;
  return { name, value: rate, unit: "records/s", note };
}

async function readBack(folder: string): Promise<BenchRow[]> {
  const startedMs = performance.now();
  const journal = await open(folder);
  const openedMs = performance.now();
  let records = 0;
  for await (const batch of journal.read(1)) records += batch.records.length;
  const seconds = (performance.now() - openedMs) / 1000;
  await journal.close();
  const note = `${records} records, checked and hashed`;
  return [
    { name: "opening (recovery of the end)", value: Math.round(openedMs - startedMs), unit: "ms" },
    { name: "reading all", value: Math.round(records / seconds), unit: "records/s", note },
  ];
}

function microseconds(latenciesMs: number[], share: number): number {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] as number) * 1000);
}
