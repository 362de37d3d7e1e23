/** The hash function that the engine uses for its state hash. */
import { createHash } from "node:crypto";

/** SHA-256 of the concatenated parts, as lower-case hex. */
export function sha256(parts: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
