/**
 * A heap of items by price, lowest or highest first: set, change and remove cost O(log n). Items
 * are small whole numbers that the caller hands out and reuses, so everything is in typed arrays.
 * The order of items at one price is undefined; nothing may depend on it.
 */
import { invariant } from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";

const CAPACITY_FIRST = 64;

export type HeapOrder = "lowest-first" | "highest-first";

export class PriceHeap {
  /** Keys ascend: a heap with the highest price first holds negated prices. */
  readonly #sign: 1 | -1;
  #keys = new Float64Array(CAPACITY_FIRST);
  #items = new Int32Array(CAPACITY_FIRST);
  /** By item: its place in the heap plus one; 0 when it is not there. */
  #places = new Int32Array(CAPACITY_FIRST);
  #size = 0;

  constructor(order: HeapOrder) {
    this.#sign = order === "lowest-first" ? 1 : -1;
  }

  get size(): number {
    return this.#size;
  }

  /** The first item, or `NONE`. */
  get top(): number {
    return this.#size === 0 ? NONE : (this.#items[0] as number);
  }

  /** Price of the first item; there must be one. */
  get topTicks(): number {
    invariant(this.#size > 0, "only a heap with items has a first price");
    return this.#sign * (this.#keys[0] as number);
  }

  has(item: number): boolean {
    return item < this.#places.length && this.#places[item] !== 0;
  }

  /** Price of an item that is in the heap. */
  ticks(item: number): number {
    invariant(this.has(item), "only an item in the heap has a price");
    return this.#sign * (this.#keys[(this.#places[item] as number) - 1] as number);
  }

  /** Puts an item in at a price, or moves it there. */
  set(item: number, ticks: number): void {
    invariant(item >= 0, "items are whole numbers from 0 on");
    const key = this.#sign * ticks;
    if (this.has(item)) {
      const place = (this.#places[item] as number) - 1;
      const before = this.#keys[place] as number;
      if (key < before) this.#rise(place, item, key);
      else if (key > before) this.#sink(place, item, key);
      return;
    }
    if (item >= this.#places.length) this.#places = grown(this.#places, item + 1);
    if (this.#size === this.#items.length) {
      this.#items = grown(this.#items, this.#size + 1);
      const keys = new Float64Array(this.#items.length);
      keys.set(this.#keys);
      this.#keys = keys;
    }
    this.#rise(this.#size++, item, key);
  }

  /** Takes an item out; nothing happens when it is not there. */
  remove(item: number): void {
    if (!this.has(item)) return;
    const place = (this.#places[item] as number) - 1;
    this.#places[item] = 0;
    const last = --this.#size;
    if (place === last) return;
    const lastItem = this.#items[last] as number;
    const lastKey = this.#keys[last] as number;
    if (lastKey < (this.#keys[place] as number)) this.#rise(place, lastItem, lastKey);
    else this.#sink(place, lastItem, lastKey);
  }

  /** Takes out the first item and returns it; `NONE` when the heap is empty. */
  pop(): number {
    const item = this.top;
    if (item !== NONE) this.remove(item);
    return item;
  }

  /** Checks places against items and the order of keys. */
  validate(): void {
    let places = 0;
    for (const place of this.#places) if (place !== 0) places++;
    invariant(places === this.#size, "every item of a heap has one place");
    for (let place = 0; place < this.#size; place++) {
      const item = this.#items[place] as number;
      invariant(this.#places[item] === place + 1, "an item knows its place");
      const parent = (place - 1) >> 1;
      invariant(
        place === 0 || (this.#keys[parent] as number) <= (this.#keys[place] as number),
        "no item comes before its parent",
      );
    }
  }

  /** From a place upwards: finds the one where the item is not before its parent. */
  #rise(from: number, item: number, key: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((this.#keys[parent] as number) <= key) break;
      this.#put(place, this.#items[parent] as number, this.#keys[parent] as number);
      place = parent;
    }
    this.#put(place, item, key);
  }

  /** From a place downwards: finds the one where none of its children is before the item. */
  #sink(from: number, item: number, key: number): void {
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      const other = child + 1;
      const isOtherFirst =
        other < this.#size && (this.#keys[other] as number) < (this.#keys[child] as number);
      if (isOtherFirst) child = other;
      if ((this.#keys[child] as number) >= key) break;
      this.#put(place, this.#items[child] as number, this.#keys[child] as number);
      place = child;
    }
    this.#put(place, item, key);
  }

  #put(place: number, item: number, key: number): void {
    this.#items[place] = item;
    this.#keys[place] = key;
    this.#places[item] = place + 1;
  }
}

function grown(array: Int32Array<ArrayBuffer>, lengthMin: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(2 * array.length, lengthMin));
  larger.set(array);
  return larger;
}
