/**
 * Tells a last commit that a power cut tore before it was acknowledged from one that was
 * acknowledged and is damaged (decision 0036).
 *
 * Before a commit is written its place holds zeros, written and synced. Its sectors reach the disk
 * one by one, each whole or not at all. So a sector of zeros where the ring counted none never
 * reached the disk: the commit's sync did not finish, and no answer was sent.
 */
import type { FileSystem } from "../../platform/index.ts";
import type { RingState } from "../ring/header-ring.ts";
import type { SegmentName } from "../segments/segment.ts";
import type { Tail } from "./tail.ts";

const SECTOR_BYTES = 512;

/** Where the log becomes unreadable: after `sequence`, in the last segment. */
export interface LogStop {
  readonly segment: SegmentName;
  readonly segmentFirstSequence: number;
  readonly sequence: number;
  readonly tail: Tail;
}

/**
 * Whether the log stops inside the ring's newest commit and that commit provably was never
 * acknowledged. False when in doubt.
 */
export async function wasNeverAcknowledged(
  fileSystem: FileSystem,
  { segment, segmentFirstSequence, sequence, tail }: LogStop,
  ring: RingState,
): Promise<boolean> {
  const newest = ring.entries.at(-1);
  // A damaged slot could be the one that recorded the acknowledgement.
  if (newest === undefined || ring.damagedSlots > 0 || newest.emptySectors === null) return false;
  const { firstSequence, lastSequence, offset, byteLength, acknowledgedSequence } = newest;
  const stopsInside = firstSequence <= sequence + 1 && sequence < lastSequence;
  if (!stopsInside || acknowledgedSequence !== firstSequence - 1) return false;
  if (segment.form !== "raw" || newest.segmentFirstSequence !== segmentFirstSequence) return false;
  const end = offset + byteLength;
  if (tail.start < offset || tail.start >= end) return false;
  // Anything after it was written after its acknowledgement.
  if (tail.provenLater !== null || tail.end > end) return false;
  const bytes = await readRange(fileSystem, segment, offset, byteLength);
  return bytes !== null && countEmptySectors(bytes, offset) > newest.emptySectors;
}

/** Null when the file ends earlier: a power cut does not shorten it. */
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

/** Sectors whose part in the bytes at `offset` of a file is all zeros. */
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
