/** Generates invite codes, short enough to read aloud; the engine itself has no randomness. */
import { randomInt } from "node:crypto";

/** Without 0, 1, I and O, which look alike. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const LENGTH = 10;

export function drawInviteCode(): string {
  let code = "";
  for (let i = 0; i < LENGTH; i++) code += ALPHABET[randomInt(ALPHABET.length)];
  return code;
}
