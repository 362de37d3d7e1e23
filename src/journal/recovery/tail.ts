/** What follows the last good batch of a segment: nothing, a torn commit, or proof of damage. */
import {
  BATCH_HEADER_BYTES,
  BATCH_MAGIC_BYTES,
  decodeBatchHeader,
} from "../segments/batch-format.ts";
import type { ByteCursor } from "../segments/byte-source.ts";

export interface Tail {
  readonly start: number;
  /** After the last byte that is not zero; `start` when all are zeros. */
  readonly end: number;
  /** A later batch, written after the first unreadable sequence had become durable. */
  readonly provenLater: { readonly offset: number; readonly sequence: number } | null;
}

/** Reads the cursor to its end. `sequence` is the first unreadable one. */
export async function examineTail(cursor: ByteCursor, sequence: number): Promise<Tail> {
  const start = cursor.offset;
  let end = start;
  let provenLater: Tail["provenLater"] = null;
  for (;;) {
    const more = await cursor.ensure(BATCH_HEADER_BYTES);
    const window = cursor.peek(cursor.available);
    const used = lengthWithoutZeros(window);
    if (used > 0) end = cursor.offset + used;
    provenLater ??= findProof(window, cursor.offset, sequence);
    if (!more) return { start, end, provenLater };
    cursor.take(window.length - (BATCH_HEADER_BYTES - 1));
  }
}

function lengthWithoutZeros(bytes: Uint8Array): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length--;
  return length;
}

function findProof(window: Uint8Array, offset: number, sequence: number): Tail["provenLater"] {
  const bytes = Buffer.from(window.buffer, window.byteOffset, window.length);
  for (
    let at = bytes.indexOf(BATCH_MAGIC_BYTES);
    at >= 0;
    at = bytes.indexOf(BATCH_MAGIC_BYTES, at + 1)
  ) {
    const header = decodeBatchHeader(bytes.subarray(at, at + BATCH_HEADER_BYTES));
    if (header !== null && header.durableSequence >= sequence) {
      return { offset: offset + at, sequence: header.firstSequence };
    }
  }
  return null;
}
