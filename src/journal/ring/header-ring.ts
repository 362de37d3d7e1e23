/**
 * The header ring: a small second file with the places of the last commits. An entry is written
 * after its commit's bytes and synced beside them, so it proves that the commit was written whole.
 * Recovery uses it to tell a commit that was never acknowledged (torn, cut off) from one that was
 * acknowledged and is damaged (refused). The last commit before a pause gets a second entry once it
 * has been acknowledged.
 *
 *   slot, 128 bytes: all zeros, or
 *    0 magic "RRNG"   4 length of the commit   8 first sequence (u64)   16 last sequence (u64)
 *   24 offset (u64)   32 first sequence of its segment (u64)   40 chain hash after it (32 bytes)
 *   72 acknowledged sequence (u64)   80 1 + count of empty sectors (u32), or 0: not counted
 *   84 zeros         124 CRC-32 of the 124 bytes before
 *
 * A slot never crosses a sector, so a power cut leaves the old entry or the new one.
 */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import { getUint64, HASH_BYTES, setUint64, viewOf } from "../disk/fixed-width.ts";
import { readWholeFile, replaceWholeFile } from "../disk/whole-file.ts";

export const RING_FILE = "header.ring";
const SLOT_BYTES = 128;
const SLOT_COUNT = 16;
const SLOT_MAGIC = 0x47_4e_52_52;
const CHAIN_HASH_AT = 40;
const ACKNOWLEDGED_AT = 72;
const EMPTY_SECTORS_AT = 80;
const CHECKSUM_AT = SLOT_BYTES - 4;

/** One commit: batches that were written and synced together. */
export interface RingEntry {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly segmentFirstSequence: number;
  readonly offset: number;
  readonly byteLength: number;
  readonly chainHash: Uint8Array;
  /**
   * Everything up to it was durable when the entry was written: the commit before, or, in a second
   * entry, this commit.
   */
  readonly acknowledgedSequence: number;
  /** Sectors of its bytes that are all zeros; null in what an older version wrote. */
  readonly emptySectors: number | null;
}

export interface RingState {
  /** False when the file is missing. */
  readonly present: boolean;
  /** Valid entries, oldest first. */
  readonly entries: readonly RingEntry[];
  /** Slots with neither zeros nor a valid entry; a wrong file length counts as one. */
  readonly damagedSlots: number;
  /** The slot of the next entry. */
  readonly nextSlot: number;
  /** Whether the slot where the newest entry would be, were it damaged, is damaged. */
  readonly newestInDoubt: boolean;
}

export async function readRing(fileSystem: FileSystem, folder: string): Promise<RingState> {
  const bytes = await readWholeFile(fileSystem, join(folder, RING_FILE));
  if (bytes === null) {
    return { present: false, entries: [], damagedSlots: 0, nextSlot: 0, newestInDoubt: true };
  }
  const found: { slot: number; entry: RingEntry }[] = [];
  const damaged = new Set<number>();
  for (let slot = 0; slot < SLOT_COUNT; slot++) {
    const entry = decodeSlot(bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES));
    if (entry === "damaged") damaged.add(slot);
    else if (entry !== "empty") found.push({ slot, entry });
  }
  found.sort(
    (left, right) =>
      left.entry.lastSequence - right.entry.lastSequence ||
      left.entry.acknowledgedSequence - right.entry.acknowledgedSequence,
  );
  const newest = found.at(-1);
  const nextSlot = newest === undefined ? 0 : (newest.slot + 1) % SLOT_COUNT;
  const wrongLength = bytes.length === SLOT_COUNT * SLOT_BYTES ? 0 : 1;
  return {
    present: true,
    entries: found.map(({ entry }) => entry),
    damagedSlots: damaged.size + wrongLength,
    nextSlot,
    newestInDoubt: damaged.has(nextSlot),
  };
}

function encodeSlot(entry: RingEntry): Uint8Array {
  const bytes = new Uint8Array(SLOT_BYTES);
  const view = viewOf(bytes);
  view.setUint32(0, SLOT_MAGIC, true);
  view.setUint32(4, entry.byteLength, true);
  setUint64(view, 8, entry.firstSequence);
  setUint64(view, 16, entry.lastSequence);
  setUint64(view, 24, entry.offset);
  setUint64(view, 32, entry.segmentFirstSequence);
  bytes.set(entry.chainHash, CHAIN_HASH_AT);
  setUint64(view, ACKNOWLEDGED_AT, entry.acknowledgedSequence);
  view.setUint32(EMPTY_SECTORS_AT, 1 + (entry.emptySectors ?? -1), true);
  view.setUint32(CHECKSUM_AT, crc32(bytes.subarray(0, CHECKSUM_AT)), true);
  return bytes;
}

function decodeSlot(bytes: Uint8Array): RingEntry | "empty" | "damaged" {
  if (bytes.length < SLOT_BYTES) return "damaged";
  if (bytes.every((byte) => byte === 0)) return "empty";
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== SLOT_MAGIC) return "damaged";
  if (crc32(bytes.subarray(0, CHECKSUM_AT)) !== view.getUint32(CHECKSUM_AT, true)) return "damaged";
  return {
    byteLength: view.getUint32(4, true),
    firstSequence: getUint64(view, 8),
    lastSequence: getUint64(view, 16),
    offset: getUint64(view, 24),
    segmentFirstSequence: getUint64(view, 32),
    chainHash: bytes.slice(CHAIN_HASH_AT, CHAIN_HASH_AT + HASH_BYTES),
    acknowledgedSequence: getUint64(view, ACKNOWLEDGED_AT),
    emptySectors: emptySectorsOf(view.getUint32(EMPTY_SECTORS_AT, true)),
  };
}

function emptySectorsOf(stored: number): number | null {
  return stored === 0 ? null : stored - 1;
}

/** Replaces the file by one with this entry alone, or none; later entries fill it again. */
export async function rewriteRing(
  fileSystem: FileSystem,
  folder: string,
  newest: RingEntry | null,
): Promise<void> {
  const bytes = new Uint8Array(SLOT_COUNT * SLOT_BYTES);
  if (newest !== null) bytes.set(encodeSlot(newest), 0);
  await replaceWholeFile(fileSystem, join(folder, RING_FILE), bytes);
}

/** The writing end. */
export class HeaderRing {
  readonly #file: OpenFile;
  #nextSlot: number;

  private constructor(file: OpenFile, nextSlot: number) {
    this.#file = file;
    this.#nextSlot = nextSlot;
  }

  static async open(fileSystem: FileSystem, folder: string, nextSlot: number): Promise<HeaderRing> {
    return new HeaderRing(await fileSystem.open(join(folder, RING_FILE), "write"), nextSlot);
  }

  /** Into the page cache; `sync` makes it durable. */
  writeNow(entry: RingEntry): void {
    this.#file.writeNow(encodeSlot(entry), this.#nextSlot * SLOT_BYTES);
    this.#nextSlot = (this.#nextSlot + 1) % SLOT_COUNT;
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
