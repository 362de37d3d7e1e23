/**
 * Repairs a damaged journal by dropping everything after a sequence, only when the operator orders
 * it. The plan shows first what goes, batch by batch, and what cannot be read. The journal must not
 * be open elsewhere.
 */
import { invariant } from "../../domain/index.ts";
import { type FileSystem, NODE_FILE_SYSTEM } from "../../platform/index.ts";
import type { JournaledBatch, RecordRun } from "../../protocol/index.ts";
import { type JournalRefusal, refuse } from "../damage.ts";
import { removeIfThere, replaceWholeFile } from "../disk/whole-file.ts";
import { type RingEntry, readRing, rewriteRing } from "../ring/header-ring.ts";
import { GENESIS_CHAIN_HASH } from "../segments/batch-format.ts";
import { ByteCursor } from "../segments/byte-source.ts";
import {
  COMPRESSION_SUFFIX,
  listSegments,
  SEGMENT_HEADER_BYTES,
  type SegmentName,
  segmentPath,
} from "../segments/segment.ts";
import { SegmentScan } from "../segments/segment-scan.ts";
import { type Salvaged, salvageBatches, type Unreadable } from "./salvage.ts";

/** A batch to drop, with what the operator needs to see what is lost. */
export interface DroppedBatch {
  readonly file: string;
  readonly offset: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timestampMs: number;
  readonly records: RecordRun;
}

export interface DropPlan {
  /** The last sequence to keep. */
  readonly afterSequence: number;
  /** Oldest first, at most `MAX_LISTED_BATCHES`. */
  readonly batches: readonly DroppedBatch[];
  /** The readable part of what is dropped. */
  readonly droppedBatches: number;
  readonly droppedRecords: number;
  readonly lastReadableSequence: number;
  /** Dropped bytes that make no batch. */
  readonly unreadableBytes: number;
  /** Files that are removed. */
  readonly removedFiles: readonly string[];
  /** The file that is cut, and where; null when only whole files are removed. */
  readonly cut: { readonly file: string; readonly offset: number } | null;
}

export type DropResult =
  | { readonly ok: true; readonly plan: DropPlan }
  | { readonly ok: false; readonly refusal: JournalRefusal };

export interface DropOptions {
  readonly folder: string;
  readonly afterSequence: number;
  readonly fileSystem?: FileSystem;
}

const MAX_LISTED_BATCHES = 1000;

/** What `dropAfter` would drop. Changes nothing. */
export async function planDrop(options: DropOptions): Promise<DropResult> {
  const found = await findCut(options);
  return found.ok ? { ok: true, plan: await describeDrop(options, found.cut) } : found;
}

/**
 * Drops everything after `afterSequence`, which must be the last of a batch, durably. Repeat an
 * interrupted call: until it finishes, the header ring makes a start refuse the journal.
 */
export async function dropAfter(options: DropOptions): Promise<DropResult> {
  const { folder, fileSystem = NODE_FILE_SYSTEM } = options;
  const found = await findCut(options);
  if (!found.ok) return found;
  const { cut } = found;
  const plan = await describeDrop(options, cut);
  await keepRefusing(fileSystem, folder);
  for (const { firstSequence } of cut.removed.toReversed()) {
    const raw = segmentPath(folder, firstSequence, "raw");
    await removeIfThere(fileSystem, raw);
    await removeIfThere(fileSystem, raw + COMPRESSION_SUFFIX);
  }
  await fileSystem.syncFolder(folder);
  if (cut.kept !== null) await cutSegment(fileSystem, folder, cut.kept, cut.offset);
  await rewriteRing(fileSystem, folder, ringEntry(cut, options.afterSequence));
  return { ok: true, plan };
}

/** A half-done drop must not look like a commit that a power cut tore. */
async function keepRefusing(fileSystem: FileSystem, folder: string): Promise<void> {
  const { damagedSlots, entries } = await readRing(fileSystem, folder);
  const newest = entries.at(-1);
  if (newest === undefined || damagedSlots > 0) return;
  const { lastSequence: acknowledgedSequence } = newest;
  await rewriteRing(fileSystem, folder, { ...newest, acknowledgedSequence });
}

/** Between the last batch that is kept and the first that is dropped. */
interface Cut {
  /** The segment in which the kept part ends; null when nothing is kept. */
  readonly kept: SegmentName | null;
  readonly offset: number;
  readonly chainHash: Uint8Array;
  readonly removed: readonly SegmentName[];
}

type FoundCut =
  | { readonly ok: true; readonly cut: Cut }
  | { readonly ok: false; readonly refusal: JournalRefusal };

async function findCut(options: DropOptions): Promise<FoundCut> {
  const { folder, afterSequence, fileSystem = NODE_FILE_SYSTEM } = options;
  const segments = await listSegments(fileSystem, folder);
  const removed = segments.filter(({ firstSequence }) => firstSequence > afterSequence);
  const kept = segments.findLast(({ firstSequence }) => firstSequence <= afterSequence);
  if (kept === undefined) {
    if (afterSequence === 0) {
      return { ok: true, cut: { kept: null, offset: 0, chainHash: GENESIS_CHAIN_HASH, removed } };
    }
    const advice = "Restore it from a copy, or drop everything with --drop-after 0";
    const place = { file: segmentPath(folder, 1, "raw"), sequence: 1 };
    return { ok: false, refusal: refuse("damaged", place, "the segment is missing", advice) };
  }
  const scan = await SegmentScan.open(fileSystem, kept);
  if (typeof scan === "string") {
    const advice = `Drop this segment too, with --drop-after ${kept.firstSequence - 1}`;
    return { ok: false, refusal: refuse("damaged", { file: kept.path, offset: 0 }, scan, advice) };
  }
  try {
    let step = await scan.next();
    while (step.kind === "batch" && scan.position.sequence < afterSequence)
      step = await scan.next();
    const { sequence, chainHash } = scan.position;
    if (sequence === afterSequence) {
      return { ok: true, cut: { kept, offset: scan.offset, chainHash, removed } };
    }
    const end = step.kind === "batch" ? step.batch.firstSequence - 1 : sequence;
    return { ok: false, refusal: noBatchEnd(kept, afterSequence, end) };
  } finally {
    await scan.close();
  }
}

function noBatchEnd(segment: SegmentName, afterSequence: number, end: number): JournalRefusal {
  const problem = `no readable batch ends with sequence ${afterSequence}`;
  const advice = `The nearest one before it ends with ${end}: use --drop-after ${end}`;
  return refuse("damaged", { file: segment.path, sequence: afterSequence }, problem, advice);
}

async function describeDrop(options: DropOptions, cut: Cut): Promise<DropPlan> {
  const { afterSequence, fileSystem = NODE_FILE_SYSTEM } = options;
  const batches: DroppedBatch[] = [];
  const totals = { batches: 0, records: 0, unreadableBytes: 0, lastSequence: afterSequence };
  const parts = cut.kept === null ? [] : [{ segment: cut.kept, from: cut.offset }];
  for (const segment of cut.removed) parts.push({ segment, from: SEGMENT_HEADER_BYTES });
  for (const { segment, from } of parts) {
    for await (const found of survey(fileSystem, segment, from)) {
      if (found.batch === null) {
        totals.unreadableBytes += found.byteLength;
        continue;
      }
      const batch = dropped(segment, found.batch, found.offset);
      totals.batches++;
      totals.records += batch.records.length;
      totals.lastSequence = Math.max(totals.lastSequence, batch.lastSequence);
      if (batches.length < MAX_LISTED_BATCHES) batches.push(batch);
    }
  }
  return {
    afterSequence,
    batches,
    droppedBatches: totals.batches,
    droppedRecords: totals.records,
    lastReadableSequence: totals.lastSequence,
    unreadableBytes: totals.unreadableBytes,
    removedFiles: cut.removed.map(({ path }) => path),
    cut: cut.kept === null ? null : { file: cut.kept.path, offset: cut.offset },
  };
}

function dropped(segment: SegmentName, batch: JournaledBatch, offset: number): DroppedBatch {
  const { firstSequence, timestampMs, records } = batch;
  const lastSequence = firstSequence + records.length - 1;
  return { file: segment.path, offset, firstSequence, lastSequence, timestampMs, records };
}

/** The rest of a compressed file that cannot be decompressed counts as unreadable. */
async function* survey(
  fileSystem: FileSystem,
  segment: SegmentName,
  from: number,
): AsyncGenerator<Salvaged | Unreadable, void, undefined> {
  const cursor = await ByteCursor.open(fileSystem, segment);
  try {
    await cursor.advance(from);
    yield* salvageBatches(cursor);
  } catch (error) {
    if (segment.form === "raw") throw error;
    yield { batch: null, byteLength: await fileLength(fileSystem, segment.path) };
  } finally {
    await cursor.close();
  }
}

async function fileLength(fileSystem: FileSystem, path: string): Promise<number> {
  const file = await fileSystem.open(path, "read");
  try {
    return await file.size();
  } finally {
    await file.close();
  }
}

/**
 * The kept part, raw, replaces the segment: the file itself stays as it is, because a checkpoint of
 * the sandbox may have it under another name.
 */
async function cutSegment(
  fileSystem: FileSystem,
  folder: string,
  segment: SegmentName,
  offset: number,
): Promise<void> {
  const raw = segmentPath(folder, segment.firstSequence, "raw");
  await replaceWholeFile(fileSystem, raw, await firstBytes(fileSystem, segment, offset));
  await removeIfThere(fileSystem, raw + COMPRESSION_SUFFIX);
  await fileSystem.syncFolder(folder);
}

async function firstBytes(
  fileSystem: FileSystem,
  segment: SegmentName,
  count: number,
): Promise<Uint8Array> {
  const cursor = await ByteCursor.open(fileSystem, segment);
  try {
    const whole = await cursor.ensure(count);
    invariant(whole, "the kept part was read before");
    return cursor.take(count);
  } finally {
    await cursor.close();
  }
}

function ringEntry(cut: Cut, sequence: number): RingEntry | null {
  if (cut.kept === null) return null;
  return {
    firstSequence: sequence,
    lastSequence: sequence,
    segmentFirstSequence: cut.kept.firstSequence,
    offset: cut.offset,
    byteLength: 0,
    chainHash: cut.chainHash,
    acknowledgedSequence: sequence,
    emptySectors: null,
  };
}
