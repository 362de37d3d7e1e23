/**
 * A snapshot on disk: `"RIALTOSN" ‖ version ‖ header length ‖ header (JSON) ‖ header CRC-32`, then
 * each section's bytes with their CRC-32, then SHA-256 over all that precedes it. The header is
 * text, so that a person can read it.
 */
import { crc32 } from "node:zlib";
import type { Snapshot } from "../../protocol/index.ts";
import { HASH_BYTES, viewOf } from "../disk/fixed-width.ts";

export const SNAPSHOT_PREFIX_BYTES = 16;
export const CHECKSUM_BYTES = 4;
/** The longest header that a reader accepts. */
const MAX_HEADER_BYTES = 1024 * 1024;
const SNAPSHOT_MAGIC = Buffer.from("RIALTOSN", "latin1");
const SNAPSHOT_FORMAT_VERSION = 1;

export interface SnapshotHeader {
  readonly sequence: number;
  readonly timestampMs: number;
  readonly clockMs: number;
  readonly rulesVersion: number;
  readonly stateHash: string;
  readonly eventDigest: Uint8Array;
  readonly chainHash: Uint8Array;
  /** Wall clock of the writer. */
  readonly createdMs: number;
  readonly sections: readonly { readonly name: string; readonly byteLength: number }[];
}

/** Everything before the first section. */
export function encodeSnapshotHeader(snapshot: Snapshot, createdMs: number): Uint8Array {
  const text = JSON.stringify({
    sequence: snapshot.sequence,
    timestampMs: snapshot.timestampMs,
    ...(snapshot.clockMs === snapshot.timestampMs ? {} : { clockMs: snapshot.clockMs }),
    rulesVersion: snapshot.rulesVersion,
    stateHash: snapshot.stateHash,
    eventDigest: Buffer.from(snapshot.eventDigest).toString("hex"),
    chainHash: Buffer.from(snapshot.chainHash).toString("hex"),
    createdMs,
    sections: snapshot.sections.map(({ name, bytes }) => ({ name, byteLength: bytes.length })),
  });
  const header = Buffer.from(text);
  const bytes = new Uint8Array(SNAPSHOT_PREFIX_BYTES + header.length + CHECKSUM_BYTES);
  const view = viewOf(bytes);
  bytes.set(SNAPSHOT_MAGIC);
  view.setUint32(8, SNAPSHOT_FORMAT_VERSION, true);
  view.setUint32(12, header.length, true);
  bytes.set(header, SNAPSHOT_PREFIX_BYTES);
  const checksumAt = bytes.length - CHECKSUM_BYTES;
  view.setUint32(checksumAt, crc32(bytes.subarray(0, checksumAt)), true);
  return bytes;
}

/** Length of everything before the first section, from the prefix; or what is wrong with it. */
export function snapshotHeaderLength(prefix: Uint8Array): number | string {
  if (prefix.length < SNAPSHOT_PREFIX_BYTES) return "the file ends inside its header";
  if (!SNAPSHOT_MAGIC.equals(prefix.subarray(0, SNAPSHOT_MAGIC.length))) {
    return "the file does not begin as a snapshot";
  }
  const view = viewOf(prefix);
  const version = view.getUint32(8, true);
  if (version !== SNAPSHOT_FORMAT_VERSION) {
    return `format version ${version} is not known to this program, which reads version 1`;
  }
  const length = view.getUint32(12, true);
  if (length > MAX_HEADER_BYTES) return "the header's length cannot be";
  return SNAPSHOT_PREFIX_BYTES + length + CHECKSUM_BYTES;
}

/** From the bytes before the first section; or what is wrong with them. */
export function decodeSnapshotHeader(bytes: Uint8Array): SnapshotHeader | string {
  const length = snapshotHeaderLength(bytes);
  if (typeof length === "string") return length;
  if (bytes.length < length) return "the file ends inside its header";
  const checksumAt = length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, checksumAt)) !== viewOf(bytes).getUint32(checksumAt, true)) {
    return "the header does not match its checksum";
  }
  const text = Buffer.from(bytes.subarray(SNAPSHOT_PREFIX_BYTES, checksumAt)).toString();
  const parsed = JSON.parse(text);
  return {
    // Unless the last command moved exchange time.
    clockMs: parsed.timestampMs,
    ...parsed,
    eventDigest: Uint8Array.from(Buffer.from(parsed.eventDigest, "hex")),
    chainHash: Uint8Array.from(Buffer.from(parsed.chainHash, "hex")),
  };
}

/** The length of a file with this header. */
export function snapshotFileLength(header: SnapshotHeader, headerLength: number): number {
  let length = headerLength + HASH_BYTES;
  for (const { byteLength } of header.sections) length += byteLength + CHECKSUM_BYTES;
  return length;
}
