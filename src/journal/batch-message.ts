/**
 * A batch on its way to the journal's thread, through a ring or as a message.
 *
 *    0 first sequence (f64)   8 time (f64)   16 count of records (u32)   20 1 with a digest (u32)
 *   24 the digest (32 bytes), if any; then each record: its length (u32) and its bytes
 */
import type { Batch } from "../protocol/index.ts";
import { HASH_BYTES, viewOf } from "./disk/fixed-width.ts";

const HEADER_BYTES = 24;
const LENGTH_BYTES = 4;

/** Returns the length of the message, which is less than that of the encoded batch. */
export function encodeBatchMessage(batch: Batch, into: Uint8Array): number {
  const { records, eventDigest } = batch;
  const view = viewOf(into);
  view.setFloat64(0, batch.firstSequence, true);
  view.setFloat64(8, batch.timestampMs, true);
  view.setUint32(16, records.length, true);
  view.setUint32(20, eventDigest === null ? 0 : 1, true);
  let at = HEADER_BYTES;
  if (eventDigest !== null) {
    into.set(eventDigest, at);
    at += HASH_BYTES;
  }
  for (const record of records) {
    view.setUint32(at, record.length, true);
    into.set(record, at + LENGTH_BYTES);
    at += LENGTH_BYTES + record.length;
  }
  return at;
}

/** Its records are views of the message. */
export function decodeBatchMessage(message: Uint8Array): Batch {
  const view = viewOf(message);
  const count = view.getUint32(16, true);
  const hasDigest = view.getUint32(20, true) === 1;
  let at = HEADER_BYTES;
  const eventDigest = hasDigest ? message.slice(at, at + HASH_BYTES) : null;
  if (hasDigest) at += HASH_BYTES;
  const records: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const begin = at + LENGTH_BYTES;
    at = begin + view.getUint32(at, true);
    records.push(message.subarray(begin, at));
  }
  const firstSequence = view.getFloat64(0, true);
  return { firstSequence, timestampMs: view.getFloat64(8, true), records, eventDigest };
}
