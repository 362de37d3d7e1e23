/**
 * Opening the journal is recovering it. The last segment is read to its end and compared with the
 * header ring:
 *
 * - all of it can be read: the log continues there;
 * - bytes that make no batch, with no entry in the ring and no later batch to prove that they were
 *   acknowledged, or a commit of the ring that lacks a sector: torn by a crash, never acknowledged.
 *   They are overwritten with zeros, so that they can never pass for a later batch, and reported;
 * - anything else: refused. Nothing acknowledged is ever cut off here.
 *
 * Closed segments are checked when they are read.
 */
import { join } from "node:path";
import { invariant } from "../../domain/index.ts";
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import { DamagedJournal, type JournalRefusal, refuse, repairAdvice } from "../damage.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import { TEMPORARY_SUFFIX } from "../disk/whole-file.ts";
import { readEpoch, writeEpoch } from "../ring/epoch-file.ts";
import {
  RING_FILE,
  type RingEntry,
  type RingState,
  readRing,
  rewriteRing,
} from "../ring/header-ring.ts";
import { GENESIS_CHAIN_HASH } from "../segments/batch-format.ts";
import {
  createSegment,
  listSegments,
  SEGMENT_HEADER_BYTES,
  type SegmentName,
  segmentPath,
} from "../segments/segment.ts";
import { type ChainPosition, type ScannedBatch, SegmentScan } from "../segments/segment-scan.ts";
import { examineTail, type Tail } from "./tail.ts";
import { type LogStop, wasNeverAcknowledged } from "./torn-commit.ts";

/** A repair that recovery made, to be logged and shown. */
export interface RecoveryFinding {
  readonly kind: "leftover-removed" | "torn-commit-cut" | "ring-rewritten" | "epoch-rewritten";
  readonly message: string;
}

/** The end of the log, ready to be written on. */
export interface RecoveredLog {
  readonly position: ChainPosition;
  readonly epoch: number;
  readonly segment: OpenFile;
  readonly segmentFirstSequence: number;
  /** Where the next batch goes. */
  readonly offset: number;
  /** Length of the segment's file: from `offset` to here it is zeros. */
  readonly fileLength: number;
  readonly ringSlot: number;
  readonly findings: readonly RecoveryFinding[];
}

/** Rejects with `DamagedJournal` when the log cannot be trusted. */
export async function recoverLog(
  fileSystem: FileSystem,
  folder: string,
  preallocatedBytes: number,
): Promise<RecoveredLog> {
  const findings: RecoveryFinding[] = [];
  await fileSystem.makeFolder(folder);
  await removeLeftovers(fileSystem, folder, findings);
  const ring = await readRing(fileSystem, folder);
  const segments = await listSegments(fileSystem, folder);
  const last = segments.at(-1);
  checkFirstSegment(folder, segments, ring);
  const end =
    last === undefined ? EMPTY_LOG : await recoverLastSegment(fileSystem, last, ring, findings);
  const ringSlot = await renewRing(fileSystem, folder, ring, end, findings);
  const epoch = await nextEpoch(fileSystem, folder, end.position.epoch, findings);
  const opened = await segmentToWrite(fileSystem, folder, end, epoch, preallocatedBytes);
  return { position: end.position, epoch, ...opened, ringSlot, findings };
}

/** Where the log ends, and its last commit. */
interface LogEnd {
  readonly position: ChainPosition;
  /** The raw segment to continue, open and synced; null when a new one is needed. */
  readonly segment: OpenFile | null;
  readonly segmentFirstSequence: number;
  readonly offset: number;
  readonly newestCommit: RingEntry | null;
}

async function removeLeftovers(
  fileSystem: FileSystem,
  folder: string,
  findings: RecoveryFinding[],
): Promise<void> {
  for (const name of await fileSystem.list(folder)) {
    if (!name.endsWith(TEMPORARY_SUFFIX)) continue;
    await fileSystem.remove(join(folder, name));
    const message = `${name}, an unfinished file left by a crash, was removed`;
    findings.push({ kind: "leftover-removed", message });
  }
}

function checkFirstSegment(
  folder: string,
  segments: readonly SegmentName[],
  ring: RingState,
): void {
  const first = segments[0];
  const newest = ring.entries.at(-1);
  if (first === undefined ? newest === undefined : first.firstSequence === 1) return;
  const file = segmentPath(folder, 1, "raw");
  const problem = "the journal's first segment is missing";
  const advice = `Restore it, in either form (.segment or .segment.zst), from a copy`;
  throw new DamagedJournal(refuse("damaged", { file, sequence: 1 }, problem, advice));
}

const EMPTY_LOG: LogEnd = {
  position: { sequence: 0, chainHash: GENESIS_CHAIN_HASH, epoch: 0 },
  segment: null,
  segmentFirstSequence: 1,
  offset: SEGMENT_HEADER_BYTES,
  newestCommit: null,
};

async function recoverLastSegment(
  fileSystem: FileSystem,
  segment: SegmentName,
  ring: RingState,
  findings: RecoveryFinding[],
): Promise<LogEnd> {
  const scan = await SegmentScan.open(fileSystem, segment);
  if (typeof scan === "string") throw new DamagedJournal(badSegment(segment, scan));
  try {
    const commits = new CommitTracker(scan, ring);
    let step = await scan.next();
    for (; step.kind === "batch"; step = await scan.next()) commits.add(step);
    const { position } = scan;
    if (segment.form === "compressed" && !step.atEndOfFile) {
      throw new DamagedJournal(damagedAt(scan, step.problem));
    }
    const tail = await examineTail(scan.cursor, position.sequence + 1);
    const { firstSequence: segmentFirstSequence } = scan.header;
    const stop: LogStop = { segment, segmentFirstSequence, sequence: position.sequence, tail };
    const isTorn = await wasNeverAcknowledged(fileSystem, stop, ring);
    const refusal = isTorn ? null : judgeTail(segment, position, tail, ring, step.problem);
    if (refusal !== null) throw new DamagedJournal(refusal);
    const newestCommit = commits.newest();
    const { start: offset } = tail;
    if (segment.form === "compressed") {
      const nextSequence = position.sequence + 1;
      return {
        position,
        segment: null,
        segmentFirstSequence: nextSequence,
        offset,
        newestCommit,
      };
    }
    const file = await openForWriting(fileSystem, segment, tail, newestCommit);
    if (isTorn || tail.end > tail.start) findings.push(tornFinding(stop));
    return { position, segment: file, segmentFirstSequence, offset, newestCommit };
  } finally {
    await scan.close();
  }
}

function damagedAt({ segment, offset, position }: SegmentScan, problem: string): JournalRefusal {
  const sequence = position.sequence + 1;
  const place = { file: segment.path, offset, sequence };
  return refuse("damaged", place, problem, repairAdvice(segment.path, sequence));
}

function badSegment(segment: SegmentName, problem: string): JournalRefusal {
  const place = { file: segment.path, offset: 0, sequence: segment.firstSequence };
  return refuse("damaged", place, problem, repairAdvice(segment.path, segment.firstSequence));
}

/** Groups batches into commits, by their durable sequence, and checks the hashes in the ring. */
class CommitTracker {
  readonly #scan: SegmentScan;
  readonly #ring: ReadonlyMap<number, RingEntry>;
  #first: ScannedBatch | null = null;

  constructor(scan: SegmentScan, ring: RingState) {
    this.#scan = scan;
    this.#ring = new Map(ring.entries.map((entry) => [entry.lastSequence, entry]));
    this.#compare();
  }

  add(scanned: ScannedBatch): void {
    const first = this.#first;
    if (first === null || first.header.durableSequence !== scanned.header.durableSequence) {
      this.#first = scanned;
    }
    this.#compare();
  }

  #compare(): void {
    const { sequence, chainHash } = this.#scan.position;
    const entry = this.#ring.get(sequence);
    if (entry === undefined || sameBytes(entry.chainHash, chainHash)) return;
    const { path } = this.#scan.segment;
    const problem = "the header ring has another batch of this sequence: files of two copies mixed";
    const advice = `Restore ${path} and ${RING_FILE} from the same copy`;
    const place = { file: path, offset: this.#scan.offset, sequence };
    throw new DamagedJournal(refuse("damaged", place, problem, advice));
  }

  /** What the ring's newest entry should say; null for an empty log. */
  newest(): RingEntry | null {
    const { position, offset: end, header } = this.#scan;
    const { sequence, chainHash } = position;
    if (sequence === 0) return null;
    const firstSequence = this.#first?.header.firstSequence ?? sequence;
    const offset = this.#first?.offset ?? SEGMENT_HEADER_BYTES;
    const byteLength = this.#first === null ? 0 : end - offset;
    const segmentFirstSequence = header.firstSequence;
    return {
      firstSequence,
      lastSequence: sequence,
      segmentFirstSequence,
      offset,
      byteLength,
      chainHash,
      // Recovery keeps every whole commit, whether it had been acknowledged or not.
      acknowledgedSequence: sequence,
      emptySectors: null,
    };
  }
}

/** Null when the tail is clean, or torn and never acknowledged. In doubt it is refused. */
function judgeTail(
  segment: SegmentName,
  position: ChainPosition,
  tail: Tail,
  ring: RingState,
  stopProblem: string,
): JournalRefusal | null {
  const sequence = position.sequence + 1;
  const file = segment.path;
  const place = { file, offset: tail.start, sequence };
  const dirty = tail.end > tail.start;
  const problem = dirty ? stopProblem : "the log ends here";
  if (tail.provenLater !== null) {
    const proof = `${problem}, but a later batch begins at offset ${tail.provenLater.offset}`;
    return refuse("damaged", place, proof, repairAdvice(file, sequence));
  }
  const newest = ring.entries.at(-1);
  if (newest !== undefined && newest.lastSequence >= sequence) {
    return refuseKnownCommit(place, problem, newest);
  }
  if (!dirty) return null;
  if (!ring.newestInDoubt) return null;
  const doubt = `${problem}, and ${RING_FILE}, which shows whether it was acknowledged, is damaged`;
  return refuse("in-doubt", place, doubt, repairAdvice(file, sequence));
}

function refuseKnownCommit(
  place: { readonly file: string; readonly offset: number; readonly sequence: number },
  problem: string,
  newest: RingEntry,
): JournalRefusal {
  const { firstSequence, lastSequence } = newest;
  const known = `the commit of ${firstSequence} to ${lastSequence}`;
  const commit = `${problem}, but the header ring has ${known}`;
  if (firstSequence > place.sequence) {
    return refuse("damaged", place, commit, repairAdvice(place.file, place.sequence));
  }
  const advice =
    "A failing disk does this, and the commit may have been acknowledged; a power cut would have " +
    `left whole sectors of it empty. ${repairAdvice(place.file, place.sequence)}`;
  return refuse("in-doubt", place, commit, advice);
}

const ZEROS = new Uint8Array(256 * 1024);

/** Overwrites with zeros and syncs. */
async function zeroRange(file: OpenFile, start: number, end: number): Promise<void> {
  for (let at = start; at < end; at += ZEROS.length) {
    await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, end - at)), at);
  }
  await file.sync();
}

/**
 * Opens the segment for writing, with zeros behind its last batch. The last commit is written
 * again and synced before anyone reads it: a killed process may have left it in the page cache
 * only, and after a failed sync the cache counts pages as clean that the disk never received.
 */
async function openForWriting(
  fileSystem: FileSystem,
  segment: SegmentName,
  tail: Tail,
  newest: RingEntry | null,
): Promise<OpenFile> {
  const file = await fileSystem.open(segment.path, "write");
  if (newest !== null) await rewrite(file, newest.offset, newest.byteLength);
  await zeroRange(file, tail.start, tail.end);
  return file;
}

function tornFinding({ segment, sequence, tail }: LogStop): RecoveryFinding {
  const message =
    `${segment.path}: ${tail.end - tail.start} bytes of a commit torn by a crash were cut off ` +
    `at offset ${tail.start}, after sequence ${sequence}; it had not been acknowledged`;
  return { kind: "torn-commit-cut", message };
}

async function rewrite(file: OpenFile, offset: number, byteLength: number): Promise<void> {
  const bytes = new Uint8Array(byteLength);
  const count = await file.read(bytes, offset);
  invariant(count === byteLength, "what was scanned can be read again");
  await file.write(bytes, offset);
}

/**
 * Rewrites the ring with the newest commit alone, which is all it needs to hold; also when it holds
 * that already, because a killed process may have left it in the page cache only. Returns the next
 * slot.
 */
async function renewRing(
  fileSystem: FileSystem,
  folder: string,
  ring: RingState,
  end: LogEnd,
  findings: RecoveryFinding[],
): Promise<number> {
  await rewriteRing(fileSystem, folder, end.newestCommit);
  const problem = ringProblem(ring, end.position.sequence);
  if (problem !== null && end.segment !== null) {
    const message = `${RING_FILE} ${problem}; the batches are whole, and it was rewritten`;
    findings.push({ kind: "ring-rewritten", message });
  }
  return end.newestCommit === null ? 0 : 1;
}

function ringProblem(ring: RingState, lastSequence: number): string | null {
  if (!ring.present) return "is missing";
  if (ring.damagedSlots > 0) return `has ${ring.damagedSlots} damaged slots`;
  const newest = ring.entries.at(-1)?.lastSequence ?? 0;
  return newest === lastSequence ? null : "lacks the last commit";
}

async function nextEpoch(
  fileSystem: FileSystem,
  folder: string,
  journalEpoch: number,
  findings: RecoveryFinding[],
): Promise<number> {
  const counted = await readEpoch(fileSystem, folder);
  if (counted === null) {
    const message = "the epoch counter was damaged and was set from the epochs in the journal";
    findings.push({ kind: "epoch-rewritten", message });
  }
  const epoch = Math.max(counted ?? 0, journalEpoch) + 1;
  await writeEpoch(fileSystem, folder, epoch);
  return epoch;
}

type OpenedSegment = Pick<
  RecoveredLog,
  "segment" | "segmentFirstSequence" | "offset" | "fileLength"
>;

async function segmentToWrite(
  fileSystem: FileSystem,
  folder: string,
  end: LogEnd,
  epoch: number,
  preallocatedBytes: number,
): Promise<OpenedSegment> {
  const { position, segmentFirstSequence } = end;
  if (end.segment !== null) {
    const fileLength = await end.segment.size();
    return { segment: end.segment, segmentFirstSequence, offset: end.offset, fileLength };
  }
  const header = { firstSequence: segmentFirstSequence, epoch, chainHash: position.chainHash };
  const segment = await createSegment(fileSystem, folder, header, preallocatedBytes);
  const fileLength = SEGMENT_HEADER_BYTES + preallocatedBytes;
  return { segment, segmentFirstSequence, offset: SEGMENT_HEADER_BYTES, fileLength };
}
