/** Numbers of fixed width, lowest byte first, in the headers of the journal's files. */

const WORD = 0x1_0000_0000;
/** Of SHA-256. */
export const HASH_BYTES = 32;

/** A safe integer in eight bytes. */
export function setUint64(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value % WORD, true);
  view.setUint32(offset + 4, Math.floor(value / WORD), true);
}

/** Above 2^53 - 1 the result is not exact; callers check what they need to be exact. */
export function getUint64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * WORD;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
