/**
 * A batch on disk: `header ‖ records ‖ event digest or nothing ‖ chain hash`. The header carries
 * the chain hash before it, and the chain hash after it is SHA-256 over all that precedes it in the
 * batch.
 *
 *   header, 84 bytes            record
 *    0 magic "RBAT"              0 length
 *    4 length of the whole       4 CRC-32 of the bytes
 *    8 count of records          8 bytes
 *   12 flags (1: has digest)
 *   16 first sequence (u64)     48 chain hash before (32 bytes)
 *   24 epoch (u64)              80 CRC-32 of the 80 bytes before
 *   32 time, ms (u64)
 *   40 durable sequence (u64): the last one that was durable when this batch was written
 *
 * The durable sequence is what lets recovery tell a torn commit from damage: it proves that
 * everything up to it had been acknowledged or could have been.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { invariant } from "../../domain/index.ts";
import { type Batch, type JournaledBatch, RecordRun } from "../../protocol/index.ts";
import { getUint64, HASH_BYTES, sameBytes, setUint64, viewOf } from "../disk/fixed-width.ts";

export const BATCH_HEADER_BYTES = 84;
export const BATCH_MAGIC_BYTES: Buffer = Buffer.from("RBAT", "latin1");
const BATCH_MAGIC = BATCH_MAGIC_BYTES.readUInt32LE();
/** The longest that a reader accepts; it bounds its memory. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024;
const RECORD_HEADER_BYTES = 8;
const HEADER_CHECKSUM_AT = 80;
const PREVIOUS_CHAIN_AT = 48;
const HAS_DIGEST = 1;

/** The chain hash before the first batch. */
export const GENESIS_CHAIN_HASH: Uint8Array = new Uint8Array(HASH_BYTES);

export interface BatchHeader {
  readonly byteLength: number;
  readonly recordCount: number;
  readonly hasDigest: boolean;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly epoch: number;
  readonly timestampMs: number;
  readonly durableSequence: number;
  readonly previousChainHash: Uint8Array;
}

/** The position of a batch in the log when it is written. */
export interface BatchPlace {
  readonly epoch: number;
  readonly durableSequence: number;
  readonly previousChainHash: Uint8Array;
}

export function encodedBatchLength(batch: Batch): number {
  let length = BATCH_HEADER_BYTES + HASH_BYTES + (batch.eventDigest === null ? 0 : HASH_BYTES);
  for (const record of batch.records) length += RECORD_HEADER_BYTES + record.length;
  return length;
}

/** Writes the batch into `into`, which has exactly its length. Returns the chain hash after it. */
export function encodeBatch(batch: Batch, place: BatchPlace, into: Uint8Array): Uint8Array {
  const { records, eventDigest } = batch;
  const view = viewOf(into);
  view.setUint32(0, BATCH_MAGIC, true);
  view.setUint32(4, into.length, true);
  view.setUint32(8, records.length, true);
  view.setUint32(12, eventDigest === null ? 0 : HAS_DIGEST, true);
  setUint64(view, 16, batch.firstSequence);
  setUint64(view, 24, place.epoch);
  setUint64(view, 32, batch.timestampMs);
  setUint64(view, 40, place.durableSequence);
  into.set(place.previousChainHash, PREVIOUS_CHAIN_AT);
  view.setUint32(HEADER_CHECKSUM_AT, crc32(into.subarray(0, HEADER_CHECKSUM_AT)), true);
  let at = BATCH_HEADER_BYTES;
  for (const record of records) {
    view.setUint32(at, record.length, true);
    view.setUint32(at + 4, crc32(record), true);
    into.set(record, at + RECORD_HEADER_BYTES);
    at += RECORD_HEADER_BYTES + record.length;
  }
  if (eventDigest !== null) {
    invariant(eventDigest.length === HASH_BYTES, "an event digest has 32 bytes");
    into.set(eventDigest, at);
    at += HASH_BYTES;
  }
  const chainHash = hash("sha256", into.subarray(0, at), "buffer");
  into.set(chainHash, at);
  invariant(at + HASH_BYTES === into.length, "a batch fills its bytes");
  return chainHash;
}

/** Null when the bytes are no header: another magic, a bad checksum, or values that cannot be. */
export function decodeBatchHeader(bytes: Uint8Array): BatchHeader | null {
  const view = viewOf(bytes);
  if (bytes.length < BATCH_HEADER_BYTES || view.getUint32(0, true) !== BATCH_MAGIC) return null;
  if (crc32(bytes.subarray(0, HEADER_CHECKSUM_AT)) !== view.getUint32(HEADER_CHECKSUM_AT, true)) {
    return null;
  }
  const recordCount = view.getUint32(8, true);
  const firstSequence = getUint64(view, 16);
  const header: BatchHeader = {
    byteLength: view.getUint32(4, true),
    recordCount,
    hasDigest: (view.getUint32(12, true) & HAS_DIGEST) !== 0,
    firstSequence,
    lastSequence: firstSequence + (recordCount - 1),
    epoch: getUint64(view, 24),
    timestampMs: getUint64(view, 32),
    durableSequence: getUint64(view, 40),
    previousChainHash: bytes.subarray(PREVIOUS_CHAIN_AT, PREVIOUS_CHAIN_AT + HASH_BYTES),
  };
  return isPlausible(header) ? header : null;
}

function isPlausible(header: BatchHeader): boolean {
  const { recordCount, byteLength, hasDigest } = header;
  const fixed = BATCH_HEADER_BYTES + HASH_BYTES + (hasDigest ? HASH_BYTES : 0);
  return (
    recordCount > 0 &&
    byteLength <= MAX_BATCH_BYTES &&
    byteLength >= fixed + recordCount * RECORD_HEADER_BYTES &&
    Number.isSafeInteger(header.lastSequence) &&
    Number.isSafeInteger(header.epoch) &&
    Number.isSafeInteger(header.timestampMs) &&
    header.durableSequence < header.firstSequence
  );
}

/** The chain hash that the batch's bytes claim, unchecked. */
export function claimedChainHash(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.length - HASH_BYTES);
}

/**
 * The batch, its records views of the bytes, or a sentence saying what is wrong. The chain hash
 * covers every byte; the records' checksums only serve to name the damaged one.
 */
export function decodeBatch(header: BatchHeader, bytes: Uint8Array): JournaledBatch | string {
  const covered = bytes.subarray(0, bytes.length - HASH_BYTES);
  const chainHash = claimedChainHash(bytes);
  if (!sameBytes(hash("sha256", covered, "buffer"), chainHash)) {
    return damagedRecord(header, bytes) ?? "the batch's hash does not match its bytes";
  }
  const bounds = new Uint32Array(2 * header.recordCount);
  const view = viewOf(bytes);
  const end = covered.length - (header.hasDigest ? HASH_BYTES : 0);
  let at = BATCH_HEADER_BYTES;
  for (let index = 0; index < header.recordCount; index++) {
    const start = at + RECORD_HEADER_BYTES;
    if (start > end) return "the records do not fill the batch";
    at = start + view.getUint32(at, true);
    bounds[2 * index] = start;
    bounds[2 * index + 1] = at;
  }
  if (at !== end) return "the records do not fill the batch";
  return {
    firstSequence: header.firstSequence,
    timestampMs: header.timestampMs,
    records: new RecordRun(bytes, bounds),
    eventDigest: header.hasDigest ? bytes.subarray(end, end + HASH_BYTES) : null,
    epoch: header.epoch,
    chainHash,
  };
}

/** Names the first record whose checksum fails; null when all hold or the lengths lead nowhere. */
export function damagedRecord(header: BatchHeader, bytes: Uint8Array): string | null {
  const view = viewOf(bytes);
  const end = bytes.length - HASH_BYTES - (header.hasDigest ? HASH_BYTES : 0);
  let at = BATCH_HEADER_BYTES;
  for (let index = 0; index < header.recordCount; index++) {
    if (at + RECORD_HEADER_BYTES > end) return null;
    const length = view.getUint32(at, true);
    const start = at + RECORD_HEADER_BYTES;
    if (start + length > end) return null;
    const record = bytes.subarray(start, start + length);
    if (crc32(record) !== view.getUint32(at + 4, true)) {
      return `record ${header.firstSequence + index} does not match its checksum`;
    }
    at = start + length;
  }
  return null;
}
