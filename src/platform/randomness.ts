/** Randomness for secrets, salts and codes. What a command needs of it is drawn before. */
import { randomBytes } from "node:crypto";

export interface Randomness {
  /** Bytes that nobody can predict. */
  bytes(count: number): Buffer;
}

export const NODE_RANDOMNESS: Randomness = { bytes: (count) => randomBytes(count) };
