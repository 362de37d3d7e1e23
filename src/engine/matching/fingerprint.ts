/**
 * Compares payloads without keeping them: 64 bits from two lanes of 32-bit multiply, rotate and xor
 * that feed each other. Not cryptographic: a client that makes two of its own payloads collide only
 * gets the answer to the first.
 */
import { invariant } from "../../domain/index.ts";

/** Two unsigned 32-bit halves. */
export interface Fingerprint {
  readonly high: number;
  readonly low: number;
}

const TWO_POW_32 = 4294967296;
const TAG_NUMBER = 1;
const TAG_TEXT = 2;
/**
 * Odd constants without structure: fractional parts of the square roots of 2, 3, 5, 7, 11 and 13.
 */
const LOW_START = 0x6a09e667;
const HIGH_START = 0xbb67ae85;
const LOW_FACTOR = 0x3c6ef373;
const HIGH_FACTOR = 0xa54ff53b;
const FINAL_FACTOR_1 = 0x510e527f;
const FINAL_FACTOR_2 = 0x9b05688d;

/**
 * The running hash. A module's own state: the engine is synchronous, so no two payloads meet here.
 */
let low = 0;
let high = 0;

/**
 * The fingerprint of a sequence of texts and safe integers. Kinds, lengths and order count: `1`
 * differs from `"1"`, and `"ab", "c"` from `"a", "bc"`.
 */
export function fingerprint(...parts: readonly (string | number)[]): Fingerprint {
  low = LOW_START;
  high = HIGH_START;
  for (const part of parts) {
    if (typeof part === "string") addText(part);
    else addNumber(part);
  }
  low = scrambled(low ^ high);
  high = scrambled(high ^ Math.imul(low, HIGH_FACTOR));
  low = scrambled(low ^ high);
  return { high: high >>> 0, low: low >>> 0 };
}

function addNumber(value: number): void {
  invariant(Number.isSafeInteger(value), "a fingerprint takes texts and safe integers");
  addWord(TAG_NUMBER);
  addWord(value | 0);
  addWord(Math.floor(value / TWO_POW_32) | 0);
}

/** Two UTF-16 units a word. */
function addText(text: string): void {
  const length = text.length;
  addWord(TAG_TEXT);
  addWord(length);
  for (let i = 0; i + 1 < length; i += 2) {
    addWord(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
  }
  if (length % 2 === 1) addWord(text.charCodeAt(length - 1));
}

function addWord(word: number): void {
  low = Math.imul(rotated(low ^ word, 13), LOW_FACTOR) ^ high;
  high = (Math.imul(rotated(high ^ word, 17), HIGH_FACTOR) + low) | 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function scrambled(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, FINAL_FACTOR_1);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, FINAL_FACTOR_2);
  return mixed ^ (mixed >>> 16);
}

/** A decimal without the zeros at its end: two ways to write one number give one payload. */
export function plainDecimal(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  if ((last !== 48 && last !== 46) || !text.includes(".")) return text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end--;
  return text.slice(0, text.charCodeAt(end - 1) === 46 ? end - 1 : end);
}
