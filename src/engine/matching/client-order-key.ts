/**
 * A client order id as ten 32-bit words, four ASCII characters each, and the keyed hash under which
 * it is found. Clients choose their ids, so a plain hash would let one of them pile up collisions
 * and slow the engine down for all; HalfSipHash-1-3 with a secret key does not. The key decides
 * places in memory only, never a result.
 */
import { CLIENT_ORDER_ID_LENGTH_MAX } from "../../domain/index.ts";

export const WORDS_PER_ID = CLIENT_ORDER_ID_LENGTH_MAX / 4;

/** 64 bits that clients do not know, as two unsigned 32-bit halves. */
export interface HashKey {
  readonly high: number;
  readonly low: number;
}

const UID_WORDS = 2;
const ASCII_MASK = 0x7f;
const TWO_POW_32 = 4294967296;
/** The initial state of HalfSipHash: Aumasson and Bernstein, "SipHash: a fast short-input PRF". */
const STATE_2 = 0x6c796765;
const STATE_3 = 0x74656462;
const FINAL_MARK = 0xff;
const FINAL_ROUNDS = 3;

/** One reusable key: `read` fills it, the index compares and copies it. */
export class ClientOrderKey {
  /** What is hashed: two words of uid, the words of the id, one for the length. */
  readonly #message = new Int32Array(UID_WORDS + WORDS_PER_ID + 1);
  readonly words = this.#message.subarray(UID_WORDS, UID_WORDS + WORDS_PER_ID);
  hash = 0;
  /** False when no index can hold what was read, because it is not of 1 to 40 ASCII characters. */
  isWellFormed = false;
  readonly #hashKey: HashKey;

  constructor(hashKey: HashKey) {
    this.#hashKey = hashKey;
  }

  read(uid: number, clientOrderId: string): void {
    const length = clientOrderId.length;
    this.isWellFormed =
      length > 0 && length <= CLIENT_ORDER_ID_LENGTH_MAX && this.#pack(clientOrderId);
    if (!this.isWellFormed) return;
    const message = this.#message;
    message[0] = uid | 0;
    message[1] = Math.floor(uid / TWO_POW_32) | 0;
    const count = UID_WORDS + ((length + 3) >>> 2);
    // The last block of the hash holds the length of the message in bytes, in its highest byte.
    message[count] = count << 26;
    this.hash = halfSipHash(this.#hashKey, message, count + 1);
    if (count < UID_WORDS + WORDS_PER_ID) message[count] = 0;
  }

  /** False when a character is not ASCII or is NUL, which would be lost in the padding. */
  #pack(clientOrderId: string): boolean {
    const { words } = this;
    const length = clientOrderId.length;
    let word = 0;
    let seen = 0;
    // The built-in fill costs more than all else here.
    for (let i = 0; i < WORDS_PER_ID; i++) words[i] = 0;
    for (let i = 0; i < length; i++) {
      const code = clientOrderId.charCodeAt(i);
      seen |= code | (code - 1);
      word |= code << ((i & 3) * 8);
      if ((i & 3) === 3 || i === length - 1) {
        words[i >>> 2] = word;
        word = 0;
      }
    }
    return (seen & ~ASCII_MASK) === 0;
  }
}

/** The text of ten words from `start` on. */
export function textOfWords(words: Int32Array, start: number): string {
  const codes: number[] = [];
  for (let at = start; at < start + WORDS_PER_ID; at++) {
    for (let word = words[at] as number; word !== 0; word >>>= 8) codes.push(word & 0xff);
  }
  return String.fromCharCode(...codes);
}

/** The hash of the first `count` words, the last of which holds the length. */
export function halfSipHash(key: HashKey, message: Int32Array, count: number): number {
  let v0 = key.low | 0;
  let v1 = key.high | 0;
  let v2 = STATE_2 ^ key.low;
  let v3 = STATE_3 ^ key.high;
  for (let round = 0; round < count + FINAL_ROUNDS; round++) {
    const word = round < count ? (message[round] as number) : 0;
    if (round === count) v2 ^= FINAL_MARK;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}
