/** WebSocket frames as a load generator needs them: made once, and recognised by their headers. */

const FIN = 0x80;
const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
const MASKED = 0x80;
const SHORT_MAX = 125;
const IN_16_BITS = 126;
const MASK_BYTES = 4;

export const OPCODES = { text: TEXT, close: CLOSE, ping: PING, pong: PONG } as const;

/** A client's frame. Its mask is zeros, which leaves the payload as it is. */
export function clientFrame(payload: string | Buffer, opcode: number = TEXT): Buffer {
  const bytes = Buffer.from(payload);
  const isShort = bytes.length <= SHORT_MAX;
  const head = Buffer.alloc((isShort ? 2 : 4) + MASK_BYTES);
  head.writeUInt8(FIN | opcode, 0);
  head.writeUInt8(MASKED | (isShort ? bytes.length : IN_16_BITS), 1);
  if (!isShort) head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

/** The request that opens a WebSocket. */
export function handshake(path: string, extensions = ""): string {
  const offered = extensions === "" ? "" : `Sec-WebSocket-Extensions: ${extensions}\r\n`;
  return (
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n${offered}\r\n`
  );
}

/**
 * Of a server's frame, which has no mask, from `start`: how long its header and its body are. Null
 * while the header is incomplete.
 */
export function frameSize(
  bytes: Buffer,
  start = 0,
  end = bytes.length,
): { readonly head: number; readonly body: number } | null {
  const length = end - start;
  if (length < 2) return null;
  const short = bytes.readUInt8(start + 1);
  if (short <= SHORT_MAX) return { head: 2, body: short };
  if (short === IN_16_BITS) {
    return length < 4 ? null : { head: 4, body: bytes.readUInt16BE(start + 2) };
  }
  return length < 10 ? null : { head: 10, body: Number(bytes.readBigUInt64BE(start + 2)) };
}
