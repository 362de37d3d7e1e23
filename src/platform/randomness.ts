/** Randomness for secrets and salts; no result of a command depends on it. */
import { randomBytes } from "node:crypto";

export interface Randomness {
  /** Bytes that nobody can predict. */
  bytes(count: number): Buffer;
}

export const NODE_RANDOMNESS: Randomness = { bytes: (count) => randomBytes(count) };
