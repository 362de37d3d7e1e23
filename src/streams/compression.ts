/**
 * Compression of messages (RFC 7692) for clients that offer it. Every message is compressed by
 * itself, without what went before as context: so it is compressed once, and the same bytes are
 * right for every client that takes them.
 */
import { constants, deflateRawSync } from "node:zlib";

/** Below this a message is not worth a client's time to inflate it. */
const BYTES_MIN = 1024;
/** The end of what is flushed, which is left out. */
const TRAILER_BYTES = 4;
/** Most of what there is to save, in a third of the time. */
const DEFLATE = { level: 1, finishFlush: constants.Z_SYNC_FLUSH } as const;

/** What is agreed with a client that offers it. */
export const AGREED = { serverNoContextTakeover: true, clientNoContextTakeover: true } as const;

/** One offer without a wish for a smaller window of ours; with any other nothing is compressed. */
const OFFER =
  /^ *permessage-deflate *(?:; *(?:(?:client|server)_no_context_takeover|client_max_window_bits(?:=(?:[89]|1[0-5]))?) *)*$/;

/** Takes the header of a handshake. */
export function offersCompression(extensions: string | undefined): boolean {
  return extensions !== undefined && OFFER.test(extensions);
}

const known = new WeakMap<Buffer, Buffer>();
/** A message goes to all who get it in a row, so mostly it is the one of the last time. */
let last: { readonly message: Buffer; readonly bytes: Buffer } | null = null;

/** The message compressed; the message itself when it is too small for that. */
export function compressed(message: Buffer): Buffer {
  if (message.length < BYTES_MIN) return message;
  if (last?.message === message) return last.bytes;
  let bytes = known.get(message);
  if (bytes === undefined) {
    bytes = deflateRawSync(message, DEFLATE).subarray(0, -TRAILER_BYTES);
    known.set(message, bytes);
  }
  last = { message, bytes };
  return bytes;
}
