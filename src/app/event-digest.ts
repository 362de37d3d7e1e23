/**
 * The running digest of all events. If a replay produces different events, it fails at the next
 * batch that carries a digest.
 */
import { createHash, hash } from "node:crypto";

/** The digest before the first event. */
export const INITIAL_EVENT_DIGEST: Uint8Array = new Uint8Array(32);

/** A batch that reaches a multiple of this many commands carries the digest. */
const DIGEST_INTERVAL = 10_000;

/** The digest after a batch: SHA-256 of the previous digest and the batch's events. */
export function extendEventDigest(before: Uint8Array, events: Uint8Array): Uint8Array {
  return createHash("sha256").update(before).update(events).digest();
}

export function carriesDigest(firstSequence: number, lastSequence: number): boolean {
  const before = Math.floor((firstSequence - 1) / DIGEST_INTERVAL);
  return Math.floor(lastSequence / DIGEST_INTERVAL) > before;
}

/** SHA-256 of the parts, in hex. The engine is passed this function. */
export function sha256Hex(parts: readonly Uint8Array[]): string {
  const [only] = parts;
  // Most have one part, for which no object of a hash need be made.
  if (only !== undefined && parts.length === 1) return hash("sha256", only, "hex");
  const whole = createHash("sha256");
  for (const part of parts) whole.update(part);
  return whole.digest("hex");
}
