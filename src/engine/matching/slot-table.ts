/**
 * A hash table of slots: open addressing with linear probing over one `Int32Array`, so a million
 * orders cost 16 MiB and no objects. The owner of the slots holds the keys and compares them. The
 * table grows a little with each insertion, because moving a million slots at once would delay
 * orders.
 */
import { invariant } from "../../domain/index.ts";
import { NONE } from "./slot.ts";

/** Knows the keys of the slots. */
export interface SlotKeys {
  /** Whether a slot has the key that is being looked for. */
  isSought(slot: number): boolean;
}

const LENGTH_MIN = 16;
/**
 * Places of the former table that are read with each insertion. It has two for each insertion until
 * the next growth, so it is gone by then.
 */
const PLACES_PER_INSERTION = 4;
/** Where a slot was in a table that only serves until its slots have moved. */
const BURIED = -1;

/**
 * A place is two integers: a hash, and the slot plus one. So a new table is zeros, which cost
 * nothing before they are written to, and probing reads no slot of another hash.
 */
class Places {
  readonly length: number;
  readonly entries: Int32Array;
  readonly #mask: number;
  readonly #shift: number;
  readonly #keys: SlotKeys;

  constructor(length: number, keys: SlotKeys) {
    this.length = length;
    this.entries = new Int32Array(2 * length);
    this.#mask = length - 1;
    this.#shift = Math.clz32(length) + 1;
    this.#keys = keys;
  }

  find(hash: number): number {
    const { entries } = this;
    let at = hash >>> this.#shift;
    for (;;) {
      const held = entries[2 * at + 1] as number;
      if (held === 0) return NONE;
      if (entries[2 * at] === hash && held !== BURIED && this.#keys.isSought(held - 1)) {
        return held - 1;
      }
      at = (at + 1) & this.#mask;
    }
  }

  insert(slot: number, hash: number): void {
    const { entries } = this;
    let at = hash >>> this.#shift;
    while (entries[2 * at + 1] !== 0) at = (at + 1) & this.#mask;
    entries[2 * at] = hash;
    entries[2 * at + 1] = slot + 1;
  }

  /**
   * Removes a slot and moves later members of its run into the gap, so that no tombstone is left: a
   * table that lives for years probes as briefly as a new one. False when it is not here.
   */
  remove(slot: number, hash: number): boolean {
    const { entries } = this;
    const mask = this.#mask;
    let gap = this.#placeOf(slot, hash);
    if (gap === NONE) return false;
    for (let at = (gap + 1) & mask; entries[2 * at + 1] !== 0; at = (at + 1) & mask) {
      const candidate = entries[2 * at] as number;
      const home = candidate >>> this.#shift;
      // A member may move back to the gap only when that is not before its home.
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      entries[2 * gap] = candidate;
      entries[2 * gap + 1] = entries[2 * at + 1] as number;
      gap = at;
    }
    entries[2 * gap + 1] = 0;
    return true;
  }

  /** Takes a slot out and moves no other. False when it is not here. */
  bury(slot: number, hash: number): boolean {
    const at = this.#placeOf(slot, hash);
    if (at === NONE) return false;
    this.entries[2 * at + 1] = BURIED;
    return true;
  }

  #placeOf(slot: number, hash: number): number {
    const { entries } = this;
    let at = hash >>> this.#shift;
    while (entries[2 * at + 1] !== slot + 1) {
      if (entries[2 * at + 1] === 0) return NONE;
      at = (at + 1) & this.#mask;
    }
    return at;
  }
}

export class SlotTable {
  readonly #keys: SlotKeys;
  #places: Places;
  /** The table before it grew, until all of its slots are in the new one too. */
  #former: Places | null = null;
  #formerRead = 0;
  #size = 0;

  constructor(keys: SlotKeys) {
    this.#keys = keys;
    this.#places = new Places(LENGTH_MIN, keys);
  }

  get byteLength(): number {
    return this.#places.entries.byteLength + (this.#former?.entries.byteLength ?? 0);
  }

  /** The slot that has the sought key, whose hash is given; or `NONE`. */
  find(hash: number): number {
    const slot = this.#places.find(hash);
    return slot === NONE && this.#former !== null ? this.#former.find(hash) : slot;
  }

  /** Adds a slot whose key no other slot of the table has. */
  insert(slot: number, hash: number): void {
    this.#size++;
    if (this.#size * 2 > this.#places.length) this.#grow();
    this.#places.insert(slot, hash);
    if (this.#former !== null) this.#moveSome(this.#former);
  }

  remove(slot: number, hash: number): void {
    const isHere = this.#places.remove(slot, hash);
    const wasThere = this.#former?.bury(slot, hash) ?? false;
    invariant(isHere || wasThere, "a slot in use stands in the table");
    this.#size--;
  }

  #grow(): void {
    invariant(this.#former === null, "a table has moved before it grows again");
    this.#former = this.#places;
    this.#formerRead = 0;
    this.#places = new Places(this.#former.length * 2, this.#keys);
  }

  #moveSome(former: Places): void {
    for (let read = 0; read < PLACES_PER_INSERTION; read++) {
      const hash = former.entries[2 * this.#formerRead] as number;
      const held = former.entries[2 * this.#formerRead + 1] as number;
      if (held > 0) this.#places.insert(held - 1, hash);
      this.#formerRead++;
    }
    if (this.#formerRead === former.length) this.#former = null;
  }
}
