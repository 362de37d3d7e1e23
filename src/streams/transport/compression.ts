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

const EXTENSION = "permessage-deflate";
/** A wish for a smaller window of ours is not among them. */
const FITTING =
  /^(?:(?:client|server)_no_context_takeover|client_max_window_bits(?:=([0-9]{1,2}))?)$/;
const WINDOW_BITS_MIN = 8;
const WINDOW_BITS_MAX = 15;

/** Whether the header of a handshake is one offer that fits; else nothing is compressed. */
export function offersCompression(header: string | undefined): boolean {
  const [extension, ...parameters] = (header ?? "").split(";").map((part) => part.trim());
  const names = new Set(parameters.map((parameter) => parameter.split("=")[0]));
  return extension === EXTENSION && names.size === parameters.length && parameters.every(fits);
}

function fits(parameter: string): boolean {
  const [match, bits = WINDOW_BITS_MAX] = FITTING.exec(parameter) ?? [];
  return match !== undefined && Number(bits) >= WINDOW_BITS_MIN && Number(bits) <= WINDOW_BITS_MAX;
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
