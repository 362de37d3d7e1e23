/**
 * Keyed 64-bit hashes of short texts, for tables whose keys strangers choose: HalfSipHash-2-4 (the
 * 32-bit SipHash of Aumasson and Bernstein) of the UTF-16LE bytes. Nobody without the key can tell
 * which texts share a place. Texts that were hashed lately are remembered.
 */

export const HASH_KEY_BYTES = 8;
const REMEMBERED_MAX = 32_768;
const WORDS_OF_END = 4;

export class KeyedHash {
  /** The halves of the last hash, signed. */
  low = 0;
  high = 0;
  readonly #key0: number;
  readonly #key1: number;
  readonly #places = new Map<string | number, number>();
  readonly #remembered = new Int32Array(2 * REMEMBERED_MAX);

  constructor(key0: number, key1: number) {
    this.#key0 = key0;
    this.#key1 = key1;
  }

  /** Sets `low` and `high`. A number is hashed as its decimal text. */
  of(value: string | number): void {
    const place = this.#places.get(value);
    if (place !== undefined) {
      this.low = this.#remembered[place] as number;
      this.high = this.#remembered[place + 1] as number;
      return;
    }
    this.#hash(typeof value === "string" ? value : String(value));
    if (this.#places.size === REMEMBERED_MAX) this.#places.clear();
    const free = 2 * this.#places.size;
    this.#places.set(value, free);
    this.#remembered[free] = this.low;
    this.#remembered[free + 1] = this.high;
  }

  #hash(text: string): void {
    // The words of the text, the last of which holds what is left and the length in bytes, then
    // four of zero with which the hash ends.
    const words = (text.length >> 1) + 1;
    let v0 = this.#key0;
    let v1 = this.#key1 ^ 0xee;
    let v2 = this.#key0 ^ 0x6c796765;
    let v3 = this.#key1 ^ 0x74656462;
    for (let at = 0; at < words + WORDS_OF_END; at++) {
      if (at === words) v2 ^= 0xee;
      if (at === words + 2) {
        this.low = v1 ^ v3;
        v1 ^= 0xdd;
      }
      const word = at < words ? wordOf(text, at) : 0;
      v3 ^= word;
      for (let round = 0; round < 2; round++) {
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
      }
      v0 ^= word;
    }
    this.high = v1 ^ v3;
  }
}

/** Two characters, little end first; the last word has at most one, and the length above it. */
function wordOf(text: string, at: number): number {
  const first = 2 * at;
  if (first + 1 < text.length) {
    return text.charCodeAt(first) | (text.charCodeAt(first + 1) << 16);
  }
  const rest = first < text.length ? text.charCodeAt(first) : 0;
  return rest | ((2 * text.length) << 24);
}
