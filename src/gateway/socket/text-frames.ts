/** Text frames as a server sends them (RFC 6455, 5.2), several in one buffer. */

const FINAL_TEXT = 0x81;
/** Lengths up to this are in the second byte; the values above it announce a longer field. */
const LENGTH_MAX = 125;
const LENGTH_IN_2 = 126;
const LENGTH_IN_8 = 127;
const UINT16_MAX = 0xffff;

function headLength(length: number): number {
  if (length <= LENGTH_MAX) return 2;
  return length <= UINT16_MAX ? 4 : 10;
}

function writeHead(frames: Buffer, at: number, length: number): number {
  frames[at] = FINAL_TEXT;
  if (length <= LENGTH_MAX) {
    frames[at + 1] = length;
    return at + 2;
  }
  if (length <= UINT16_MAX) {
    frames[at + 1] = LENGTH_IN_2;
    return frames.writeUInt16BE(length, at + 2);
  }
  frames[at + 1] = LENGTH_IN_8;
  return frames.writeBigUInt64BE(BigInt(length), at + 2);
}

/** One frame for each text, in order. */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const total = lengths.reduce((sum, length) => sum + headLength(length) + length, 0);
  const frames = Buffer.allocUnsafe(total);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at = writeHead(frames, at, lengths[index] as number);
    at += frames.write(text, at);
  }
  return frames;
}
