/**
 * Text frames as a server sends them (RFC 6455, 5.2). They have no mask, so the very same bytes
 * suit every client.
 */
import { compressed } from "./compression.ts";

const FINAL_TEXT = 0x81;
/** Added to it for a message that is compressed. */
const COMPRESSED = 0x40;
/**
 * Lengths up to this are in the second byte; the two values above announce a longer length field.
 */
const LENGTH_MAX = 125;
const LENGTH_IN_2 = 126;
const LENGTH_IN_8 = 127;
const UINT16_MAX = 0xffff;

/** One frame per message, in order. */
export function textFrames(messages: readonly Buffer[], compresses: boolean): Buffer {
  const parts: Buffer[] = [];
  for (const message of messages) {
    const body = compresses ? compressed(message) : message;
    parts.push(headOf(body.length, body === message ? FINAL_TEXT : FINAL_TEXT | COMPRESSED), body);
  }
  return Buffer.concat(parts);
}

function headOf(length: number, kind: number): Buffer {
  if (length <= LENGTH_MAX) return Buffer.from([kind, length]);
  if (length <= UINT16_MAX) {
    const head = Buffer.from([kind, LENGTH_IN_2, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head.set([kind, LENGTH_IN_8]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
