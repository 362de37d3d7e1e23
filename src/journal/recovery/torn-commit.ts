/**
 * Tells a last commit that a power cut tore before anybody was told of it from one that was
 * acknowledged and is damaged (decision 0036).
 *
 * What stood in a commit's place before are zeros, written and synced; its sectors come to the disk
 * one by one, each whole or not at all. So a sector that is all zeros where the ring counted none
 * has never reached the disk, the sync of the commit did not end, and there was no answer.
 */
import type { FileSystem } from "../disk/file-system.ts";
import type { RingState } from "../ring/header-ring.ts";
import type { SegmentName } from "../segments/segment.ts";
import type { Tail } from "./tail.ts";

const SECTOR_BYTES = 512;

/** Where the log stops making sense: behind `sequence`, in the last segment. */
export interface LogStop {
  readonly segment: SegmentName;
  readonly segmentFirstSequence: number;
  readonly sequence: number;
  readonly tail: Tail;
}

/**
 * Whether the commit that the log stops in is the ring's newest, and provably was never
 * acknowledged. False in any doubt.
 */
export async function wasNeverAcknowledged(
  fileSystem: FileSystem,
  { segment, segmentFirstSequence, sequence, tail }: LogStop,
  ring: RingState,
): Promise<boolean> {
  const newest = ring.entries.at(-1);
  // A damaged slot could be the one that says that it was acknowledged.
  if (newest === undefined || ring.damagedSlots > 0 || newest.emptySectors === null) return false;
  const { firstSequence, lastSequence, offset, byteLength, acknowledgedSequence } = newest;
  const stopsInside = firstSequence <= sequence + 1 && sequence < lastSequence;
  if (!stopsInside || acknowledgedSequence !== firstSequence - 1) return false;
  if (segment.form !== "raw" || newest.segmentFirstSequence !== segmentFirstSequence) return false;
  const end = offset + byteLength;
  if (tail.start < offset || tail.start >= end) return false;
  // What stands behind it was written after it had been acknowledged.
  if (tail.provenLater !== null || tail.end > end) return false;
  const bytes = await readRange(fileSystem, segment, offset, byteLength);
  return bytes !== null && countEmptySectors(bytes, offset) > newest.emptySectors;
}

/** Null where the file ends before: a power cut does not make it shorter. */
async function readRange(
  fileSystem: FileSystem,
  segment: SegmentName,
  offset: number,
  byteLength: number,
): Promise<Uint8Array | null> {
  const file = await fileSystem.open(segment.path, "read");
  try {
    const bytes = new Uint8Array(byteLength);
    return (await file.read(bytes, offset)) === byteLength ? bytes : null;
  } finally {
    await file.close();
  }
}

/** Sectors of which the part that the bytes at `offset` of a file have is all zeros. */
export function countEmptySectors(bytes: Uint8Array, offset: number): number {
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES));
    if (isEmpty(bytes, at, end)) count++;
    at = end;
  }
  return count;
}

function isEmpty(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}
