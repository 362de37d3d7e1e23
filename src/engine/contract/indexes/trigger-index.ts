/**
 * Which conditional orders wait for what, and which of them have reached it. Per market, triggers
 * stand in heaps by price, so that a price which reaches none of them costs one look at the top of
 * each. What is found reached is collected by id; it is looked at again before it is handed out,
 * for the price may have moved on since. Nothing here is in a snapshot but the rows themselves.
 */
import { ceilDivide, floorDivide, invariant, RATE_ONE_E8 } from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";
import type { AlgoOrder, ContractMarket, SymbolAccount } from "../state/contract-market.ts";
import { PriceHeap } from "./price-heap.ts";

export function isTrailing(algo: Pick<AlgoOrder, "orderType">): boolean {
  return algo.orderType === "TRAILING_STOP_MARKET";
}

/**
 * Whether the order waits for a price at or above its trigger; else for one at or below it. A stop
 * follows the market, a take-profit goes against it.
 */
function firesUpwards(algo: Pick<AlgoOrder, "orderType" | "side">): boolean {
  const isTakeProfit = algo.orderType === "TAKE_PROFIT" || algo.orderType === "TAKE_PROFIT_MARKET";
  return (algo.side === "BUY") !== isTakeProfit;
}

/** The price that an order looks at, in ticks; 0 before there is one. */
export function workingTicks(market: ContractMarket, algo: Pick<AlgoOrder, "workingType">): number {
  return algo.workingType === "MARK_PRICE" ? market.mark.ticks : market.lastTicks;
}

/**
 * The trigger in ticks. Of a trailing stop it is the level that follows the best price, rounded
 * away from the market; 0 before it is active.
 */
export function triggerLevelTicks(algo: AlgoOrder): number {
  if (!isTrailing(algo)) return algo.triggerTicks;
  if (algo.extremeTicks === 0) return 0;
  return algo.side === "SELL"
    ? ratioTicks(algo.extremeTicks, RATE_ONE_E8 - algo.callbackRateE8, "down")
    : ratioTicks(algo.extremeTicks, RATE_ONE_E8 + algo.callbackRateE8, "up");
}

/** A price times a rate in 10^-8, to a whole tick. */
function ratioTicks(ticks: number, rateE8: number, rounding: "up" | "down"): number {
  const product = ticks * rateE8;
  // Every trailing stop of a market computes this for every price: mostly without bigints.
  if (Number.isSafeInteger(product)) {
    const rest = product % RATE_ONE_E8;
    const down = (product - rest) / RATE_ONE_E8;
    return rest > 0 && rounding === "up" ? down + 1 : down;
  }
  const exact = BigInt(ticks) * BigInt(rateE8);
  const one = BigInt(RATE_ONE_E8);
  return Number(rounding === "up" ? ceilDivide(exact, one) : floorDivide(exact, one));
}

/** Whether the condition holds at a price; a touch is enough. 0 is no price, or no trigger yet. */
export function holdsAt(
  algo: Pick<AlgoOrder, "orderType" | "side">,
  ticks: number,
  levelTicks: number,
): boolean {
  if (ticks === 0 || levelTicks === 0) return false;
  return firesUpwards(algo) ? ticks >= levelTicks : ticks <= levelTicks;
}

/** Whether the condition holds at the market's present prices. */
function isReached(algo: AlgoOrder): boolean {
  return holdsAt(algo, workingTicks(algo.owner.market, algo), triggerLevelTicks(algo));
}

/** What waits in one market. Rows are known to the heaps by small numbers of the market's own. */
class MarketTriggers {
  readonly market: ContractMarket;
  readonly #rising = { last: new PriceHeap("lowest-first"), mark: new PriceHeap("lowest-first") };
  readonly #falling = {
    last: new PriceHeap("highest-first"),
    mark: new PriceHeap("highest-first"),
  };
  /** All active trailing stops, those in `reached` too: their best price goes on. */
  readonly #trailing = new Set<AlgoOrder>();
  /** By algo id. */
  readonly #reached = new PriceHeap("lowest-first");
  readonly #rows: (AlgoOrder | undefined)[] = [];
  readonly #freeItems: number[] = [];
  /** The last price that the trailing stops have seen. */
  #seenTicks = 0;
  /** A price or a row changed since the heaps were looked at. */
  isDirty = false;

  constructor(market: ContractMarket) {
    this.market = market;
  }

  add(algo: AlgoOrder): void {
    invariant(algo.heapItem === NONE, "a conditional order is watched once");
    algo.heapItem = this.#freeItems.pop() ?? this.#rows.length;
    this.#rows[algo.heapItem] = algo;
    this.#wait(algo);
    if (isTrailing(algo)) this.#follow(algo);
    this.isDirty = true;
  }

  remove(algo: AlgoOrder): void {
    const item = algo.heapItem;
    invariant(this.#rows[item] === algo, "only what is watched can leave");
    this.#reached.remove(item);
    if (isTrailing(algo)) this.#trailing.delete(algo);
    else this.#heapOf(algo).remove(item);
    this.#rows[item] = undefined;
    this.#freeItems.push(item);
    algo.heapItem = NONE;
  }

  /** Lets trailing stops see every last price, also one that is gone at the next look. */
  lastPriceChanged(): void {
    if (this.market.lastTicks === this.#seenTicks) return;
    this.#seenTicks = this.market.lastTicks;
    for (const algo of this.#trailing) this.#follow(algo);
    this.isDirty = true;
  }

  /** The row with the lowest id that is reached now, or null. */
  lowestReached(): AlgoOrder | null {
    if (this.isDirty) this.#collect();
    this.isDirty = false;
    let item = this.#reached.top;
    while (item !== NONE) {
      const algo = this.#rowOf(item);
      if (isReached(algo)) return algo;
      this.#reached.remove(item);
      this.#wait(algo);
      item = this.#reached.top;
    }
    return null;
  }

  /** Every row is in exactly one place, and none that is reached waits unseen. */
  validate(): void {
    for (const heap of this.#heaps()) heap.validate();
    this.#reached.validate();
    for (const [item, algo] of this.#rows.entries()) {
      if (algo === undefined) continue;
      invariant(algo.heapItem === item, "a watched row knows its item");
      const isCollected = this.#reached.has(item);
      if (isTrailing(algo)) {
        invariant(this.#trailing.has(algo), "an active trailing stop follows the price");
      } else {
        invariant(this.#heapOf(algo).has(item) !== isCollected, "a trigger is in one heap");
        const places = this.#heaps().filter((heap) => heap.has(item)).length;
        invariant(places === (isCollected ? 0 : 1), "a trigger is in the heap of its price");
      }
      invariant(this.isDirty || isCollected || !isReached(algo), "what is reached is collected");
    }
  }

  /** Whether the row with this number is the given one. */
  has(algo: AlgoOrder): boolean {
    return this.#rows[algo.heapItem] === algo;
  }

  #collect(): void {
    const { lastTicks, mark } = this.market;
    this.#drain(this.#rising.last, lastTicks, true);
    this.#drain(this.#falling.last, lastTicks, false);
    this.#drain(this.#rising.mark, mark.ticks, true);
    this.#drain(this.#falling.mark, mark.ticks, false);
    for (const algo of this.#trailing) {
      if (isReached(algo)) this.#reached.set(algo.heapItem, algo.algoId);
    }
  }

  #drain(heap: PriceHeap, ticks: number, upwards: boolean): void {
    if (ticks === 0) return;
    while (heap.size > 0 && (upwards ? heap.topTicks <= ticks : heap.topTicks >= ticks)) {
      const item = heap.pop();
      this.#reached.set(item, this.#rowOf(item).algoId);
    }
  }

  /** Puts a row where it waits for its price. */
  #wait(algo: AlgoOrder): void {
    if (isTrailing(algo)) this.#trailing.add(algo);
    else this.#heapOf(algo).set(algo.heapItem, algo.triggerTicks);
  }

  /** Activates a trailing stop, or moves its best price. */
  #follow(algo: AlgoOrder): void {
    const { lastTicks } = this.market;
    if (lastTicks === 0) return;
    const isSell = algo.side === "SELL";
    if (algo.extremeTicks === 0) {
      const { activationTicks } = algo;
      const isActive = isSell ? lastTicks >= activationTicks : lastTicks <= activationTicks;
      if (activationTicks === 0 || isActive) algo.extremeTicks = lastTicks;
      return;
    }
    const best = isSell ? Math.max : Math.min;
    algo.extremeTicks = best(algo.extremeTicks, lastTicks);
  }

  #heapOf(algo: AlgoOrder): PriceHeap {
    const heaps = firesUpwards(algo) ? this.#rising : this.#falling;
    return algo.workingType === "MARK_PRICE" ? heaps.mark : heaps.last;
  }

  #heaps(): PriceHeap[] {
    return [this.#rising.last, this.#rising.mark, this.#falling.last, this.#falling.mark];
  }

  #rowOf(item: number): AlgoOrder {
    const algo = this.#rows[item];
    invariant(algo !== undefined, "a heap holds watched rows only");
    return algo;
  }
}

export class AlgoIndex {
  /** Rows that are not final: NEW, UNTRIGGERED, and TRIGGERED while the child rests. */
  readonly byId = new Map<number, AlgoOrder>();
  /** The same rows, by ascending id. */
  readonly #byOwner = new Map<SymbolAccount, Set<AlgoOrder>>();
  /** Attached rows by the order that they are attached to. */
  readonly #byParent = new Map<number, Set<AlgoOrder>>();
  readonly #triggers = new Map<ContractMarket, MarketTriggers>();
  /** Markets that may hold something reached. One that does not trade stays until it does. */
  readonly #awake = new Set<MarketTriggers>();

  /** By ascending id; whoever gets them may end them one by one. */
  ofOwner(owner: SymbolAccount): AlgoOrder[] {
    return [...(this.#byOwner.get(owner) ?? [])];
  }

  ofParent(orderId: number): AlgoOrder[] {
    return [...(this.#byParent.get(orderId) ?? [])];
  }

  /** Adds a row, the newest of all. It is watched from `watch` on. */
  add(algo: AlgoOrder): void {
    this.byId.set(algo.algoId, algo);
    append(this.#byOwner, algo.owner, algo);
    if (algo.parentOrderId !== 0) append(this.#byParent, algo.parentOrderId, algo);
  }

  /** Forgets a row that is final. */
  remove(algo: AlgoOrder): void {
    this.unwatch(algo);
    this.byId.delete(algo.algoId);
    drop(this.#byOwner, algo.owner, algo);
    if (algo.parentOrderId !== 0) drop(this.#byParent, algo.parentOrderId, algo);
  }

  /**
   * The row waits for its price from now on; one that is reached already fires at the next look.
   */
  watch(algo: AlgoOrder): void {
    const triggers = this.#triggersOf(algo.owner.market);
    triggers.add(algo);
    this.#awake.add(triggers);
  }

  /** The row waits no more. To be called before its trigger changes, too. */
  unwatch(algo: AlgoOrder): void {
    if (algo.heapItem !== NONE) this.#triggersOf(algo.owner.market).remove(algo);
  }

  /** An order has been matched completely. */
  lastPriceChanged(market: ContractMarket): void {
    const triggers = this.#triggers.get(market);
    if (triggers === undefined) return;
    triggers.lastPriceChanged();
    if (triggers.isDirty) this.#awake.add(triggers);
  }

  markChanged(market: ContractMarket): void {
    const triggers = this.#triggers.get(market);
    if (triggers === undefined) return;
    triggers.isDirty = true;
    this.#awake.add(triggers);
  }

  /**
   * The reached row with the lowest id, of all markets that trade; null when there is none. It is
   * not watched any more.
   */
  takeReached(): AlgoOrder | null {
    const algo = this.peekReached();
    if (algo !== null) this.unwatch(algo);
    return algo;
  }

  /** The same row, which stays. */
  peekReached(): AlgoOrder | null {
    let lowest: AlgoOrder | null = null;
    for (const triggers of this.#awake) {
      if (triggers.market.state !== "trading") continue;
      const algo = triggers.lowestReached();
      if (algo === null) this.#awake.delete(triggers);
      else if (lowest === null || algo.algoId < lowest.algoId) lowest = algo;
    }
    return lowest;
  }

  /** Checks that exactly the untriggered rows are watched, each in its place. */
  validate(): void {
    for (const triggers of this.#triggers.values()) triggers.validate();
    for (const algo of this.byId.values()) {
      const isWatched = this.#triggers.get(algo.owner.market)?.has(algo) ?? false;
      invariant(isWatched === (algo.status === "UNTRIGGERED"), "untriggered rows are watched");
      const isKnown = this.#byOwner.get(algo.owner)?.has(algo) === true;
      invariant(isKnown, "an owner knows its conditional orders");
    }
  }

  #triggersOf(market: ContractMarket): MarketTriggers {
    let triggers = this.#triggers.get(market);
    if (triggers === undefined) {
      triggers = new MarketTriggers(market);
      this.#triggers.set(market, triggers);
    }
    return triggers;
  }
}

function append<Key>(rows: Map<Key, Set<AlgoOrder>>, key: Key, algo: AlgoOrder): void {
  const present = rows.get(key);
  if (present === undefined) rows.set(key, new Set([algo]));
  else present.add(algo);
}

function drop<Key>(rows: Map<Key, Set<AlgoOrder>>, key: Key, algo: AlgoOrder): void {
  const present = rows.get(key);
  invariant(present?.delete(algo) === true, "only a row that is known can be forgotten");
  if (present.size === 0) rows.delete(key);
}
