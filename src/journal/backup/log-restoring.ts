/**
 * Makes a journal from a backup, up to its end or an earlier command: every byte is compared with
 * the manifest on the way, of what is left out too. The journal goes on in a segment of its own.
 */
import { invariant } from "../../domain/index.ts";
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import { continueLog } from "../branches/log-branch.ts";
import { TEMPORARY_SUFFIX } from "../disk/whole-file.ts";
import { encodeBatch, encodedBatchLength, GENESIS_CHAIN_HASH } from "../segments/batch-format.ts";
import {
  createSegment,
  SEGMENT_HEADER_BYTES,
  type SegmentName,
  segmentPath,
} from "../segments/segment.ts";
import { type ChainPosition, type ScannedBatch, SegmentScan } from "../segments/segment-scan.ts";
import type { BackupFolder } from "./backup-folder.ts";
import { type BackupManifest, type BackupSegment, DamagedBackup } from "./backup-manifest.ts";
import { endOf } from "./log-shipping.ts";

/** The last command to restore: by sequence, or the last one not after an exchange time. */
export type RestoreLimit = { readonly sequence: number } | { readonly timeMs: number };

export interface LogRestoration {
  readonly fileSystem: FileSystem;
  readonly source: BackupFolder;
  readonly manifest: BackupManifest;
  /** A folder without a journal. */
  readonly folder: string;
  readonly limit: RestoreLimit;
}

const BEGINNING: ChainPosition = { sequence: 0, chainHash: GENESIS_CHAIN_HASH, epoch: 0 };

/** Resolves with the sequence where the new journal ends. Throws `DamagedBackup`. */
export async function restoreLog(restoration: LogRestoration): Promise<number> {
  const { fileSystem, source, manifest, folder, limit } = restoration;
  await fileSystem.makeFolder(folder);
  let end = BEGINNING;
  for (const segment of manifest.segments) {
    if (end.sequence + 1 !== segment.firstSequence) {
      for (const file of segment.files) await source.verify(file);
    } else if (isWithin(segment, limit)) {
      const { firstSequence, form } = segment;
      await copySegment(restoration, segment, segmentPath(folder, firstSequence, form));
      end = endOf([segment]) ?? end;
    } else {
      end = await cutSegment(restoration, segment);
    }
  }
  await fileSystem.syncFolder(folder);
  if (end.sequence > 0) await continueLog(fileSystem, folder, end);
  return end.sequence;
}

function isWithin({ lastSequence, lastTimestampMs }: BackupSegment, limit: RestoreLimit): boolean {
  return "sequence" in limit ? lastSequence <= limit.sequence : lastTimestampMs <= limit.timeMs;
}

async function copySegment(
  { fileSystem, source }: LogRestoration,
  { firstSequence, form, files }: BackupSegment,
  path: string,
): Promise<SegmentName> {
  const target = await fileSystem.open(path, "create");
  try {
    for (const file of files) await source.copyTo(file, target);
    await target.sync();
  } finally {
    await target.close();
  }
  return { firstSequence, form, path };
}

/** The segment in which the limit lies: its batches up to there, the last one perhaps in part. */
async function cutSegment(
  restoration: LogRestoration,
  segment: BackupSegment,
): Promise<ChainPosition> {
  const { fileSystem, folder, limit } = restoration;
  const path = segmentPath(folder, segment.firstSequence, segment.form);
  const uncut = await copySegment(restoration, segment, `${path}.uncut${TEMPORARY_SUFFIX}`);
  const scan = await SegmentScan.open(fileSystem, uncut);
  if (typeof scan === "string") throw new DamagedBackup(uncut.path, scan);
  try {
    const first = await nextBatch(scan);
    if (keptOf(first, limit) === 0) return positionBefore(scan.header);
    const target = await createSegment(fileSystem, folder, scan.header, 0);
    try {
      return await writeBatches(scan, first, limit, target);
    } finally {
      await target.sync();
      await target.close();
    }
  } finally {
    await scan.close();
    await fileSystem.remove(uncut.path);
  }
}

function positionBefore(header: Omit<ChainPosition, "sequence"> & { firstSequence: number }) {
  const { firstSequence, chainHash, epoch } = header;
  return { sequence: firstSequence - 1, chainHash, epoch };
}

async function nextBatch(scan: SegmentScan): Promise<ScannedBatch> {
  const step = await scan.next();
  if (step.kind === "batch") return step;
  throw new DamagedBackup(scan.segment.path, step.problem);
}

/** How many records of the batch are not beyond the limit. */
function keptOf({ batch, header }: ScannedBatch, limit: RestoreLimit): number {
  if ("timeMs" in limit) return batch.timestampMs <= limit.timeMs ? batch.records.length : 0;
  const kept = limit.sequence - header.firstSequence + 1;
  return Math.max(0, Math.min(kept, batch.records.length));
}

async function writeBatches(
  scan: SegmentScan,
  first: ScannedBatch,
  limit: RestoreLimit,
  target: OpenFile,
): Promise<ChainPosition> {
  let end = positionBefore(scan.header);
  let position = SEGMENT_HEADER_BYTES;
  for (let step = first; ; step = await nextBatch(scan)) {
    const kept = keptOf(step, limit);
    if (kept === 0) return end;
    const cut = kept < step.batch.records.length ? cutBatch(step, kept) : null;
    const bytes = cut?.bytes ?? step.bytes;
    await target.write(bytes, position);
    position += bytes.length;
    if (cut !== null) return cut.end;
    end = scan.position;
  }
}

/** A batch of its first records alone; a digest covers a whole batch, so it has none. */
function cutBatch({ batch, header }: ScannedBatch, kept: number) {
  const records = batch.records.first(kept);
  const part = { ...batch, records, eventDigest: null };
  const bytes = new Uint8Array(encodedBatchLength(part));
  const chainHash = encodeBatch(part, header, bytes);
  const sequence = header.firstSequence + kept - 1;
  invariant(sequence < header.lastSequence, "a cut batch is shorter");
  return { bytes, end: { sequence, chainHash, epoch: header.epoch } };
}
