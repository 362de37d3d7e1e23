/**
 * Damage of a data folder at rest, anywhere or aimed at what a start decides by: the last commit,
 * and the batch that only a later one proves. A start must refuse it, put it right, or be right to
 * pass over it.
 */
import type { Random } from "../support/random.ts";
import { flipBit } from "./faulty-disk.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const SECTOR_BYTES = 512;
const RING = "journal/header.ring";
const MAGIC = Buffer.from("RBAT", "latin1");
/** In the header of a batch. */
const FIRST_SEQUENCE_AT = 16;
const DURABLE_SEQUENCE_AT = 40;

interface FoundBatch {
  readonly file: string;
  readonly at: number;
  readonly end: number;
  readonly firstSequence: number;
  /** The last sequence that was durable when it was written. */
  readonly durableSequence: number;
}

/** Most of a segment is room that nothing was written to. */
function writtenBytes(exchange: SimulatedExchange, file: string): Uint8Array {
  const bytes = exchange.file(file) ?? new Uint8Array(0);
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

/** Flips a bit of the journal. */
export function rotJournal(exchange: SimulatedExchange, random: Random): void {
  const files = exchange.files("journal/").filter((file) => {
    return (exchange.file(file)?.length ?? 0) > 0;
  });
  const file = random.pick(files);
  const written = writtenBytes(exchange, file);
  if (written.length === 0) return;
  const at = random.integer(0, written.length - 1);
  const is = written.slice(at, at + 1);
  flipBit(is, random);
  exchange.damage([{ file, at, is }]);
}

/** Of the last segment that has one, in order. */
function lastBatches(exchange: SimulatedExchange): FoundBatch[] {
  const segments = exchange.files("journal/").filter((file) => file.endsWith(".segment"));
  for (const file of segments.reverse()) {
    const written = writtenBytes(exchange, file);
    const bytes = Buffer.from(written.buffer, written.byteOffset, written.length);
    const begins: number[] = [];
    for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) begins.push(at);
    const found = begins.map((at, index) => ({
      file,
      at,
      end: begins[index + 1] ?? bytes.length,
      firstSequence: Number(bytes.readBigUInt64LE(at + FIRST_SEQUENCE_AT)),
      durableSequence: Number(bytes.readBigUInt64LE(at + DURABLE_SEQUENCE_AT)),
    }));
    if (found.length > 0) return found;
  }
  return [];
}

/** A sector's part of the bytes from `at` to `end`. */
function sectorOf(at: number, end: number): readonly [from: number, to: number] {
  const from = at - (at % SECTOR_BYTES);
  return [from, Math.min(end, from + SECTOR_BYTES)];
}

/**
 * Of the last commit, which was acknowledged: a flipped bit, or a sector that is empty, as if it
 * had never been written. Nothing comes after it.
 */
export function rotLastCommit(
  exchange: SimulatedExchange,
  isEmptied: boolean,
  random: Random,
): void {
  const last = lastBatches(exchange).at(-1);
  const bytes = last === undefined ? undefined : exchange.file(last.file);
  if (last === undefined || bytes === undefined) return;
  const place = random.integer(last.at, last.end - 1);
  const [from, to] = sectorOf(place, last.end);
  const at = isEmptied ? Math.max(from, last.at) : place;
  const is = isEmptied ? new Uint8Array(to - at) : bytes.slice(at, at + 1);
  if (!isEmptied) flipBit(is, random);
  // A byte that becomes zero may empty its sector, as if that had never been written.
  if (!isEmptied && is[0] === 0) return;
  exchange.damage([{ file: last.file, at, is }]);
}

/** The first command of the last commit. */
export function lastCommitOf(exchange: SimulatedExchange): number | null {
  return lastBatches(exchange).at(-1)?.firstSequence ?? null;
}

/** What the ring is now, for `rotBehindOldRing`. */
export function ringOf(exchange: SimulatedExchange): Uint8Array | null {
  return exchange.file(RING)?.slice() ?? null;
}

/**
 * The newest writes of the ring never reached the disk, and a batch is damaged that it does not
 * know: that a batch behind it says it was durable is all that shows it.
 */
export function rotBehindOldRing(
  exchange: SimulatedExchange,
  old: Uint8Array,
  random: Random,
): void {
  const batches = lastBatches(exchange);
  const last = batches.at(-1);
  const proven = batches.findLast(({ firstSequence }) => {
    return firstSequence <= (last?.durableSequence ?? 0);
  });
  const bytes = last === undefined ? undefined : exchange.file(last.file);
  if (proven === undefined || proven === last || bytes === undefined) return;
  const at = random.integer(proven.at, proven.end - 1);
  const is = bytes.slice(at, at + 1);
  flipBit(is, random);
  exchange.damage([
    { file: proven.file, at, is },
    { file: RING, at: 0, is: old },
  ]);
}
