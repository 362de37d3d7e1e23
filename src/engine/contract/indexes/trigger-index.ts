/**
 * Which conditional orders wait for which price, and which have reached it. Each market keeps heaps
 * by trigger price, so a price that reaches none costs one look at the top of each. Reached rows
 * are collected by id and checked again before they are taken, since the price may have moved on. A
 * snapshot holds only the rows; the index is rebuilt.
 */
import { ceilDivide, floorDivide, invariant, RATE_ONE_E8 } from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";
import type { ConditionalOrder, ContractMarket, SymbolAccount } from "../state/contract-market.ts";
import { PriceHeap } from "./price-heap.ts";

export function isTrailing(order: Pick<ConditionalOrder, "orderType">): boolean {
  return order.orderType === "TRAILING_STOP_MARKET";
}

/**
 * Whether the order waits for a price at or above its trigger; else for one at or below it. A stop
 * follows the market, a take-profit goes against it.
 */
function firesUpwards(order: Pick<ConditionalOrder, "orderType" | "side">): boolean {
  const isTakeProfit =
    order.orderType === "TAKE_PROFIT" || order.orderType === "TAKE_PROFIT_MARKET";
  return (order.side === "BUY") !== isTakeProfit;
}

/** The price that an order looks at, in ticks; 0 before there is one. */
export function workingTicks(
  market: ContractMarket,
  order: Pick<ConditionalOrder, "workingType">,
): number {
  return order.workingType === "MARK_PRICE" ? market.mark.ticks : market.lastTicks;
}

/**
 * The trigger in ticks. Of a trailing stop it is the level that follows the best price, rounded
 * away from the market; 0 before it is active.
 */
export function triggerLevelTicks(order: ConditionalOrder): number {
  if (!isTrailing(order)) return order.triggerTicks;
  if (order.extremeTicks === 0) return 0;
  return order.side === "SELL"
    ? ratioTicks(order.extremeTicks, RATE_ONE_E8 - order.callbackRateE8, "down")
    : ratioTicks(order.extremeTicks, RATE_ONE_E8 + order.callbackRateE8, "up");
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
  order: Pick<ConditionalOrder, "orderType" | "side">,
  ticks: number,
  levelTicks: number,
): boolean {
  if (ticks === 0 || levelTicks === 0) return false;
  return firesUpwards(order) ? ticks >= levelTicks : ticks <= levelTicks;
}

/** Whether the condition holds at the market's present prices. */
function isReached(order: ConditionalOrder): boolean {
  return holdsAt(order, workingTicks(order.owner.market, order), triggerLevelTicks(order));
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
  readonly #trailing = new Set<ConditionalOrder>();
  /** By id. */
  readonly #reached = new PriceHeap("lowest-first");
  readonly #rows: (ConditionalOrder | undefined)[] = [];
  readonly #freeItems: number[] = [];
  /** The last price that the trailing stops have seen. */
  #seenTicks = 0;
  /** A price or a row changed since the heaps were looked at. */
  isDirty = false;

  constructor(market: ContractMarket) {
    this.market = market;
  }

  add(order: ConditionalOrder): void {
    invariant(order.heapItem === NONE, "a conditional order is watched once");
    order.heapItem = this.#freeItems.pop() ?? this.#rows.length;
    this.#rows[order.heapItem] = order;
    this.#wait(order);
    if (isTrailing(order)) this.#follow(order);
    this.isDirty = true;
  }

  remove(order: ConditionalOrder): void {
    const item = order.heapItem;
    invariant(this.#rows[item] === order, "only what is watched can leave");
    this.#reached.remove(item);
    if (isTrailing(order)) this.#trailing.delete(order);
    else this.#heapOf(order).remove(item);
    this.#rows[item] = undefined;
    this.#freeItems.push(item);
    order.heapItem = NONE;
  }

  /** Lets trailing stops see every last price, also one that is gone at the next look. */
  lastPriceChanged(): void {
    if (this.market.lastTicks === this.#seenTicks) return;
    this.#seenTicks = this.market.lastTicks;
    for (const order of this.#trailing) this.#follow(order);
    this.isDirty = true;
  }

  /** The row with the lowest id that is reached now, or null. */
  lowestReached(): ConditionalOrder | null {
    if (this.isDirty) this.#collect();
    this.isDirty = false;
    let item = this.#reached.top;
    while (item !== NONE) {
      const order = this.#rowOf(item);
      if (isReached(order)) return order;
      this.#reached.remove(item);
      this.#wait(order);
      item = this.#reached.top;
    }
    return null;
  }

  /** Every row is in exactly one place, and none that is reached waits unseen. */
  validate(): void {
    for (const heap of this.#heaps()) heap.validate();
    this.#reached.validate();
    for (const [item, order] of this.#rows.entries()) {
      if (order === undefined) continue;
      invariant(order.heapItem === item, "a watched row knows its item");
      const isCollected = this.#reached.has(item);
      if (isTrailing(order)) {
        invariant(this.#trailing.has(order), "an active trailing stop follows the price");
      } else {
        invariant(this.#heapOf(order).has(item) !== isCollected, "a trigger is in one heap");
        const places = this.#heaps().filter((heap) => heap.has(item)).length;
        invariant(places === (isCollected ? 0 : 1), "a trigger is in the heap of its price");
      }
      invariant(this.isDirty || isCollected || !isReached(order), "what is reached is collected");
    }
  }

  /** Whether the row with this number is the given one. */
  has(order: ConditionalOrder): boolean {
    return this.#rows[order.heapItem] === order;
  }

  #collect(): void {
    const { lastTicks, mark } = this.market;
    this.#drain(this.#rising.last, lastTicks, true);
    this.#drain(this.#falling.last, lastTicks, false);
    this.#drain(this.#rising.mark, mark.ticks, true);
    this.#drain(this.#falling.mark, mark.ticks, false);
    for (const order of this.#trailing) {
      if (isReached(order)) this.#reached.set(order.heapItem, order.algoId);
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
  #wait(order: ConditionalOrder): void {
    if (isTrailing(order)) this.#trailing.add(order);
    else this.#heapOf(order).set(order.heapItem, order.triggerTicks);
  }

  /** Activates a trailing stop, or moves its best price. */
  #follow(order: ConditionalOrder): void {
    const { lastTicks } = this.market;
    if (lastTicks === 0) return;
    const isSell = order.side === "SELL";
    if (order.extremeTicks === 0) {
      const { activationTicks } = order;
      const isActive = isSell ? lastTicks >= activationTicks : lastTicks <= activationTicks;
      if (activationTicks === 0 || isActive) order.extremeTicks = lastTicks;
      return;
    }
    const best = isSell ? Math.max : Math.min;
    order.extremeTicks = best(order.extremeTicks, lastTicks);
  }

  #heapOf(order: ConditionalOrder): PriceHeap {
    const heaps = firesUpwards(order) ? this.#rising : this.#falling;
    return order.workingType === "MARK_PRICE" ? heaps.mark : heaps.last;
  }

  #heaps(): PriceHeap[] {
    return [this.#rising.last, this.#rising.mark, this.#falling.last, this.#falling.mark];
  }

  #rowOf(item: number): ConditionalOrder {
    const order = this.#rows[item];
    invariant(order !== undefined, "a heap holds watched rows only");
    return order;
  }
}

export class TriggerIndex {
  /** Rows that are not final: NEW, UNTRIGGERED, and TRIGGERED while the child rests. */
  readonly byId = new Map<number, ConditionalOrder>();
  /** The same rows, by ascending id. */
  readonly #byOwner = new Map<SymbolAccount, Set<ConditionalOrder>>();
  /** Attached rows by the order that they are attached to. */
  readonly #byParent = new Map<number, Set<ConditionalOrder>>();
  readonly #triggers = new Map<ContractMarket, MarketTriggers>();
  /** Markets that may hold something reached. One that does not trade stays until it does. */
  readonly #awake = new Set<MarketTriggers>();

  /** By ascending id; whoever gets them may end them one by one. */
  ofOwner(owner: SymbolAccount): ConditionalOrder[] {
    return [...(this.#byOwner.get(owner) ?? [])];
  }

  ofParent(orderId: number): ConditionalOrder[] {
    return [...(this.#byParent.get(orderId) ?? [])];
  }

  /** Adds a row, the newest of all. It is watched from `watch` on. */
  add(order: ConditionalOrder): void {
    this.byId.set(order.algoId, order);
    append(this.#byOwner, order.owner, order);
    if (order.parentOrderId !== 0) append(this.#byParent, order.parentOrderId, order);
  }

  /** Forgets a row that is final. */
  remove(order: ConditionalOrder): void {
    this.unwatch(order);
    this.byId.delete(order.algoId);
    drop(this.#byOwner, order.owner, order);
    if (order.parentOrderId !== 0) drop(this.#byParent, order.parentOrderId, order);
  }

  /**
   * The row waits for its price from now on; one that is reached already fires at the next look.
   */
  watch(order: ConditionalOrder): void {
    const triggers = this.#triggersOf(order.owner.market);
    triggers.add(order);
    this.#awake.add(triggers);
  }

  /** The row waits no more. To be called before its trigger changes, too. */
  unwatch(order: ConditionalOrder): void {
    if (order.heapItem !== NONE) this.#triggersOf(order.owner.market).remove(order);
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

  /** Whether no row can have been reached since the last look. */
  get isSettled(): boolean {
    return this.#awake.size === 0;
  }

  /**
   * The reached row with the lowest id, of all markets that trade; null when there is none. It is
   * not watched any more.
   */
  takeReached(): ConditionalOrder | null {
    const order = this.peekReached();
    if (order !== null) this.unwatch(order);
    return order;
  }

  /** The same row, which stays. */
  peekReached(): ConditionalOrder | null {
    let lowest: ConditionalOrder | null = null;
    for (const triggers of this.#awake) {
      if (triggers.market.state !== "trading") continue;
      const order = triggers.lowestReached();
      if (order === null) this.#awake.delete(triggers);
      else if (lowest === null || order.algoId < lowest.algoId) lowest = order;
    }
    return lowest;
  }

  /** Checks that exactly the untriggered rows are watched, each in its place. */
  validate(): void {
    for (const triggers of this.#triggers.values()) triggers.validate();
    for (const order of this.byId.values()) {
      const isWatched = this.#triggers.get(order.owner.market)?.has(order) ?? false;
      invariant(isWatched === (order.status === "UNTRIGGERED"), "untriggered rows are watched");
      const isKnown = this.#byOwner.get(order.owner)?.has(order) === true;
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

function append<Key>(
  rows: Map<Key, Set<ConditionalOrder>>,
  key: Key,
  order: ConditionalOrder,
): void {
  const present = rows.get(key);
  if (present === undefined) rows.set(key, new Set([order]));
  else present.add(order);
}

function drop<Key>(rows: Map<Key, Set<ConditionalOrder>>, key: Key, order: ConditionalOrder): void {
  const present = rows.get(key);
  invariant(present?.delete(order) === true, "only a row that is known can be forgotten");
  if (present.size === 0) rows.delete(key);
}
