/**
 * Finds an order's slot by its id: open addressing with linear probing over one `Int32Array`, so a
 * million orders cost 8 MiB and no objects. Ids stand only in the pool, which is asked for them.
 */
import { invariant } from "../../domain/index.ts";
import { NONE } from "./slot.ts";

const CAPACITY_MIN = 16;
/** 2^32 divided by the golden ratio: a multiplier that spreads consecutive ids evenly. */
const GOLDEN_RATIO = 0x9e3779b1;
const TWO_POW_32 = 4294967296;

/** Knows the order id of every slot of the table. */
interface OrderIds {
  orderId(slot: number): number;
}

export class OrderIdTable {
  readonly #ids: OrderIds;
  #slots = new Int32Array(CAPACITY_MIN).fill(NONE);
  #mask = CAPACITY_MIN - 1;
  #shift = Math.clz32(CAPACITY_MIN) + 1;
  #size = 0;

  constructor(ids: OrderIds) {
    this.#ids = ids;
  }

  get byteLength(): number {
    return this.#slots.byteLength;
  }

  /** The slot of an order id, or `NONE`. */
  find(orderId: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = this.#home(orderId);
    for (;;) {
      const slot = slots[at] as number;
      if (slot === NONE || this.#ids.orderId(slot) === orderId) return slot;
      at = (at + 1) & mask;
    }
  }

  /** Adds a slot whose id belongs to no other slot of the table. */
  insert(orderId: number, slot: number): void {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow();
    this.#place(orderId, slot);
    this.#size++;
  }

  /**
   * Takes a slot out and moves later members of its run back into the gap, so that nothing is left
   * behind: a table that lives for years probes as briefly as a new one.
   */
  remove(orderId: number, slot: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let gap = this.#home(orderId);
    while (slots[gap] !== slot) {
      invariant(slots[gap] !== NONE, "order id is not in the table");
      gap = (gap + 1) & mask;
    }
    let at = (gap + 1) & mask;
    for (;;) {
      const candidate = slots[at] as number;
      if (candidate === NONE) break;
      const home = this.#home(this.#ids.orderId(candidate));
      // A member may move back to the gap only when that is not before its home.
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        slots[gap] = candidate;
        gap = at;
      }
      at = (at + 1) & mask;
    }
    slots[gap] = NONE;
    this.#size--;
  }

  #home(orderId: number): number {
    const high = (orderId / TWO_POW_32) | 0;
    return Math.imul((orderId | 0) ^ Math.imul(high, GOLDEN_RATIO), GOLDEN_RATIO) >>> this.#shift;
  }

  #place(orderId: number, slot: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = this.#home(orderId);
    while (slots[at] !== NONE) at = (at + 1) & mask;
    slots[at] = slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2).fill(NONE);
    this.#mask = this.#slots.length - 1;
    this.#shift--;
    for (const slot of old) {
      if (slot !== NONE) this.#place(this.#ids.orderId(slot), slot);
    }
  }
}
