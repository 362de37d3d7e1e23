/** Generates invite codes, short enough to read aloud; the engine itself has no randomness. */
import type { Randomness } from "../platform/index.ts";

/** Without 0, 1, I and O, which look alike. A byte draws all 32 equally often. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const LENGTH = 10;

export function drawInviteCode(randomness: Randomness): string {
  let code = "";
  for (const byte of randomness.bytes(LENGTH)) code += ALPHABET[byte % ALPHABET.length];
  return code;
}
