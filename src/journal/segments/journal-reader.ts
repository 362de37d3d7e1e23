/**
 * Reads the log across segments, raw or compressed, beside the writer and without its lock. A
 * reader never reads beyond the last durable sequence that it was given.
 */

import { type FileSystem, isMissingFile, NODE_FILE_SYSTEM } from "../../platform/index.ts";
import type { JournaledBatch } from "../../protocol/index.ts";
import { DamagedJournal, refuse, repairAdvice } from "../damage.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import { GENESIS_CHAIN_HASH } from "./batch-format.ts";
import { COMPRESSION_SUFFIX, listSegments, type SegmentName, segmentPath } from "./segment.ts";
import { type ScannedBatch, SegmentScan } from "./segment-scan.ts";

/** How far a reader may go; it may move ahead while the reader waits. */
export interface ReadBound {
  readonly sequence: number;
  /** Resolves when the bound has moved beyond `sequence`; false when it never will. */
  movedBeyond(sequence: number): Promise<boolean>;
}

/** A batch with the place where it was read. */
export interface LocatedBatch extends ScannedBatch {
  readonly segment: SegmentName;
}

export function boundAt(sequence: number): ReadBound {
  return { sequence, movedBeyond: () => Promise.resolve(false) };
}

/** Batches from the one that holds `fromSequence` up to the bound. Throws `DamagedJournal`. */
export async function* readLog(
  fileSystem: FileSystem,
  folder: string,
  fromSequence: number,
  bound: ReadBound,
): AsyncGenerator<LocatedBatch, void, undefined> {
  if (bound.sequence < fromSequence && !(await bound.movedBeyond(fromSequence - 1))) return;
  let scan = await openSegment(fileSystem, await segmentHolding(fileSystem, folder, fromSequence));
  try {
    for (;;) {
      const { sequence } = scan.position;
      if (sequence >= bound.sequence) {
        if (!(await bound.movedBeyond(sequence))) return;
        scan.cursor.refresh();
      }
      const step = await nextDurable(scan, fromSequence);
      if (step.kind === "batch") {
        yield { ...step, segment: scan.segment };
      } else if (scan.position.sequence < bound.sequence) {
        const following = await openFollowing(fileSystem, folder, scan, step.problem);
        await scan.close();
        scan = following;
      }
    }
  } finally {
    await scan.close();
  }
}

/** As `readLog`, without the places. */
export async function* readBatches(
  fileSystem: FileSystem,
  folder: string,
  fromSequence: number,
  bound: ReadBound,
): AsyncGenerator<JournaledBatch, void, undefined> {
  for await (const { batch } of readLog(fileSystem, folder, fromSequence, bound)) yield batch;
}

/** Bytes read ahead may be older than the bound: where no batch begins, they are read again. */
async function nextDurable(scan: SegmentScan, fromSequence: number) {
  const step = await scan.next(fromSequence);
  if (step.kind === "batch") return step;
  scan.cursor.refresh();
  return scan.next(fromSequence);
}

async function segmentHolding(
  fileSystem: FileSystem,
  folder: string,
  sequence: number,
): Promise<SegmentName> {
  const segments = await listSegments(fileSystem, folder);
  const holding = segments.findLast((segment) => segment.firstSequence <= Math.max(1, sequence));
  if (holding !== undefined) return holding;
  throw missingSegment(folder, 1);
}

/** The next segment, which must begin where this one ends. */
async function openFollowing(
  fileSystem: FileSystem,
  folder: string,
  scan: SegmentScan,
  problem: string,
): Promise<SegmentScan> {
  const { position, segment } = scan;
  const firstSequence = position.sequence + 1;
  const place = { file: segment.path, offset: scan.offset, sequence: firstSequence };
  const advice = repairAdvice(segment.path, firstSequence);
  const segments = await listSegments(fileSystem, folder);
  const next = segments.find((candidate) => candidate.firstSequence > segment.firstSequence);
  if (scan.cursor.available > 0) {
    throw new DamagedJournal(refuse("damaged", place, problem, advice));
  }
  if (next === undefined || next.firstSequence !== firstSequence) {
    const gap = "the segment ends here, and no other begins where it ends";
    throw new DamagedJournal(refuse("damaged", place, gap, advice));
  }
  const following = await openSegment(fileSystem, next);
  if (sameBytes(following.header.chainHash, position.chainHash)) return following;
  await following.close();
  const unlinked = "the segment does not follow from the one before it (hash chain)";
  throw new DamagedJournal(refuse("damaged", { file: next.path, offset: 0 }, unlinked, advice));
}

async function openSegment(fileSystem: FileSystem, segment: SegmentName): Promise<SegmentScan> {
  const scan = await openEitherForm(fileSystem, segment);
  if (typeof scan !== "string") return scan;
  const place = { file: segment.path, offset: 0, sequence: segment.firstSequence };
  const advice = repairAdvice(segment.path, segment.firstSequence);
  throw new DamagedJournal(refuse("damaged", place, scan, advice));
}

/** A raw segment may have been compressed after the folder was listed. */
export async function openEitherForm(
  fileSystem: FileSystem,
  segment: SegmentName,
): Promise<SegmentScan | string> {
  try {
    return await SegmentScan.open(fileSystem, segment);
  } catch (error) {
    if (segment.form === "compressed" || !isMissingFile(error)) throw error;
    const path = `${segment.path}${COMPRESSION_SUFFIX}`;
    return SegmentScan.open(fileSystem, { ...segment, form: "compressed", path });
  }
}

function missingSegment(folder: string, firstSequence: number): DamagedJournal {
  const file = segmentPath(folder, firstSequence, "raw");
  const problem = "the segment is missing";
  const advice = "Restore it, in either form (.segment or .segment.zst), from a copy";
  return new DamagedJournal(refuse("damaged", { file, sequence: firstSequence }, problem, advice));
}

/** The chain hash after `sequence`; null when no batch ends there. */
export async function chainHashAt(
  fileSystem: FileSystem,
  folder: string,
  sequence: number,
  lastSequence: number,
): Promise<Uint8Array | null> {
  if (sequence === 0) return GENESIS_CHAIN_HASH;
  if (sequence > lastSequence) return null;
  for await (const { batch, header } of readLog(fileSystem, folder, sequence, boundAt(sequence))) {
    return header.lastSequence === sequence ? batch.chainHash : null;
  }
  return null;
}

export interface JournalReader {
  /** In order of sequence; the last one is being written. */
  segments(): Promise<readonly SegmentName[]>;
  /**
   * Batches from the one that holds `fromSequence`, checked as they are read. Goes up to
   * `durableSequence`, or without one to the end of the closed segments. Throws `DamagedJournal`.
   */
  read(fromSequence: number, durableSequence?: number): AsyncIterable<JournaledBatch>;
  /** As in `FileJournal`, for sequences up to `durableSequence`. */
  chainHashAt(sequence: number, durableSequence: number): Promise<Uint8Array | null>;
}

/** A read-only view, for a follower in another thread or a tool, without locks or open files. */
export function openJournalReader(
  folder: string,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): JournalReader {
  return {
    segments: () => listSegments(fileSystem, folder),
    async *read(fromSequence, durableSequence) {
      const end = durableSequence ?? (await endOfClosedSegments(fileSystem, folder));
      yield* readBatches(fileSystem, folder, fromSequence, boundAt(end));
    },
    chainHashAt: (sequence, durableSequence) =>
      chainHashAt(fileSystem, folder, sequence, durableSequence),
  };
}

async function endOfClosedSegments(fileSystem: FileSystem, folder: string): Promise<number> {
  const open = (await listSegments(fileSystem, folder)).at(-1);
  return open === undefined ? 0 : open.firstSequence - 1;
}
