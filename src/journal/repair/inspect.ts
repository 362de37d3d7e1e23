/**
 * Reads a journal from outside: `inspect` shows its contents, `verify` checks every byte. Both only
 * read, need no lock, may run beside a running exchange, and continue after damage so that they
 * report all of it.
 */
import { join } from "node:path";
import { type FileSystem, isMissingFile, NODE_PLATFORM } from "../../platform/index.ts";
import { type Command, decodeCommand, type JournaledBatch } from "../../protocol/index.ts";
import { type JournalRefusal, refuse, repairAdvice } from "../damage.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import { examineTail } from "../recovery/tail.ts";
import { type LogStop, wasNeverAcknowledged } from "../recovery/torn-commit.ts";
import { RING_FILE, type RingState, readRing } from "../ring/header-ring.ts";
import { damagedRecord } from "../segments/batch-format.ts";
import { openEitherForm } from "../segments/journal-reader.ts";
import { listSegments, type SegmentForm, type SegmentName } from "../segments/segment.ts";
import type { ScannedBatch, ScanStop, SegmentScan } from "../segments/segment-scan.ts";

export interface InspectOptions {
  readonly folder: string;
  readonly fileSystem?: FileSystem;
  /** Called from time to time. */
  readonly onProgress?: (progress: InspectProgress) => void;
}

export interface InspectProgress {
  readonly sequence: number;
  /** Of the journal's bytes on disk, 0 to 100. */
  readonly percent: number;
  readonly records: number;
  readonly recordsPerSecond: number;
}

/** One segment, as far as it can be read. */
export interface SegmentRow {
  readonly file: string;
  readonly form: SegmentForm;
  readonly fileBytes: number;
  readonly firstSequence: number;
  /** `firstSequence - 1` when there is no batch in it. */
  readonly lastSequence: number;
  readonly batches: number;
  readonly records: number;
  readonly firstTimestampMs: number | null;
  readonly lastTimestampMs: number | null;
  readonly firstEpoch: number | null;
  readonly lastEpoch: number | null;
  /** Batches that carry a digest of events. */
  readonly digests: number;
  /** Records by type of command; empty where only verified. */
  readonly commands: Readonly<Record<string, number>>;
}

export interface JournalInspection {
  /** Whether every acknowledged batch can be read. */
  readonly ok: boolean;
  readonly folder: string;
  readonly segments: readonly SegmentRow[];
  readonly batches: number;
  readonly records: number;
  readonly lastSequence: number;
  /** End of the hash chain, in hex: two copies with the same one hold the same log. */
  readonly chainHash: string;
  readonly commands: Readonly<Record<string, number>>;
  readonly ring: {
    readonly newestSequence: number | null;
    readonly entries: number;
    readonly damagedSlots: number;
  };
  readonly damage: readonly JournalRefusal[];
  /** Harmless irregularities, which the next start repairs. */
  readonly notes: readonly string[];
}

/** What is in the journal, with its commands counted by type. */
export function inspectJournal(options: InspectOptions): Promise<JournalInspection> {
  return new JournalWalk(options, countCommand).run();
}

/** Every checksum, hash and link of the journal; the commands are not decoded. */
export function verifyJournal(options: InspectOptions): Promise<JournalInspection> {
  return new JournalWalk(options, null).run();
}

/**
 * The same for the last two segments only (the last may be empty), which is quick however long the
 * journal is: whether a start would find the end that the header ring names.
 */
export function verifyJournalEnd(options: InspectOptions): Promise<JournalInspection> {
  return new JournalWalk(options, null, END_SEGMENTS).run();
}

const END_SEGMENTS = 2;

type Counts = Record<string, number>;
type CountRecord = (counts: Counts, record: Uint8Array) => void;

function countCommand(counts: Counts, record: Uint8Array): void {
  const type = commandType(record);
  counts[type] = (counts[type] ?? 0) + 1;
}

/** Commands of newer versions have a name too. */
export function commandType(record: Uint8Array): Command["type"] | "unknown to this program" {
  try {
    return decodeCommand(record).type;
  } catch {
    return "unknown to this program";
  }
}

/** A row while it is being filled. */
type OpenRow = { -readonly [Name in keyof SegmentRow]: SegmentRow[Name] } & { commands: Counts };

function emptyRow(segment: SegmentName, fileBytes: number): OpenRow {
  return {
    file: segment.path,
    form: segment.form,
    fileBytes,
    firstSequence: segment.firstSequence,
    lastSequence: segment.firstSequence - 1,
    batches: 0,
    records: 0,
    firstTimestampMs: null,
    lastTimestampMs: null,
    firstEpoch: null,
    lastEpoch: null,
    digests: 0,
    commands: {},
  };
}

/** 0 when the segment was compressed after the folder was listed. */
async function fileLength(fileSystem: FileSystem, segment: SegmentName): Promise<number> {
  try {
    const file = await fileSystem.open(segment.path, "read");
    return await file.size().finally(() => file.close());
  } catch (error) {
    if (isMissingFile(error)) return 0;
    throw error;
  }
}

const PROGRESS_EVERY_MS = 500;

class JournalWalk {
  readonly #folder: string;
  readonly #fileSystem: FileSystem;
  readonly #onProgress: (progress: InspectProgress) => void;
  readonly #count: CountRecord | null;
  readonly #segmentsMax: number;
  readonly #rows: OpenRow[] = [];
  readonly #damage: JournalRefusal[] = [];
  readonly #notes: string[] = [];
  readonly #startedMs = NODE_PLATFORM.clock.monotonicMs();
  #reportedMs = this.#startedMs;
  #totalBytes = 0;
  #walkedBytes = 0;
  #records = 0;
  /** In the last segment, where it is raw. */
  #stop: LogStop | null = null;
  /** The position of the log after the segments read so far. */
  #sequence = 0;
  #chainHash: Uint8Array = new Uint8Array(32);

  constructor(
    options: InspectOptions,
    count: CountRecord | null,
    segmentsMax = Number.POSITIVE_INFINITY,
  ) {
    this.#folder = options.folder;
    this.#fileSystem = options.fileSystem ?? NODE_PLATFORM.files;
    this.#onProgress = options.onProgress ?? (() => {});
    this.#count = count;
    this.#segmentsMax = segmentsMax;
  }

  async run(): Promise<JournalInspection> {
    // The ring first: the commits it names are whole in the segments, which are read later.
    const ring = await readRing(this.#fileSystem, this.#folder);
    const segments = await this.#listSegments();
    for (const segment of segments) {
      const fileBytes = await fileLength(this.#fileSystem, segment);
      this.#rows.push(emptyRow(segment, fileBytes));
    }
    for (const { fileBytes } of this.#rows) this.#totalBytes += fileBytes;
    for (const [index, segment] of segments.entries()) {
      const isLast = index === segments.length - 1;
      await this.#walkSegment(segment, this.#rows[index] as OpenRow, isLast);
    }
    await this.#compareRing(ring, segments.at(-1));
    this.#report();
    return this.#result(ring);
  }

  /** When only the end is read, the header of its first segment is trusted. */
  async #listSegments(): Promise<readonly SegmentName[]> {
    const all = await listSegments(this.#fileSystem, this.#folder);
    const walked = all.slice(-Math.min(this.#segmentsMax, all.length));
    const [first] = walked;
    if (first === undefined || walked.length === all.length) return walked;
    const scan = await openEitherForm(this.#fileSystem, first);
    if (typeof scan === "string") return walked;
    this.#sequence = scan.position.sequence;
    this.#chainHash = scan.position.chainHash;
    await scan.close();
    return walked;
  }

  async #walkSegment(segment: SegmentName, row: OpenRow, isLast: boolean): Promise<void> {
    const scan = await openEitherForm(this.#fileSystem, segment);
    if (typeof scan === "string") {
      this.#addDamage(segment, 0, segment.firstSequence, scan);
      this.#walkedBytes += row.fileBytes;
      return;
    }
    try {
      this.#checkLink(scan);
      let step = await scan.next();
      for (; step.kind === "batch"; step = await scan.next()) this.#add(scan, row, step);
      await this.#judgeEnd(scan, step, isLast);
      this.#sequence = scan.position.sequence;
      this.#chainHash = scan.position.chainHash;
    } finally {
      await scan.close();
    }
    this.#walkedBytes += row.fileBytes;
  }

  #checkLink({ segment, header, position }: SegmentScan): void {
    if (position.sequence !== this.#sequence) {
      const missing = `sequences ${this.#sequence + 1} to ${position.sequence}`;
      this.#addDamage(segment, 0, this.#sequence + 1, `${missing} are missing before it`);
    } else if (!sameBytes(header.chainHash, this.#chainHash)) {
      const problem = "the segment does not follow from the one before it (hash chain)";
      this.#addDamage(segment, 0, segment.firstSequence, problem);
    }
  }

  #add(scan: SegmentScan, row: OpenRow, { batch, header, offset, bytes }: ScannedBatch): void {
    const problem = damagedRecord(header, bytes);
    if (problem !== null) this.#addDamage(scan.segment, offset, header.firstSequence, problem);
    row.batches++;
    row.records += batch.records.length;
    row.lastSequence = header.lastSequence;
    row.firstTimestampMs ??= batch.timestampMs;
    row.lastTimestampMs = batch.timestampMs;
    row.firstEpoch ??= batch.epoch;
    row.lastEpoch = batch.epoch;
    if (batch.eventDigest !== null) row.digests++;
    this.#countRecords(row, batch);
    this.#records += batch.records.length;
    this.#sequence = header.lastSequence;
    if (NODE_PLATFORM.clock.monotonicMs() - this.#reportedMs >= PROGRESS_EVERY_MS) {
      this.#report(row.form === "raw" ? scan.offset : 0);
    }
  }

  #countRecords(row: OpenRow, batch: JournaledBatch): void {
    if (this.#count === null) return;
    for (const record of batch.records) this.#count(row.commands, record);
  }

  async #judgeEnd(scan: SegmentScan, stop: ScanStop, isLast: boolean): Promise<void> {
    if (stop.atEndOfFile) return;
    const { segment, offset, position } = scan;
    const sequence = position.sequence + 1;
    if (!isLast || segment.form === "compressed") {
      this.#addDamage(segment, offset, sequence, stop.problem);
      return;
    }
    const tail = await examineTail(scan.cursor, sequence);
    const { firstSequence: segmentFirstSequence } = scan.header;
    this.#stop = { segment, segmentFirstSequence, sequence: position.sequence, tail };
    if (tail.provenLater !== null) {
      const proof = `${stop.problem}, but a later batch begins at ${tail.provenLater.offset}`;
      this.#addDamage(segment, offset, sequence, proof);
    } else if (tail.end > tail.start) {
      this.#notes.push(
        `${segment.path}: ${tail.end - tail.start} bytes after sequence ${position.sequence} ` +
          "make no batch: one is being written, or a crash tore one that was not acknowledged",
      );
    }
  }

  async #compareRing(ring: RingState, last: SegmentName | undefined): Promise<void> {
    const newest = ring.entries.at(-1);
    if (!ring.present) this.#notes.push(`${RING_FILE} is missing; the next start rewrites it`);
    if (ring.damagedSlots > 0) {
      this.#notes.push(
        `${RING_FILE} has ${ring.damagedSlots} damaged slots; the next start rewrites it`,
      );
    }
    if (newest === undefined || newest.lastSequence <= this.#sequence) return;
    if (this.#damage.length > 0) return;
    if (this.#stop !== null && (await wasNeverAcknowledged(this.#fileSystem, this.#stop, ring))) {
      this.#notes.push(
        `a power cut tore the commit of ${newest.firstSequence} to ${newest.lastSequence} before ` +
          "it was acknowledged; the next start cuts it off",
      );
      return;
    }
    const place = last ?? { path: join(this.#folder, RING_FILE) };
    const problem = `the header ring has a commit up to ${newest.lastSequence}, which is missing`;
    const file = { file: place.path, sequence: this.#sequence + 1 };
    const advice = repairAdvice(place.path, this.#sequence + 1);
    this.#damage.push(refuse("damaged", file, problem, advice));
  }

  #addDamage(segment: SegmentName, offset: number, sequence: number, problem: string): void {
    const place = { file: segment.path, offset, sequence };
    const advice = repairAdvice(segment.path, sequence);
    this.#damage.push(refuse("damaged", place, problem, advice));
  }

  #report(bytesOfCurrent = 0): void {
    this.#reportedMs = NODE_PLATFORM.clock.monotonicMs();
    const seconds = (this.#reportedMs - this.#startedMs) / 1000;
    const bytes = this.#walkedBytes + bytesOfCurrent;
    this.#onProgress({
      sequence: this.#sequence,
      percent: this.#totalBytes === 0 ? 100 : (100 * bytes) / this.#totalBytes,
      records: this.#records,
      recordsPerSecond: Math.round(this.#records / Math.max(seconds, 0.001)),
    });
  }

  #result(ring: RingState): JournalInspection {
    const commands: Counts = {};
    let batches = 0;
    for (const row of this.#rows) {
      batches += row.batches;
      for (const [type, count] of Object.entries(row.commands)) {
        commands[type] = (commands[type] ?? 0) + count;
      }
    }
    return {
      ok: this.#damage.length === 0,
      folder: this.#folder,
      segments: this.#rows,
      batches,
      records: this.#records,
      lastSequence: this.#sequence,
      chainHash: Buffer.from(this.#chainHash).toString("hex"),
      commands,
      ring: {
        newestSequence: ring.entries.at(-1)?.lastSequence ?? null,
        entries: ring.entries.length,
        damagedSlots: ring.damagedSlots,
      },
      damage: this.#damage,
      notes: this.#notes,
    };
  }
}
