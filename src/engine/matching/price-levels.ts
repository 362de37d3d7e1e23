/**
 * The price levels of one side of a book. Levels are columns of typed arrays, linked from better to
 * worse, so the best level and every walk need no search. To find a price, levels also stand sorted
 * in blocks of bounded size under a sorted directory of blocks: a new price moves at most one
 * block, also among hundreds of thousands of prices. Blocks are sorted with the best price last,
 * because most changes happen near it and then move almost nothing.
 */
import { invariant } from "../../domain/index.ts";
import type { LotsTotal } from "./price-time-book.ts";
import { NONE } from "./slot.ts";

const CAPACITY_MIN = 64;
const BLOCK_LENGTH = 64;
const BLOCKS_MIN = 4;
/** A block this small joins a neighbour when the two together fill at most half a block. */
const BLOCK_SPARSE = BLOCK_LENGTH / 4;
const BLOCK_MERGED_MAX = BLOCK_LENGTH / 2;
const TWO_POW_53 = 2 ** 53;

/**
 * A level's key is its price on the buy side and its negated price on the sell side, so that a
 * higher key is a better price on both.
 */
export class PriceLevels {
  /** Columns per level; a free level's `worse` is the next free level. */
  key = new Float64Array(CAPACITY_MIN);
  firstOrder = new Int32Array(CAPACITY_MIN);
  lastOrder = new Int32Array(CAPACITY_MIN);
  better = new Int32Array(CAPACITY_MIN);
  worse = new Int32Array(CAPACITY_MIN);
  /** The best level, or `NONE`. */
  best = NONE;
  count = 0;

  /**
   * Open lots of a level: `#lotsCarry` × 2^53 + `#lots`, where `#lots` is below 2^53; so always
   * exact.
   */
  #lots = new Float64Array(CAPACITY_MIN);
  #lotsCarry = new Int32Array(CAPACITY_MIN);
  #capacity = CAPACITY_MIN;
  #used = 0;
  #firstFree = NONE;

  /** Block b holds `#blockCount[b]` levels from b × BLOCK_LENGTH on, ascending by key. */
  #blockKeys = new Float64Array(BLOCKS_MIN * BLOCK_LENGTH);
  #blockLevels = new Int32Array(BLOCKS_MIN * BLOCK_LENGTH);
  #blockCount = new Int32Array(BLOCKS_MIN);
  #blocksUsed = 0;
  readonly #freeBlocks: number[] = [];

  /** The blocks in order, each with the lowest key it holds. */
  #directory = new Int32Array(BLOCKS_MIN);
  #directoryFloor = new Float64Array(BLOCKS_MIN);
  #directoryLength = 0;

  /** Bytes of all columns and blocks. */
  get byteLength(): number {
    return this.#capacity * 36 + this.#blockCount.length * (BLOCK_LENGTH * 12 + 16);
  }

  /** The level of a key, or `NONE`. */
  find(key: number): number {
    if (this.best === NONE || this.key[this.best] === key) return this.best;
    const block = this.#directory[this.#directoryIndex(key)] as number;
    const at = this.#positionIn(block, key);
    const found = at < blockEnd(block, this.#blockCount) && this.#blockKeys[at] === key;
    return found ? (this.#blockLevels[at] as number) : NONE;
  }

  /** The level of a key, made when there is none. */
  obtain(key: number): number {
    const best = this.best;
    if (best !== NONE && this.key[best] === key) return best;
    if (this.#directoryLength === 0) this.#insertBlock(0, this.#takeBlock(), key);
    let index = this.#directoryIndex(key);
    let block = this.#directory[index] as number;
    let at = this.#positionIn(block, key);
    const end = blockEnd(block, this.#blockCount);
    if (at < end && this.#blockKeys[at] === key) return this.#blockLevels[at] as number;
    if (end - block * BLOCK_LENGTH === BLOCK_LENGTH) {
      this.#split(index);
      index = this.#directoryIndex(key);
      block = this.#directory[index] as number;
      at = this.#positionIn(block, key);
    }
    const level = this.#takeLevel(key);
    this.#link(level, this.#worseNeighbour(index, at));
    this.#insertAt(index, block, at, key, level);
    return level;
  }

  /** Removes a level without orders. */
  delete(level: number): void {
    const key = this.key[level] as number;
    const index = this.#directoryIndex(key);
    const block = this.#directory[index] as number;
    const at = this.#positionIn(block, key);
    invariant(this.#blockLevels[at] === level, "a price level stands under its price");
    this.#removeAt(index, block, at);
    const better = this.better[level] as number;
    const worse = this.worse[level] as number;
    if (better === NONE) this.best = worse;
    else this.worse[better] = worse;
    if (worse !== NONE) this.better[worse] = better;
    this.worse[level] = this.#firstFree;
    this.#firstFree = level;
    this.count--;
  }

  addLots(level: number, lots: number): void {
    const total = this.#lots[level] as number;
    const room = TWO_POW_53 - lots;
    if (total < room) {
      this.#lots[level] = total + lots;
    } else {
      this.#lots[level] = total - room;
      this.#lotsCarry[level] = (this.#lotsCarry[level] as number) + 1;
    }
  }

  subtractLots(level: number, lots: number): void {
    const total = this.#lots[level] as number;
    if (total >= lots) {
      this.#lots[level] = total - lots;
    } else {
      const carry = this.#lotsCarry[level] as number;
      invariant(carry > 0, "a price level cannot lose more lots than it has");
      this.#lots[level] = total + (TWO_POW_53 - lots);
      this.#lotsCarry[level] = carry - 1;
    }
  }

  lotsOf(level: number): LotsTotal {
    const carry = this.#lotsCarry[level] as number;
    const lots = this.#lots[level] as number;
    return carry === 0 ? lots : (BigInt(carry) << 53n) + BigInt(lots);
  }

  /**
   * Checks blocks against links: the same levels, strictly sorted, in blocks within their bounds.
   */
  validate(): void {
    let level = this.best;
    let better = NONE;
    let seen = 0;
    for (let index = this.#directoryLength - 1; index >= 0; index--) {
      const block = this.#directory[index] as number;
      const start = block * BLOCK_LENGTH;
      const end = blockEnd(block, this.#blockCount);
      invariant(
        end > start && end - start <= BLOCK_LENGTH,
        "a block is neither empty nor overfull",
      );
      invariant(
        this.#directoryFloor[index] === this.#blockKeys[start],
        "a block's floor is its first",
      );
      for (let at = end - 1; at >= start; at--) {
        invariant(this.#blockLevels[at] === level, "blocks and links hold the same levels");
        invariant(
          this.#blockKeys[at] === this.key[level],
          "a block repeats the keys of its levels",
        );
        invariant(this.better[level] === better, "links of levels agree in both directions");
        const sorted =
          better === NONE || (this.key[better] as number) > (this.key[level] as number);
        invariant(sorted, "levels are sorted and distinct");
        better = level;
        level = this.worse[level] as number;
        seen++;
      }
    }
    invariant(level === NONE && seen === this.count, "the number of levels is right");
  }

  /** The directory index of the last block whose floor is not above the key, or 0. */
  #directoryIndex(key: number): number {
    const floors = this.#directoryFloor;
    let low = 0;
    let high = this.#directoryLength - 1;
    if ((floors[high] as number) <= key) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((floors[middle] as number) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * The place of the first key of a block that is not below `key`; the block's end when there is
   * none.
   */
  #positionIn(block: number, key: number): number {
    const keys = this.#blockKeys;
    let low = block * BLOCK_LENGTH;
    let high = blockEnd(block, this.#blockCount);
    // Keys are distinct whole numbers, so the place cannot be later than this; and where prices
    // follow one another without gaps, as near the best they do, it is this.
    const latest = low + key - (keys[low] as number);
    if (latest <= low) return low;
    if (latest < high) {
      if (keys[latest] === key) return latest;
      high = latest;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] as number) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The level just worse than a new one at `at`, or `NONE`. */
  #worseNeighbour(index: number, at: number): number {
    const block = this.#directory[index] as number;
    if (at > block * BLOCK_LENGTH) return this.#blockLevels[at - 1] as number;
    if (index === 0) return NONE;
    const worseBlock = this.#directory[index - 1] as number;
    return this.#blockLevels[blockEnd(worseBlock, this.#blockCount) - 1] as number;
  }

  #link(level: number, worse: number): void {
    let better = NONE;
    if (worse !== NONE) {
      better = this.better[worse] as number;
      this.better[worse] = level;
    } else if (this.count > 1) {
      better = this.#blockLevels[(this.#directory[0] as number) * BLOCK_LENGTH] as number;
    }
    this.worse[level] = worse;
    this.better[level] = better;
    if (better === NONE) this.best = level;
    else this.worse[better] = level;
  }

  #insertAt(index: number, block: number, at: number, key: number, level: number): void {
    const keys = this.#blockKeys;
    const levels = this.#blockLevels;
    for (let i = blockEnd(block, this.#blockCount); i > at; i--) {
      keys[i] = keys[i - 1] as number;
      levels[i] = levels[i - 1] as number;
    }
    keys[at] = key;
    levels[at] = level;
    this.#blockCount[block] = (this.#blockCount[block] as number) + 1;
    if (at === block * BLOCK_LENGTH) this.#directoryFloor[index] = key;
  }

  #removeAt(index: number, block: number, at: number): void {
    const keys = this.#blockKeys;
    const levels = this.#blockLevels;
    const last = blockEnd(block, this.#blockCount) - 1;
    for (let i = at; i < last; i++) {
      keys[i] = keys[i + 1] as number;
      levels[i] = levels[i + 1] as number;
    }
    const start = block * BLOCK_LENGTH;
    const count = last - start;
    this.#blockCount[block] = count;
    if (count === 0) {
      this.#removeBlock(index);
      return;
    }
    this.#directoryFloor[index] = keys[start] as number;
    if (count > BLOCK_SPARSE) return;
    if (index > 0 && this.#fitTogether(index - 1)) this.#merge(index - 1);
    else if (index + 1 < this.#directoryLength && this.#fitTogether(index)) this.#merge(index);
  }

  #fitTogether(index: number): boolean {
    const first = this.#blockCount[this.#directory[index] as number] as number;
    const second = this.#blockCount[this.#directory[index + 1] as number] as number;
    return first + second <= BLOCK_MERGED_MAX;
  }

  /** Moves the block after `index` to the end of the one at `index`. */
  #merge(index: number): void {
    const target = this.#directory[index] as number;
    const source = this.#directory[index + 1] as number;
    const from = source * BLOCK_LENGTH;
    this.#moveWithin(from, blockEnd(source, this.#blockCount), blockEnd(target, this.#blockCount));
    const moved = this.#blockCount[source] as number;
    this.#blockCount[target] = (this.#blockCount[target] as number) + moved;
    this.#removeBlock(index + 1);
  }

  /** Moves the upper half of a full block into a new block after it. */
  #split(index: number): void {
    const half = BLOCK_LENGTH / 2;
    const added = this.#takeBlock();
    const source = this.#directory[index] as number;
    const middle = source * BLOCK_LENGTH + half;
    this.#moveWithin(middle, middle + half, added * BLOCK_LENGTH);
    this.#blockCount[source] = half;
    this.#blockCount[added] = half;
    this.#insertBlock(index + 1, added, this.#blockKeys[middle] as number);
  }

  #moveWithin(from: number, to: number, target: number): void {
    this.#blockKeys.copyWithin(target, from, to);
    this.#blockLevels.copyWithin(target, from, to);
  }

  #insertBlock(index: number, block: number, floor: number): void {
    this.#directory.copyWithin(index + 1, index, this.#directoryLength);
    this.#directoryFloor.copyWithin(index + 1, index, this.#directoryLength);
    this.#directory[index] = block;
    this.#directoryFloor[index] = floor;
    this.#directoryLength++;
  }

  #removeBlock(index: number): void {
    const block = this.#directory[index] as number;
    this.#blockCount[block] = 0;
    this.#freeBlocks.push(block);
    this.#directory.copyWithin(index, index + 1, this.#directoryLength);
    this.#directoryFloor.copyWithin(index, index + 1, this.#directoryLength);
    this.#directoryLength--;
  }

  #takeBlock(): number {
    const free = this.#freeBlocks.pop();
    if (free !== undefined) return free;
    const capacity = this.#blockCount.length;
    if (this.#blocksUsed === capacity) {
      this.#blockKeys = grownNumbers(this.#blockKeys, 2 * capacity * BLOCK_LENGTH);
      this.#blockLevels = grownIntegers(this.#blockLevels, 2 * capacity * BLOCK_LENGTH);
      this.#blockCount = grownIntegers(this.#blockCount, 2 * capacity);
      this.#directory = grownIntegers(this.#directory, 2 * capacity);
      this.#directoryFloor = grownNumbers(this.#directoryFloor, 2 * capacity);
    }
    return this.#blocksUsed++;
  }

  #takeLevel(key: number): number {
    let level = this.#firstFree;
    if (level === NONE) {
      if (this.#used === this.#capacity) this.#growLevels();
      level = this.#used++;
    } else {
      this.#firstFree = this.worse[level] as number;
    }
    this.key[level] = key;
    this.firstOrder[level] = NONE;
    this.lastOrder[level] = NONE;
    this.#lots[level] = 0;
    this.#lotsCarry[level] = 0;
    this.count++;
    return level;
  }

  #growLevels(): void {
    const capacity = this.#capacity * 2;
    this.key = grownNumbers(this.key, capacity);
    this.firstOrder = grownIntegers(this.firstOrder, capacity);
    this.lastOrder = grownIntegers(this.lastOrder, capacity);
    this.better = grownIntegers(this.better, capacity);
    this.worse = grownIntegers(this.worse, capacity);
    this.#lots = grownNumbers(this.#lots, capacity);
    this.#lotsCarry = grownIntegers(this.#lotsCarry, capacity);
    this.#capacity = capacity;
  }
}

function blockEnd(block: number, counts: Int32Array): number {
  return block * BLOCK_LENGTH + (counts[block] as number);
}

function grownNumbers(column: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length);
  grown.set(column);
  return grown;
}

function grownIntegers(column: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length);
  grown.set(column);
  return grown;
}
