/**
 * A growing byte buffer and its reader: the primitive encodings of every command, event and
 * snapshot.
 */
import { invariant } from "../domain/index.ts";

const TEXT_ENCODER = new TextEncoder();
const TEXT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const WORD_BITS = 64n;
const WORD_MASK = (1n << WORD_BITS) - 1n;
/** Four groups of seven bits. */
const FOUR_GROUPS = 2 ** 28;

/**
 * Thrown when bytes cannot be decoded. The journal's checksums are verified first, so this is a
 * bug.
 */
export class MalformedBytes extends Error {
  override readonly name = "MalformedBytes";
}

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes so far, in place: valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the bytes so far; later writes do not change it. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length) as Uint8Array<ArrayBuffer>;
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer from 0 to 2^53 - 1, seven bits per byte, lowest first. */
  uint(value: number): void {
    invariant(Number.isSafeInteger(value) && value >= 0, "an unsigned integer is safe");
    this.#reserve(8);
    const bytes = this.#bytes;
    let at = this.#length;
    let rest = value;
    if (value >= FOUR_GROUPS) {
      // Keeps both parts in 32-bit arithmetic, because the remainder of floats is slow.
      rest = Math.floor(value / FOUR_GROUPS);
      const low = value - rest * FOUR_GROUPS;
      bytes[at] = low | 0x80;
      bytes[at + 1] = (low >>> 7) | 0x80;
      bytes[at + 2] = (low >>> 14) | 0x80;
      bytes[at + 3] = (low >>> 21) | 0x80;
      at += 4;
    }
    while (rest >= 0x80) {
      bytes[at++] = rest | 0x80;
      rest >>>= 7;
    }
    bytes[at] = rest;
    this.#length = at + 1;
  }

  /** Any bigint: one byte of 2 × word count + sign, then 64-bit words, lowest first. */
  big(value: bigint): void {
    this.#reserve(9);
    if (BigInt.asUintN(64, value) === value) {
      // Nearly every amount has at most one word and is written without creating another bigint.
      if (value === 0n) {
        this.#bytes[this.#length++] = 0;
        return;
      }
      this.#bytes[this.#length] = 2;
      this.#view.setBigUint64(this.#length + 1, value, true);
      this.#length += 9;
      return;
    }
    const negative = value < 0n;
    let rest = negative ? -value : value;
    const tagAt = this.#length++;
    let words = 0;
    while (rest > 0n) {
      this.#reserve(8);
      this.#view.setBigUint64(this.#length, rest & WORD_MASK, true);
      this.#length += 8;
      rest >>= WORD_BITS;
      words++;
    }
    invariant(words < 128, "bigint too long to encode");
    this.#bytes[tagAt] = words * 2 + (negative ? 1 : 0);
  }

  /** UTF-8, preceded by its length. */
  text(value: string): void {
    const length = value.length;
    this.#reserve(8 + length);
    const start = this.#length;
    if (length < 0x80) {
      const bytes = this.#bytes;
      bytes[start] = length;
      let seen = 0;
      for (let i = 0; i < length; i++) {
        const code = value.charCodeAt(i);
        bytes[start + 1 + i] = code;
        seen |= code;
      }
      if (seen < 0x80) {
        this.#length = start + 1 + length;
        return;
      }
    }
    this.bytes(TEXT_ENCODER.encode(value));
  }

  bytes(value: Uint8Array): void {
    this.uint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Reserves space for a length of up to 2^28 - 1, which `endFrame` fills in. */
  beginFrame(): number {
    this.#reserve(4);
    const at = this.#length;
    this.#length += 4;
    return at;
  }

  endFrame(at: number): void {
    this.#view.setUint32(at, this.#length - at - 4, true);
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  /** Created on first use: most commands are read without it. */
  #view: DataView | null = null;
  #offset: number;
  #end: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#offset = 0;
    this.#end = bytes.length;
  }

  /** Moves to the bytes from `start` to `end`; reads stay within them. */
  narrow(start: number, end: number): void {
    invariant(start <= end && end <= this.#bytes.length, "a part of the bytes");
    this.#offset = start;
    this.#end = end;
  }

  get offset(): number {
    return this.#offset;
  }

  get atEnd(): boolean {
    return this.#offset >= this.#end;
  }

  #take(count: number): number {
    const at = this.#offset;
    if (at + count > this.#end) throw new MalformedBytes(`bytes end inside a value at ${at}`);
    this.#offset = at + count;
    return at;
  }

  u8(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  uint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value;
      scale *= 0x80;
    }
    throw new MalformedBytes("unsigned integer is beyond 2^53 - 1");
  }

  big(): bigint {
    const tag = this.u8();
    let value = 0n;
    for (let word = 0; word < tag >> 1; word++) {
      const { buffer, byteOffset, byteLength } = this.#bytes;
      this.#view ??= new DataView(buffer, byteOffset, byteLength);
      value |= this.#view.getBigUint64(this.#take(8), true) << (BigInt(word) * WORD_BITS);
    }
    return tag & 1 ? -value : value;
  }

  choice<Option extends string>(options: readonly Option[]): Option {
    const value = options[this.u8()];
    if (value === undefined) throw new MalformedBytes(`a choice is one of ${options.join(", ")}`);
    return value;
  }

  text(): string {
    const length = this.uint();
    const at = this.#take(length);
    const text = SHORT_ASCII[length]?.(this.#bytes, at, String.fromCharCode);
    return text ?? decodeUtf8(this.#bytes.subarray(at, at + length));
  }

  /**
   * Like `text`, for the few texts that occur in every record, such as symbols. Returns the same
   * string object each time; its hash is cached, so look-ups by it are almost free.
   */
  recurringText(): string {
    const start = this.#offset;
    const length = this.uint();
    const at = this.#take(length);
    const bytes = this.#bytes;
    const place = ((bytes[at] as number) * 31 + (bytes[at + length - 1] as number) + length) & 255;
    const known = RECURRING[place] as string;
    if (known.length === length && length > 0) {
      let i = 0;
      while (i < length && known.charCodeAt(i) === bytes[at + i]) i++;
      if (i === length) return known;
    }
    this.#offset = start;
    const text = this.text();
    if (length <= SHORT_TEXT_MAX) RECURRING[place] = text;
    return text;
  }

  bytes(): Uint8Array {
    const length = this.uint();
    const at = this.#take(length);
    return this.#bytes.slice(at, at + length);
  }

  /** What remains up to the end of the frame, or of the bytes. */
  rest(): Uint8Array {
    const at = this.#take(this.#end - this.#offset);
    return this.#bytes.subarray(at, this.#end);
  }

  /** A view of the next frame, with its length in front; the reader does not move. */
  wholeFrame(): Uint8Array {
    const at = this.#offset;
    const outerEnd = this.enterFrame();
    const frame = this.#bytes.subarray(at, this.#end);
    this.#offset = at;
    this.#end = outerEnd;
    return frame;
  }

  /** Narrows the reader to one frame; pass the result to `leaveFrame`. */
  enterFrame(): number {
    const at = this.#take(4);
    const bytes = this.#bytes;
    const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    const high = (bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8);
    const length = high * 0x10000 + low;
    const outerEnd = this.#end;
    if (this.#offset + length > outerEnd)
      throw new MalformedBytes("frame is longer than its bytes");
    this.#end = this.#offset + length;
    return outerEnd;
  }

  /** Moves to the end of the frame, skipping fields that a newer version appended. */
  leaveFrame(outerEnd: number): void {
    this.#offset = this.#end;
    this.#end = outerEnd;
  }
}

const SHORT_TEXT_MAX = 40;

/** Cache of texts read before, indexed by their length and their first and last characters. */
const RECURRING: string[] = Array.from({ length: 256 }, () => "");

/**
 * Symbols, decimals and ids are short and ASCII. For each length, a function that makes the text in
 * one call, or returns undefined when a byte is not ASCII. Reading character by character takes
 * several times as long.
 */
const SHORT_ASCII = Array.from({ length: SHORT_TEXT_MAX + 1 }, (_, length) => {
  const bytes = Array.from({ length }, (_, i) => `b[at + ${i}]`);
  const isAscii = `(${["0", ...bytes].join(" | ")}) < 0x80`;
  const source = `return ${isAscii} ? toText(${bytes.join(", ")}) : undefined;`;
  return new Function("b", "at", "toText", source) as (
    bytes: Uint8Array,
    at: number,
    toText: typeof String.fromCharCode,
  ) => string | undefined;
});

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return TEXT_DECODER.decode(bytes);
  } catch {
    throw new MalformedBytes("text is not UTF-8");
  }
}
