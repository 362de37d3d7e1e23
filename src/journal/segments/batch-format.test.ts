/**
 * Proves that a batch's header is read only where its values can be: each one is put just within
 * its bounds and just beyond them, with a checksum that holds.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { crc32 } from "node:zlib";
import {
  BATCH_HEADER_BYTES,
  decodeBatchHeader,
  encodeBatch,
  encodedBatchLength,
  GENESIS_CHAIN_HASH,
  MAX_BATCH_BYTES,
} from "./batch-format.ts";

const UNSAFE = BigInt(Number.MAX_SAFE_INTEGER) + 1n;
const BYTE_LENGTH_AT = 4;
const RECORD_COUNT_AT = 8;
const FIRST_SEQUENCE_AT = 16;
const EPOCH_AT = 24;
const TIMESTAMP_AT = 32;
const DURABLE_SEQUENCE_AT = 40;
const CHECKSUM_AT = 80;

/** Of a batch of three records without a byte, which fill it exactly. */
function isHeader(change: (view: DataView) => void): boolean {
  const records = Array.from({ length: 3 }, () => new Uint8Array(0));
  const eventDigest = new Uint8Array(32);
  const batch = { firstSequence: 8, timestampMs: 1, records, eventDigest };
  const bytes = new Uint8Array(encodedBatchLength(batch));
  const place = { epoch: 1, durableSequence: 5, previousChainHash: GENESIS_CHAIN_HASH };
  encodeBatch(batch, place, bytes);
  const view = new DataView(bytes.buffer, 0, BATCH_HEADER_BYTES);
  change(view);
  view.setUint32(CHECKSUM_AT, crc32(bytes.subarray(0, CHECKSUM_AT)), true);
  return decodeBatchHeader(bytes.subarray(0, BATCH_HEADER_BYTES)) !== null;
}

test("a header with values that cannot be is none", () => {
  for (const [what, at, count, isThere] of [
    ["as many records as fit", RECORD_COUNT_AT, 3, true],
    ["one record more", RECORD_COUNT_AT, 4, false],
    ["no record", RECORD_COUNT_AT, 0, false],
    ["the longest", BYTE_LENGTH_AT, MAX_BATCH_BYTES, true],
    ["a longer one", BYTE_LENGTH_AT, MAX_BATCH_BYTES + 1, false],
  ] as const) {
    assert.equal(
      isHeader((view) => view.setUint32(at, count, true)),
      isThere,
      what,
    );
  }
  for (const [what, at, value, isThere] of [
    ["the last sequence that there can be", FIRST_SEQUENCE_AT, UNSAFE - 3n, true],
    ["one beyond the last sequence", FIRST_SEQUENCE_AT, UNSAFE - 2n, false],
    ["the last epoch", EPOCH_AT, UNSAFE - 1n, true],
    ["one beyond the last epoch", EPOCH_AT, UNSAFE, false],
    ["the last time", TIMESTAMP_AT, UNSAFE - 1n, true],
    ["one beyond the last time", TIMESTAMP_AT, UNSAFE, false],
    ["durable is all before it", DURABLE_SEQUENCE_AT, 7n, true],
    ["durable is the batch itself", DURABLE_SEQUENCE_AT, 8n, false],
  ] as const) {
    assert.equal(
      isHeader((view) => view.setBigUint64(at, value, true)),
      isThere,
      what,
    );
  }
});
