/** Finds the batches that can still be read in damaged bytes, by their own checksum and hash. */
import type { JournaledBatch } from "../../protocol/index.ts";
import {
  BATCH_HEADER_BYTES,
  BATCH_MAGIC_BYTES,
  decodeBatch,
  decodeBatchHeader,
} from "../segments/batch-format.ts";
import type { ByteCursor } from "../segments/byte-source.ts";

export interface Salvaged {
  readonly batch: JournaledBatch;
  readonly offset: number;
  readonly byteLength: number;
}

/** Bytes between batches that make none; zeros are not counted: they are preallocated. */
export interface Unreadable {
  readonly batch: null;
  readonly byteLength: number;
}

/** From the cursor to the end of its file, in order of offset. */
export async function* salvageBatches(
  cursor: ByteCursor,
): AsyncGenerator<Salvaged | Unreadable, void, undefined> {
  while (await cursor.ensure(1)) {
    await cursor.ensure(BATCH_HEADER_BYTES);
    const found = await batchAt(cursor);
    if (found === null) yield { batch: null, byteLength: countUsed(skipToMagic(cursor)) };
    else {
      yield found;
      cursor.take(found.byteLength);
    }
  }
}

function countUsed(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte !== 0) count++;
  return count;
}

async function batchAt(cursor: ByteCursor): Promise<Salvaged | null> {
  const header = decodeBatchHeader(cursor.peek(BATCH_HEADER_BYTES));
  if (header === null || !(await cursor.ensure(header.byteLength))) return null;
  const { byteLength } = header;
  const batch = decodeBatch(header, cursor.peek(byteLength));
  return typeof batch === "string" ? null : { batch, offset: cursor.offset, byteLength };
}

/** Takes the bytes before the next magic, at least one. */
function skipToMagic(cursor: ByteCursor): Uint8Array {
  const window = cursor.peek(cursor.available);
  const bytes = Buffer.from(window.buffer, window.byteOffset, window.length);
  const at = bytes.indexOf(BATCH_MAGIC_BYTES, 1);
  return cursor.take(at < 0 ? Math.max(1, bytes.length - (BATCH_HEADER_BYTES - 1)) : at);
}
