/**
 * Branches of the log: a log that goes on at an earlier point of another one. Its folder has the
 * segments up to that point and one that begins there; that segment's header names the hash of the
 * chain before it, so that a reader follows the branch from the first command. Closed segments
 * never change, so folders share them. A folder in the making counts for nothing: whoever makes one
 * decides by another file when it is the log.
 */
import { basename, join } from "node:path";
import { invariant } from "../../domain/index.ts";
import {
  type FileSystem,
  isLinkRefused,
  isMissingFile,
  type OpenFile,
} from "../../platform/index.ts";
import { writeEpoch } from "../ring/epoch-file.ts";
import { type RingEntry, rewriteRing } from "../ring/header-ring.ts";
import { openEitherForm } from "../segments/journal-reader.ts";
import {
  COMPRESSION_SUFFIX,
  createSegment,
  listSegments,
  SEGMENT_HEADER_BYTES,
  type SegmentName,
} from "../segments/segment.ts";
import type { ChainPosition, SegmentScan } from "../segments/segment-scan.ts";

const CHUNK_BYTES = 512 * 1024;

export interface LogCopy {
  readonly from: string;
  /** A folder without a log. */
  readonly to: string;
}

/**
 * Copies the log up to `throughSequence`, which is durable and the last of a batch, also while the
 * log is being written. Resolves with the place where it ends.
 */
export async function copyLog(
  fileSystem: FileSystem,
  { from, to, throughSequence }: LogCopy & { readonly throughSequence: number },
): Promise<ChainPosition> {
  await fileSystem.makeFolder(to);
  const segments = await listSegments(fileSystem, from);
  const wanted = segments.filter(({ firstSequence }) => firstSequence <= throughSequence);
  const last = wanted.pop();
  invariant(last !== undefined, "the log has the command up to which it is copied");
  for (const segment of wanted) await share(fileSystem, segment, to);
  const end = await copySegment(fileSystem, last, to, throughSequence);
  await fileSystem.syncFolder(to);
  return end;
}

/** Gives a log that is not written any more, as `copyLog` made it, a second folder. */
export async function shareLog(fileSystem: FileSystem, { from, to }: LogCopy): Promise<void> {
  await fileSystem.makeFolder(to);
  for (const segment of await listSegments(fileSystem, from)) await share(fileSystem, segment, to);
  await fileSystem.syncFolder(to);
}

/** Appends an empty segment: the log in `folder` goes on after `position`, and can be opened. */
export async function continueLog(
  fileSystem: FileSystem,
  folder: string,
  { sequence, chainHash, epoch }: ChainPosition,
): Promise<void> {
  const header = { firstSequence: sequence + 1, epoch, chainHash };
  const createEmpty = async () => {
    const file = await createSegment(fileSystem, folder, header, 0);
    await file.close();
  };
  const last: RingEntry = {
    firstSequence: sequence,
    lastSequence: sequence,
    segmentFirstSequence: sequence + 1,
    offset: SEGMENT_HEADER_BYTES,
    byteLength: 0,
    chainHash,
    acknowledgedSequence: sequence,
    emptySectors: null,
  };
  await Promise.all([
    createEmpty(),
    rewriteRing(fileSystem, folder, last),
    writeEpoch(fileSystem, folder, epoch),
  ]);
}

async function share(fileSystem: FileSystem, segment: SegmentName, to: string): Promise<void> {
  try {
    await linkOrCopy(fileSystem, segment.path, to);
  } catch (error) {
    // It may have been compressed since the folder was listed.
    if (segment.form === "compressed" || !isMissingFile(error)) throw error;
    await linkOrCopy(fileSystem, segment.path + COMPRESSION_SUFFIX, to);
  }
}

/** Gives a file that never changes a second name in a folder; where there are none, a copy. */
export async function linkOrCopy(
  fileSystem: FileSystem,
  path: string,
  folder: string,
): Promise<void> {
  const target = join(folder, basename(path));
  try {
    await fileSystem.link(path, target);
  } catch (error) {
    if (!isLinkRefused(error)) throw error;
    await copyFile(fileSystem, path, target);
  }
}

async function copyFile(fileSystem: FileSystem, from: string, to: string): Promise<void> {
  const source = await fileSystem.open(from, "read");
  try {
    const target = await fileSystem.open(to, "create");
    try {
      const chunk = new Uint8Array(CHUNK_BYTES);
      for (let position = 0; ; ) {
        const count = await source.read(chunk, position);
        if (count === 0) break;
        await target.write(chunk.subarray(0, count), position);
        position += count;
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Batch by batch, each checked: what is copied is whole. */
async function copySegment(
  fileSystem: FileSystem,
  segment: SegmentName,
  to: string,
  throughSequence: number,
): Promise<ChainPosition> {
  const scan = await openEitherForm(fileSystem, segment);
  if (typeof scan === "string") throw new Error(`${segment.path}: ${scan}`);
  try {
    const target = await createSegment(fileSystem, to, scan.header, 0);
    try {
      await copyBatches(scan, target, throughSequence);
      await target.sync();
    } finally {
      await target.close();
    }
    return scan.position;
  } finally {
    await scan.close();
  }
}

async function copyBatches(scan: SegmentScan, to: OpenFile, through: number): Promise<void> {
  let position = SEGMENT_HEADER_BYTES;
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const write = async () => {
    await to.write(Buffer.concat(parts), position);
    position += bytes;
    parts = [];
    bytes = 0;
  };
  while (scan.position.sequence < through) {
    const step = await scan.next();
    if (step.kind === "stop") throw new Error(`${scan.segment.path}: ${step.problem}`);
    parts.push(step.bytes.slice());
    bytes += step.bytes.length;
    if (bytes >= CHUNK_BYTES) await write();
  }
  invariant(scan.position.sequence === through, "a log is copied up to the end of a batch");
  await write();
}
