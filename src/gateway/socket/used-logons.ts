/**
 * Logons that were accepted, so that none is accepted twice. A logon's timestamp is good for 30 s
 * either way, so it has to be remembered for 60 s. The memory is a table of fixed size that several
 * threads may share: one word for each logon, with 32 bits of its signature and the second until
 * which it counts. The signature is a keyed hash, so that nobody chooses what collides.
 */
import { TIMESTAMP_WINDOW_MS } from "../../api/signing.ts";

const MS_PER_SECOND = 1_000;
const SLOTS = 65_536;
/** Slots in which a logon may be: when all of them are taken, it has to wait. */
const PROBES = 64;
const WORD_BYTES = 8;
const SECOND_BITS = 32n;
const SECOND_MASK = 0xffff_ffffn;

export function logonMemory(slots = SLOTS): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * WORD_BYTES);
}

export class UsedLogons {
  readonly #words: BigUint64Array;

  /** The number of slots of `memory` is a power of two. */
  constructor(memory: SharedArrayBuffer = logonMemory()) {
    this.#words = new BigUint64Array(memory);
  }

  /**
   * Takes a logon: `used` if it was taken before, `full` if too many others were. `signature` is
   * canonical base64 that was verified.
   */
  take(
    signature: string,
    timestampMs: number,
    wallMs: number,
    exchangeMs: number,
  ): "taken" | "used" | "full" {
    const bytes = Buffer.from(signature.slice(0, 12), "base64");
    const mark = BigInt(bytes.readUInt32LE(0)) << SECOND_BITS;
    const start = bytes.readUInt32LE(4);
    // A timestamp is good by either clock, and a sandbox's may stand still.
    const now = BigInt(Math.floor(Math.min(wallMs, exchangeMs) / MS_PER_SECOND));
    if (this.#isThere(mark, start, now, -1)) return "used";
    // In a sandbox whose time is ahead, the timestamp may be later than the wall clock.
    const untilMs = Math.max(wallMs + 2 * TIMESTAMP_WINDOW_MS, timestampMs + TIMESTAMP_WINDOW_MS);
    const word = mark | (BigInt(Math.ceil(untilMs / MS_PER_SECOND)) & SECOND_MASK);
    const slot = this.#put(word, start, now);
    if (slot < 0) return "full";
    // Of two threads with the same logon at the same moment neither gets it.
    return this.#isThere(mark, start, now, slot) ? "used" : "taken";
  }

  /** Forgets all of them. */
  clear(): void {
    this.#words.fill(0n);
  }

  #isThere(mark: bigint, start: number, now: bigint, except: number): boolean {
    for (let i = 0; i < PROBES; i++) {
      const slot = this.#slot(start, i);
      const word = Atomics.load(this.#words, slot);
      if (
        slot !== except &&
        isCurrent(word, now) &&
        (word >> SECOND_BITS) << SECOND_BITS === mark
      ) {
        return true;
      }
    }
    return false;
  }

  /** The slot that it got; -1 for none. */
  #put(word: bigint, start: number, now: bigint): number {
    for (let i = 0; i < PROBES; i++) {
      const slot = this.#slot(start, i);
      const known = Atomics.load(this.#words, slot);
      if (isCurrent(known, now)) continue;
      if (Atomics.compareExchange(this.#words, slot, known, word) === known) return slot;
    }
    return -1;
  }

  #slot(start: number, probe: number): number {
    return (start + probe) & (this.#words.length - 1);
  }
}

function isCurrent(word: bigint, now: bigint): boolean {
  return (word & SECOND_MASK) >= now;
}
