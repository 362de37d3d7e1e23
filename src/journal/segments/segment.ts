/**
 * Segments: the files that hold the batches, each named by its first sequence. The last one is
 * open, its unwritten part is zeros; the others are closed: cut to their batches, and compressed in
 * the background. A segment is created whole (temporary name, sync, rename, sync of the folder), so
 * a bad segment header is always damage.
 *
 *   segment header, 512 bytes
 *    0 magic "RIALTOJL"   8 format version   16 first sequence (u64)   24 epoch (u64)
 *   32 chain hash before the first batch (32 bytes)   64 zeros   508 CRC-32 of the 508 bytes before
 */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import { getUint64, HASH_BYTES, setUint64, viewOf } from "../disk/fixed-width.ts";
import { TEMPORARY_SUFFIX } from "../disk/whole-file.ts";

export const SEGMENT_HEADER_BYTES = 512;
const SEGMENT_MAGIC = Buffer.from("RIALTOJL", "latin1");
const SEGMENT_FORMAT_VERSION = 1;
const CHAIN_HASH_AT = 32;
const CHECKSUM_AT = SEGMENT_HEADER_BYTES - 4;
const SEQUENCE_DIGITS = 16;
const RAW_SUFFIX = ".segment";
/** Appended to the name of a raw segment, it names the compressed one. */
export const COMPRESSION_SUFFIX = ".zst";
const SEGMENT_NAME = /^(\d{16})\.segment(\.zst)?$/;

export type SegmentForm = "raw" | "compressed";

/** A segment in the folder. While it is being compressed both forms may exist: `raw` counts. */
export interface SegmentName {
  readonly firstSequence: number;
  readonly form: SegmentForm;
  readonly path: string;
}

export interface SegmentHeader {
  readonly firstSequence: number;
  readonly epoch: number;
  /** End of the hash chain before the first batch. */
  readonly chainHash: Uint8Array;
}

export function segmentPath(folder: string, firstSequence: number, form: SegmentForm): string {
  const suffix = form === "raw" ? RAW_SUFFIX : RAW_SUFFIX + COMPRESSION_SUFFIX;
  return join(folder, String(firstSequence).padStart(SEQUENCE_DIGITS, "0") + suffix);
}

/** In order of sequence. */
export async function listSegments(
  fileSystem: FileSystem,
  folder: string,
): Promise<readonly SegmentName[]> {
  const found = new Map<number, SegmentForm>();
  for (const name of await fileSystem.list(folder)) {
    const match = SEGMENT_NAME.exec(name);
    if (match === null) continue;
    const firstSequence = Number(match[1]);
    const form = match[2] === undefined ? "raw" : "compressed";
    if (form === "raw" || !found.has(firstSequence)) found.set(firstSequence, form);
  }
  return [...found]
    .sort(([left], [right]) => left - right)
    .map(([firstSequence, form]) => {
      return { firstSequence, form, path: segmentPath(folder, firstSequence, form) };
    });
}

export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = viewOf(bytes);
  bytes.set(SEGMENT_MAGIC, 0);
  view.setUint32(8, SEGMENT_FORMAT_VERSION, true);
  setUint64(view, 16, header.firstSequence);
  setUint64(view, 24, header.epoch);
  bytes.set(header.chainHash, CHAIN_HASH_AT);
  view.setUint32(CHECKSUM_AT, crc32(bytes.subarray(0, CHECKSUM_AT)), true);
  return bytes;
}

/** The header, or a sentence saying what is wrong with it. */
export function decodeSegmentHeader(bytes: Uint8Array, name: SegmentName): SegmentHeader | string {
  if (bytes.length < SEGMENT_HEADER_BYTES) return "the file ends inside its header";
  const view = viewOf(bytes);
  if (!SEGMENT_MAGIC.equals(bytes.subarray(0, SEGMENT_MAGIC.length))) {
    return "the file does not begin as a journal segment";
  }
  if (crc32(bytes.subarray(0, CHECKSUM_AT)) !== view.getUint32(CHECKSUM_AT, true)) {
    return "the file's header does not match its checksum";
  }
  const version = view.getUint32(8, true);
  if (version !== SEGMENT_FORMAT_VERSION) {
    return `format version ${version} is not known to this program, which reads version 1`;
  }
  const firstSequence = getUint64(view, 16);
  if (firstSequence !== name.firstSequence) {
    return `the file's header says that it begins at sequence ${firstSequence}`;
  }
  const chainHash = bytes.slice(CHAIN_HASH_AT, CHAIN_HASH_AT + HASH_BYTES);
  return { firstSequence, epoch: getUint64(view, 24), chainHash };
}

/** A new raw segment, durable with its name, with `zeroBytes` of zeros behind its header. */
export async function createSegment(
  fileSystem: FileSystem,
  folder: string,
  header: SegmentHeader,
  zeroBytes: number,
): Promise<OpenFile> {
  const path = segmentPath(folder, header.firstSequence, "raw");
  const temporary = path + TEMPORARY_SUFFIX;
  const file = await fileSystem.open(temporary, "create");
  try {
    const bytes = new Uint8Array(SEGMENT_HEADER_BYTES + zeroBytes);
    bytes.set(encodeSegmentHeader(header));
    await file.write(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
  await fileSystem.syncFolder(folder);
  return fileSystem.open(path, "write");
}
