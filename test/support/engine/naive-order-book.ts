/**
 * A book that is plainly right and slow: one sorted array of slots per side. It is the oracle in
 * the tests of the fast book and has no other use.
 */
import { invariant } from "../../../src/domain/index.ts";
import type { OrderPool } from "../../../src/engine/matching/order-pool.ts";
import type {
  DepthLevel,
  LotsTotal,
  PriceTimeBook,
} from "../../../src/engine/matching/price-time-book.ts";
import { BUY, NONE, SELL, type SideIndex } from "../../../src/engine/matching/slot.ts";

export class NaiveOrderBook implements PriceTimeBook {
  readonly #pool: OrderPool;
  /** Slots in priority order, per side. */
  readonly #sides: readonly [number[], number[]] = [[], []];
  version = 0;

  constructor(pool: OrderPool) {
    this.#pool = pool;
  }

  get orderCount(): number {
    return this.#sides[BUY].length + this.#sides[SELL].length;
  }

  insert(slot: number): void {
    const orders = this.#ordersWith(slot);
    const price = this.#price(slot);
    const isWorse = (other: number): boolean =>
      this.#side(slot) === BUY ? this.#price(other) < price : this.#price(other) > price;
    const at = orders.findIndex(isWorse);
    orders.splice(at === -1 ? orders.length : at, 0, slot);
    this.version++;
  }

  remove(slot: number): void {
    const orders = this.#ordersWith(slot);
    orders.splice(orders.indexOf(slot), 1);
    this.version++;
  }

  reduce(slot: number, lots: number): void {
    this.#pool.setFilledLots(slot, this.#pool.filledLots(slot) + lots);
    this.version++;
  }

  shrink(slot: number, lots: number): void {
    this.#pool.setQuantityLots(slot, this.#pool.quantityLots(slot) - lots);
    this.version++;
  }

  bestPriceTicks(side: SideIndex): number {
    const best = this.bestOrder(side);
    return best === NONE ? NONE : this.#price(best);
  }

  bestOrder(side: SideIndex): number {
    return this.#sides[side][0] ?? NONE;
  }

  nextOrder(slot: number): number {
    const orders = this.#ordersWith(slot);
    return orders[orders.indexOf(slot) + 1] ?? NONE;
  }

  levelLots(side: SideIndex, priceTicks: number): LotsTotal {
    return this.#totals(side).get(priceTicks) ?? 0;
  }

  levelCount(side: SideIndex): number {
    return this.#totals(side).size;
  }

  depth(side: SideIndex, limit: number): DepthLevel[] {
    return [...this.#totals(side)].slice(0, limit);
  }

  isCrossed(): boolean {
    const [bid, ask] = [this.bestOrder(BUY), this.bestOrder(SELL)];
    return bid !== NONE && ask !== NONE && this.#price(bid) >= this.#price(ask);
  }

  validate(): void {
    for (const [side, orders] of this.#sides.entries()) {
      invariant(
        orders.every((slot) => this.#side(slot) === side),
        "an order stands on its side",
      );
    }
  }

  #totals(side: SideIndex): Map<number, LotsTotal> {
    const totals = new Map<number, bigint>();
    for (const slot of this.#sides[side]) {
      const openLots = BigInt(this.#pool.quantityLots(slot)) - BigInt(this.#pool.filledLots(slot));
      totals.set(this.#price(slot), (totals.get(this.#price(slot)) ?? 0n) + openLots);
    }
    const exact = (lots: bigint): LotsTotal =>
      lots <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(lots) : lots;
    return new Map([...totals].map(([priceTicks, lots]) => [priceTicks, exact(lots)]));
  }

  #ordersWith(slot: number): number[] {
    return this.#sides[this.#side(slot)];
  }

  #side(slot: number): SideIndex {
    return this.#pool.side(slot);
  }

  #price(slot: number): number {
    return this.#pool.priceTicks(slot);
  }
}
