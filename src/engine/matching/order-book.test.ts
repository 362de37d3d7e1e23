/**
 * Proves that the fast book is a price-time book: long random runs of inserts, removals, fills and
 * walks against a naive book of sorted arrays, with `validate()` on the way.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { NaiveOrderBook } from "../../../test/support/engine/naive-order-book.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { OrderBook } from "./order-book.ts";
import { OrderPool, type OrderTerms } from "./order-pool.ts";
import type { PriceTimeBook } from "./price-time-book.ts";
import { BUY, NONE, SELL, type SideIndex } from "./slot.ts";

const seed = seededRandom("order book").seed;
const SIDES_BOTH: readonly SideIndex[] = [BUY, SELL];
const LOTS_MAX = Number.MAX_SAFE_INTEGER;
/** What a book does not look at, and nothing to match. */
const TERMS: OrderTerms = {
  market: 0,
  side: BUY,
  timeInForce: 0,
  priceTicks: 0,
  quantityLots: 0,
  filledLots: 0,
  makerFeeRateE8: 0,
  clientEntry: NONE,
};

/**
 * The same operations on both books. Each has its own pool, in which equal calls take equal slots.
 */
class BookPair {
  readonly pool = new OrderPool();
  readonly naivePool = new OrderPool();
  readonly fast = new OrderBook(this.pool);
  readonly naive = new NaiveOrderBook(this.naivePool);
  readonly live: number[] = [];
  #lastId = 0;

  get both(): readonly PriceTimeBook[] {
    return [this.fast, this.naive];
  }

  insert(side: SideIndex, priceTicks: number, quantityLots: number): number {
    const orderId = ++this.#lastId;
    const slots = [this.pool, this.naivePool].map((pool) => {
      return pool.allocate(orderId, 1, { ...TERMS, side, priceTicks, quantityLots });
    });
    const slot = slots[0] as number;
    assert.equal(slots[1], slot);
    for (const book of this.both) book.insert(slot);
    this.live.push(slot);
    return slot;
  }

  remove(slot: number): void {
    for (const book of this.both) book.remove(slot);
    for (const pool of [this.pool, this.naivePool]) pool.release(slot);
    const at = this.live.indexOf(slot);
    this.live[at] = this.live[this.live.length - 1] as number;
    this.live.pop();
  }

  /** Fills an order with at most `lots`, and takes it out when nothing is left. */
  fill(slot: number, lots: number): number {
    const openLots = this.pool.openLots(slot);
    const filled = Math.min(lots, openLots);
    for (const book of this.both) book.reduce(slot, filled);
    if (filled === openLots) this.remove(slot);
    return filled;
  }

  /** Takes lots off what an order is for, but never the last. */
  shrink(slot: number, lots: number): void {
    const less = Math.min(lots, this.pool.openLots(slot) - 1);
    if (less > 0) for (const book of this.both) book.shrink(slot, less);
  }

  compareBest(): void {
    const { fast, naive } = this;
    for (const side of SIDES_BOTH) {
      assert.equal(fast.bestPriceTicks(side), naive.bestPriceTicks(side));
      assert.equal(fast.bestOrder(side), naive.bestOrder(side));
    }
    assert.equal(fast.isCrossed(), naive.isCrossed());
    assert.equal(fast.orderCount, naive.orderCount);
    assert.equal(fast.version, naive.version);
  }

  compareAll(): void {
    const { fast, naive } = this;
    fast.validate();
    for (const side of SIDES_BOTH) {
      assert.deepEqual(walk(fast, side), walk(naive, side));
      assert.deepEqual(fast.depth(side, 1e9), naive.depth(side, 1e9));
      assert.deepEqual(fast.depth(side, 3), naive.depth(side, 3));
      assert.equal(fast.levelCount(side), naive.levelCount(side));
    }
  }
}

function walk(book: PriceTimeBook, side: SideIndex): number[] {
  const slots: number[] = [];
  for (let slot = book.bestOrder(side); slot !== -1; slot = book.nextOrder(slot)) slots.push(slot);
  return slots;
}

interface Terrain {
  /** The book holds about this many orders. */
  readonly orders: number;
  readonly operations: number;
  price(random: Random, side: SideIndex): number;
  lots(random: Random): number;
}

const TERRAINS: Readonly<Record<string, Terrain>> = {
  "a few crowded prices": {
    orders: 150,
    operations: 100_000,
    price: (random, side) =>
      side === BUY ? 100 - random.integer(0, 4) : 101 + random.integer(0, 4),
    lots: (random) => random.integer(1, 9),
  },
  "hundreds of prices": {
    orders: 600,
    operations: 80_000,
    price: (random, side) =>
      side === BUY ? 5_000 - random.integer(0, 900) : 5_001 + random.integer(0, 900),
    lots: (random) => random.integer(1, 1_000),
  },
  "sparse prices over the whole range": {
    orders: 1_500,
    operations: 30_000,
    price: (random, side) => {
      const distance = Math.floor(random.next() * 2 ** random.integer(1, 51));
      return side === BUY ? 2 ** 52 - distance : 2 ** 52 + 1 + distance;
    },
    lots: () => LOTS_MAX,
  },
};

function run(pair: BookPair, random: Random, terrain: Terrain): void {
  const side = random.pick(SIDES_BOTH);
  const wantsMore = random.chance(pair.live.length < terrain.orders ? 0.7 : 0.3);
  if (wantsMore || pair.live.length === 0) {
    pair.insert(side, terrain.price(random, side), terrain.lots(random));
  } else if (random.chance(0.6)) {
    pair.remove(random.pick(pair.live));
  } else if (random.chance(0.2)) {
    pair.shrink(random.pick(pair.live), terrain.lots(random));
  } else if (random.chance(0.75)) {
    sweep(pair, side, terrain.lots(random));
  } else {
    // Also an order that is not the first may shrink.
    pair.fill(random.pick(pair.live), terrain.lots(random));
  }
}

/** Takes up to `lots` from the best of a side, as a market order does. */
function sweep(pair: BookPair, side: SideIndex, lots: number): void {
  let rest = lots;
  while (rest > 0) {
    const slot = pair.fast.bestOrder(side);
    assert.equal(slot, pair.naive.bestOrder(side));
    if (slot === -1) return;
    rest -= pair.fill(slot, rest);
  }
}

for (const [name, terrain] of Object.entries(TERRAINS)) {
  test(`equals the naive book: ${name}`, () => {
    const random = new Random(seed);
    const pair = new BookPair();
    const operations = scaled(terrain.operations);
    for (let operation = 1; operation <= operations; operation++) {
      run(pair, random, terrain);
      pair.compareBest();
      if (pair.live.length > 0) {
        const slot = random.pick(pair.live);
        assert.equal(pair.fast.nextOrder(slot), pair.naive.nextOrder(slot));
      }
      if (operation % 50 === 0) {
        const side = random.pick(SIDES_BOTH);
        const price = terrain.price(random, side);
        assert.equal(pair.fast.levelLots(side, price), pair.naive.levelLots(side, price));
      }
      if (operation % 500 === 0) pair.compareAll();
    }
    for (const slot of random.shuffle([...pair.live])) pair.remove(slot);
    pair.compareBest();
    pair.compareAll();
    assert.equal(pair.fast.orderCount, 0);
  });
}

test("orders at one price keep the order of arrival, also after a partial fill", () => {
  const pair = new BookPair();
  const [first, second, third] = [5, 7, 9].map((lots) => pair.insert(SELL, 100, lots));
  pair.fill(first as number, 2);
  assert.deepEqual(walk(pair.fast, SELL), [first, second, third]);
  assert.deepEqual(pair.fast.depth(SELL, 1), [[100, 19]]);
  pair.remove(second as number);
  const fourth = pair.insert(SELL, 100, 1);
  assert.deepEqual(walk(pair.fast, SELL), [first, third, fourth]);
});

test("an empty side has no best, no lots and no depth", () => {
  const { fast } = new BookPair();
  assert.equal(fast.bestPriceTicks(BUY), -1);
  assert.equal(fast.bestOrder(SELL), -1);
  assert.equal(fast.levelLots(BUY, 100), 0);
  assert.deepEqual(fast.depth(SELL, 5), []);
  assert.equal(fast.isCrossed(), false);
});

test("a level's total stays exact above 2^53", () => {
  const pair = new BookPair();
  const slots = [LOTS_MAX, LOTS_MAX, 1, 2].map((lots) => pair.insert(BUY, 10, lots));
  assert.equal(pair.fast.levelLots(BUY, 10), 2n * BigInt(LOTS_MAX) + 3n);
  pair.fill(slots[0] as number, LOTS_MAX - 1);
  assert.equal(pair.fast.levelLots(BUY, 10), BigInt(LOTS_MAX) + 4n);
  pair.remove(slots[1] as number);
  assert.equal(pair.fast.levelLots(BUY, 10), 4);
  pair.compareAll();
});

test("a level's total is a number up to 2^53 - 1 and a bigint from 2^53 on", () => {
  const pair = new BookPair();
  pair.insert(BUY, 10, LOTS_MAX - 1);
  const last = pair.insert(BUY, 10, 1);
  assert.equal(pair.fast.levelLots(BUY, 10), LOTS_MAX);
  const next = pair.insert(BUY, 10, 1);
  assert.equal(pair.fast.levelLots(BUY, 10), 2n ** 53n);
  pair.remove(next);
  assert.equal(pair.fast.levelLots(BUY, 10), LOTS_MAX);
  pair.remove(last);
  pair.compareAll();
});

test("crossing is seen", () => {
  const pair = new BookPair();
  pair.insert(BUY, 10, 1);
  const ask = pair.insert(SELL, 11, 1);
  assert.equal(pair.fast.isCrossed(), false);
  pair.remove(ask);
  pair.insert(SELL, 10, 1);
  assert.equal(pair.fast.isCrossed(), true);
});

test("an order that shrinks keeps its place and what it has filled", () => {
  const pair = new BookPair();
  const [first, second] = [5, 7].map((lots) => pair.insert(SELL, 100, lots));
  pair.fill(first as number, 2);
  pair.shrink(first as number, 2);
  assert.deepEqual(walk(pair.fast, SELL), [first, second]);
  assert.deepEqual(pair.fast.depth(SELL, 1), [[100, 8]]);
  assert.equal(pair.pool.quantityLots(first as number), 3);
  assert.equal(pair.pool.filledLots(first as number), 2);
  pair.compareAll();
});

test("misuse is an error of the program", () => {
  const pair = new BookPair();
  const slot = pair.insert(BUY, 10, 5);
  assert.throws(() => pair.fast.shrink(slot, 5), /has open lots left/);
  assert.throws(() => pair.fast.insert(slot), /enters a book once/);
  assert.throws(() => pair.fast.reduce(slot, 6), /within the open lots/);
  const loose = pair.pool.allocate(99, 1, TERMS);
  assert.throws(() => pair.fast.insert(loose), /price and open lots/);
  assert.throws(() => pair.fast.remove(loose), /can leave it/);
  pair.pool.setFilledLots(slot, 1);
  assert.throws(() => pair.fast.validate(), /sum of its orders/);
});

/** Prices come and go in the ways that are worst for sorted blocks. */
const TIDES: Readonly<Record<string, (count: number, random: Random) => number[]>> = {
  rising: (count) => Array.from({ length: count }, (_, i) => i + 1),
  falling: (count) => Array.from({ length: count }, (_, i) => count - i),
  shuffled: (count, random) => random.shuffle(Array.from({ length: count }, (_, i) => i + 1)),
};

for (const [name, makePrices] of Object.entries(TIDES)) {
  test(`tens of thousands of ${name} prices are thinned out and refilled`, () => {
    const random = new Random(seed);
    const pool = new OrderPool();
    const book = new OrderBook(pool);
    const count = scaled(30_000);
    let id = 0;
    const insert = (priceTicks: number): number => {
      const slot = pool.allocate(++id, 1, { ...TERMS, priceTicks, quantityLots: 1 });
      book.insert(slot);
      return slot;
    };
    const slots = new Map(makePrices(count, random).map((price) => [price, insert(price)]));
    book.validate();
    for (const [price, slot] of slots) {
      if (price % 50 === 0) continue;
      book.remove(slot);
      pool.release(slot);
    }
    book.validate();
    const kept = Array.from({ length: Math.floor(count / 50) }, (_, i) => (i + 1) * 50).reverse();
    assert.deepEqual(
      book.depth(BUY, count),
      kept.map((price) => [price, 1]),
    );
    for (const price of makePrices(count, random)) insert(price);
    book.validate();
    assert.equal(book.levelCount(BUY), count);
    assert.equal(book.bestPriceTicks(BUY), count);
    assert.equal(book.orderCount, count + kept.length);
  });
}

test("price levels give their memory back to later prices", () => {
  const pool = new OrderPool();
  const book = new OrderBook(pool);
  const count = 30_000;
  let id = 0;
  let topTicks = 0;
  let bytes = 0;
  for (let tide = 0; tide < 8; tide++) {
    const slots = Array.from({ length: count }, () => {
      const priceTicks = ++topTicks;
      const slot = pool.allocate(++id, 1, { ...TERMS, priceTicks, quantityLots: 1 });
      book.insert(slot);
      return slot;
    });
    // What is left of each tide is spread thinly over its blocks.
    for (const [i, slot] of slots.entries()) {
      if (i % 500 === 0) continue;
      book.remove(slot);
      pool.release(slot);
    }
    if (tide === 0) bytes = book.byteLength;
  }
  book.validate();
  assert.equal(book.byteLength, bytes);
});
