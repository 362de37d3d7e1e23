/**
 * Copies the journal into a backup, beside its writer: compressed segments whole, raw ones in
 * pieces, each with what was added since the last run. Whatever is copied was checked, batch by
 * batch, and made durable where it comes from: a backup never has a command that a power cut could
 * still take from the exchange.
 */
import type { FileSystem } from "../../platform/index.ts";
import { DamagedJournal, refuse, repairAdvice } from "../damage.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import { GENESIS_CHAIN_HASH } from "../segments/batch-format.ts";
import { openEitherForm } from "../segments/journal-reader.ts";
import { encodeSegmentHeader, listSegments, type SegmentName } from "../segments/segment.ts";
import type { ChainPosition, SegmentScan } from "../segments/segment-scan.ts";
import { type BackupFolder, chunksOf } from "./backup-folder.ts";
import { type BackupFile, type BackupSegment, bytesOf } from "./backup-manifest.ts";

/** A segment with more pieces is copied anew, as one. */
const PIECES_MAX = 256;

/** The backup has commands that the journal lacks: it is of another exchange, or of a later end. */
export class DivergedBackup extends Error {
  override readonly name = "DivergedBackup";
  /** Of the backup. */
  readonly sequence: number;

  constructor(sequence: number) {
    super(`its end, sequence ${sequence}, is not in this journal`);
    this.sequence = sequence;
  }
}

export interface LogShipment {
  readonly fileSystem: FileSystem;
  readonly journalFolder: string;
  /** Durable or visible, the last of a batch. */
  readonly throughSequence: number;
  readonly target: BackupFolder;
  /** What the backup had so far. */
  readonly earlier: readonly BackupSegment[];
  /** Whether files of earlier runs are read again or only looked at. */
  readonly check: "all" | "size";
}

/** Throws `DamagedJournal` and `DivergedBackup`. */
export async function shipLog(shipment: LogShipment): Promise<readonly BackupSegment[]> {
  const { earlier, throughSequence } = shipment;
  const names = await listSegments(shipment.fileSystem, shipment.journalFolder);
  const segments = names.filter(({ firstSequence }) => firstSequence <= throughSequence);
  const known = new Map(earlier.map((segment) => [segment.firstSequence, segment]));
  const last = earlier.at(-1);
  const shipped: BackupSegment[] = [];
  for (const name of segments) {
    const before = known.get(name.firstSequence) ?? null;
    known.delete(name.firstSequence);
    const isWhole = before !== null && before !== last && isOfForm(before, name);
    const isKept = isWhole && (await holdsAll(shipment, before));
    shipped.push(isKept ? before : await shipSegment(shipment, name, before, shipped.at(-1)));
  }
  if (last !== undefined && known.size > 0) throw new DivergedBackup(last.lastSequence);
  return shipped;
}

/** A raw one is replaced once the exchange has compressed it. */
function isOfForm(before: BackupSegment, { form }: SegmentName): boolean {
  return before.form === "compressed" || form === "raw";
}

async function holdsAll({ target, check }: LogShipment, segment: BackupSegment): Promise<boolean> {
  for (const file of segment.files) if (!(await target.holds(file, check))) return false;
  return true;
}

async function shipSegment(
  shipment: LogShipment,
  name: SegmentName,
  before: BackupSegment | null,
  previous: BackupSegment | undefined,
): Promise<BackupSegment> {
  const { fileSystem } = shipment;
  const scan = await openEitherForm(fileSystem, name);
  if (typeof scan === "string") throw damaged(name, 0, name.firstSequence, scan);
  try {
    checkLink(shipment, scan, previous);
    const shipped = new ShippedSegment(shipment, scan, before);
    return scan.segment.form === "compressed" ? await shipped.whole() : await shipped.pieces();
  } finally {
    await scan.close();
  }
}

function checkLink(
  { earlier }: LogShipment,
  { segment, header }: SegmentScan,
  previous: BackupSegment | undefined,
): void {
  const { firstSequence, chainHash } = header;
  const sequence = previous?.lastSequence ?? 0;
  const end = previous === undefined ? GENESIS_CHAIN_HASH : Buffer.from(previous.chainHash, "hex");
  if (firstSequence === sequence + 1 && sameBytes(chainHash, end)) return;
  if (previous !== undefined && earlier.includes(previous)) {
    throw new DivergedBackup(earlier.at(-1)?.lastSequence ?? sequence);
  }
  const problem = `the segment does not follow from sequence ${sequence}`;
  throw damaged(segment, 0, sequence + 1, problem);
}

class ShippedSegment {
  readonly #shipment: LogShipment;
  readonly #scan: SegmentScan;
  readonly #before: BackupSegment | null;
  /** Where what the backup has ends, or before it the header. */
  #passed = false;
  #lastTimestampMs = 0;

  constructor(shipment: LogShipment, scan: SegmentScan, before: BackupSegment | null) {
    this.#shipment = shipment;
    this.#scan = scan;
    this.#before = before;
  }

  /** Closed for good, and so it is taken to its end. */
  async whole(): Promise<BackupSegment> {
    const { fileSystem, target } = this.#shipment;
    const { path, firstSequence } = this.#scan.segment;
    for await (const _ of this.#batches(Number.POSITIVE_INFINITY));
    const kept = await this.#kept("compressed");
    if (kept.length > 0) return this.#segment("compressed", kept);
    const file = await target.putSegment(firstSequence, "compressed", chunksOf(fileSystem, path));
    return this.#segment("compressed", [file]);
  }

  async pieces(): Promise<BackupSegment> {
    await this.#makeDurable();
    const kept = await this.#kept("raw");
    const added = this.#bytesFrom(bytesOf(kept));
    const first = await added.next();
    if (first.done === true) return this.#segment("raw", kept);
    const { firstSequence } = this.#scan.segment;
    const chunks = beginningWith(first.value, added);
    const piece = await this.#shipment.target.putSegment(firstSequence, "raw", chunks);
    return this.#segment("raw", [...kept, piece]);
  }

  /** The files of earlier runs, where they can be added to. */
  async #kept(form: BackupSegment["form"]): Promise<readonly BackupFile[]> {
    const before = this.#before;
    if (before?.form !== form || before.files.length >= PIECES_MAX) return [];
    return (await holdsAll(this.#shipment, before)) ? before.files : [];
  }

  /** What was visible before is on the disk afterwards, whoever wrote it. */
  async #makeDurable(): Promise<void> {
    const file = await this.#shipment.fileSystem.open(this.#scan.segment.path, "read");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async *#bytesFrom(offset: number): AsyncGenerator<Uint8Array, void, undefined> {
    if (offset === 0) yield encodeSegmentHeader(this.#scan.header);
    for await (const batch of this.#batches(this.#shipment.throughSequence)) {
      if (batch.offset >= offset) yield batch.bytes;
    }
  }

  /** Each checked, up to a sequence or the segment's end; on the way is the backup's end. */
  async *#batches(throughSequence: number) {
    const scan = this.#scan;
    this.#compareEnd();
    while (scan.position.sequence < throughSequence) {
      const step = await scan.next();
      if (step.kind === "batch") {
        this.#lastTimestampMs = step.batch.timestampMs;
        this.#compareEnd();
        yield step;
      } else if (step.atEndOfFile) {
        break;
      } else {
        throw damaged(scan.segment, scan.offset, scan.position.sequence + 1, step.problem);
      }
    }
    if (this.#before !== null && !this.#passed) {
      throw new DivergedBackup(this.#before.lastSequence);
    }
  }

  #compareEnd(): void {
    const { sequence, chainHash } = this.#scan.position;
    if (sequence !== this.#before?.lastSequence) return;
    if (Buffer.from(chainHash).toString("hex") !== this.#before.chainHash) {
      throw new DivergedBackup(sequence);
    }
    this.#passed = true;
  }

  #segment(form: "raw" | "compressed", files: readonly BackupFile[]): BackupSegment {
    const { position, header } = this.#scan;
    return {
      form,
      firstSequence: header.firstSequence,
      lastSequence: position.sequence,
      chainHash: Buffer.from(position.chainHash).toString("hex"),
      epoch: position.epoch,
      lastTimestampMs: this.#lastTimestampMs,
      files,
    };
  }
}

async function* beginningWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield first;
  yield* rest;
}

function damaged(segment: SegmentName, offset: number, sequence: number, problem: string) {
  const place = { file: segment.path, offset, sequence };
  const advice = repairAdvice(segment.path, sequence);
  return new DamagedJournal(refuse("damaged", place, problem, advice));
}

/** Where a backup's part of the journal ends. */
export function endOf(segments: readonly BackupSegment[]): ChainPosition | null {
  const last = segments.at(-1);
  if (last === undefined) return null;
  const { lastSequence: sequence, chainHash, epoch } = last;
  return { sequence, chainHash: Uint8Array.from(Buffer.from(chainHash, "hex")), epoch };
}
