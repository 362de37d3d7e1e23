/**
 * The book of one market: orders in a queue per price, prices in `PriceLevels`, orders in the
 * shared pool.
 */
import { invariant } from "../../domain/index.ts";
import type { OrderPool } from "./order-pool.ts";
import { PriceLevels } from "./price-levels.ts";
import type { DepthLevel, LotsTotal, PriceTimeBook } from "./price-time-book.ts";
import { BUY, NONE, SELL, type SideIndex } from "./slot.ts";

export class OrderBook implements PriceTimeBook {
  readonly #pool: OrderPool;
  readonly #bids = new PriceLevels();
  readonly #asks = new PriceLevels();
  #orderCount = 0;
  #version = 0;

  constructor(pool: OrderPool) {
    this.#pool = pool;
  }

  get orderCount(): number {
    return this.#orderCount;
  }

  get version(): number {
    return this.#version;
  }

  /** Bytes of the price levels; the orders are the pool's. */
  get byteLength(): number {
    return this.#bids.byteLength + this.#asks.byteLength;
  }

  insert(slot: number): void {
    const pool = this.#pool;
    invariant(pool.level(slot) === NONE, "an order enters a book once");
    const openLots = pool.openLots(slot);
    const priceTicks = pool.priceTicks(slot);
    invariant(openLots > 0 && priceTicks > 0, "a resting order has a price and open lots");
    const side = pool.side(slot);
    const levels = this.#levels(side);
    const level = levels.obtain(keyOf(side, priceTicks));
    const last = levels.lastOrder[level] as number;
    pool.setLevel(slot, level);
    pool.setPrevious(slot, last);
    pool.setNext(slot, NONE);
    if (last === NONE) levels.firstOrder[level] = slot;
    else pool.setNext(last, slot);
    levels.lastOrder[level] = slot;
    levels.addLots(level, openLots);
    this.#orderCount++;
    this.#version++;
  }

  remove(slot: number): void {
    const pool = this.#pool;
    const level = pool.level(slot);
    invariant(level !== NONE, "only an order in the book can leave it");
    const levels = this.#levels(pool.side(slot));
    const next = pool.next(slot);
    const previous = pool.previous(slot);
    if (previous === NONE) levels.firstOrder[level] = next;
    else pool.setNext(previous, next);
    if (next === NONE) levels.lastOrder[level] = previous;
    else pool.setPrevious(next, previous);
    if (next === NONE && previous === NONE) {
      levels.delete(level);
    } else {
      const openLots = pool.openLots(slot);
      levels.subtractLots(level, openLots);
    }
    pool.setLevel(slot, NONE);
    pool.setNext(slot, NONE);
    pool.setPrevious(slot, NONE);
    this.#orderCount--;
    this.#version++;
  }

  reduce(slot: number, lots: number): void {
    const pool = this.#pool;
    const level = pool.level(slot);
    const filledLots = pool.filledLots(slot) + lots;
    invariant(level !== NONE && lots > 0, "a fill reduces an order in the book");
    invariant(filledLots <= pool.quantityLots(slot), "a fill is within the open lots");
    pool.setFilledLots(slot, filledLots);
    this.#levels(pool.side(slot)).subtractLots(level, lots);
    this.#version++;
  }

  shrink(slot: number, lots: number): void {
    const pool = this.#pool;
    const level = pool.level(slot);
    invariant(level !== NONE && lots > 0, "an order in the book shrinks");
    invariant(lots < pool.openLots(slot), "an order that shrinks has open lots left");
    pool.setQuantityLots(slot, pool.quantityLots(slot) - lots);
    this.#levels(pool.side(slot)).subtractLots(level, lots);
    this.#version++;
  }

  bestPriceTicks(side: SideIndex): number {
    const levels = this.#levels(side);
    return levels.best === NONE ? NONE : Math.abs(levels.key[levels.best] as number);
  }

  bestOrder(side: SideIndex): number {
    const levels = this.#levels(side);
    return levels.best === NONE ? NONE : (levels.firstOrder[levels.best] as number);
  }

  nextOrder(slot: number): number {
    const pool = this.#pool;
    const next = pool.next(slot);
    if (next !== NONE) return next;
    const levels = this.#levels(pool.side(slot));
    const worse = levels.worse[pool.level(slot)] as number;
    return worse === NONE ? NONE : (levels.firstOrder[worse] as number);
  }

  levelLots(side: SideIndex, priceTicks: number): LotsTotal {
    const levels = this.#levels(side);
    const level = levels.find(keyOf(side, priceTicks));
    return level === NONE ? 0 : levels.lotsOf(level);
  }

  levelCount(side: SideIndex): number {
    return this.#levels(side).count;
  }

  depth(side: SideIndex, limit: number): DepthLevel[] {
    const levels = this.#levels(side);
    const depth: DepthLevel[] = [];
    let level = levels.best;
    while (level !== NONE && depth.length < limit) {
      depth.push([Math.abs(levels.key[level] as number), levels.lotsOf(level)]);
      level = levels.worse[level] as number;
    }
    return depth;
  }

  isCrossed(): boolean {
    const bid = this.bestPriceTicks(BUY);
    const ask = this.bestPriceTicks(SELL);
    return bid !== NONE && ask !== NONE && bid >= ask;
  }

  validate(): void {
    const orders = this.#validateSide(BUY) + this.#validateSide(SELL);
    invariant(orders === this.#orderCount, "the number of orders is right");
  }

  #levels(side: SideIndex): PriceLevels {
    return side === BUY ? this.#bids : this.#asks;
  }

  /** Returns the number of orders on the side. */
  #validateSide(side: SideIndex): number {
    const pool = this.#pool;
    const levels = this.#levels(side);
    levels.validate();
    let orders = 0;
    for (let level = levels.best; level !== NONE; level = levels.worse[level] as number) {
      let previous = NONE;
      let lots = 0n;
      let slot = levels.firstOrder[level] as number;
      invariant(slot !== NONE, "a price level has orders");
      while (slot !== NONE) {
        const key = keyOf(side, pool.priceTicks(slot));
        invariant(pool.side(slot) === side, "an order stands on its side");
        invariant(key === levels.key[level], "an order stands at its price");
        invariant(pool.level(slot) === level, "an order knows its level");
        invariant(pool.previous(slot) === previous, "links of orders agree in both directions");
        const openLots = pool.openLots(slot);
        invariant(openLots > 0, "a resting order has open lots");
        lots += BigInt(openLots);
        orders++;
        previous = slot;
        slot = pool.next(slot);
      }
      invariant(levels.lastOrder[level] === previous, "a level knows its last order");
      invariant(BigInt(levels.lotsOf(level)) === lots, "a level's total is the sum of its orders");
    }
    return orders;
  }
}

function keyOf(side: SideIndex, priceTicks: number): number {
  return side === BUY ? priceTicks : -priceTicks;
}
