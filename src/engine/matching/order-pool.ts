/**
 * All open orders of the exchange, of every market. An order is a slot, a small integer that is
 * reused. A million orders make no objects for the garbage collector, and all fields of an order
 * are side by side, because reading a random order costs one cache miss per place.
 */
import { invariant } from "../../domain/index.ts";
import { GrowingRows } from "./growing-rows.ts";
import { NONE, type SideIndex } from "./slot.ts";
import { type SlotKeys, SlotTable } from "./slot-table.ts";

/** 2^32 divided by the golden ratio: a multiplier that spreads consecutive ids evenly. */
const GOLDEN_RATIO = 0x9e3779b1;
const TWO_POW_32 = 4294967296;

/** A slot is a row of doubles. The first four are used as doubles, the others as integers. */
const NUMBERS = 9;
const INTEGERS = 2 * NUMBERS;
const ORDER_ID = 0;
const PRICE_TICKS = 1;
const QUANTITY_LOTS = 2;
const FILLED_LOTS = 3;
const OWNER = 8;
const MARKET = 9;
const MAKER_FEE_RATE_E8 = 10;
const CLIENT_ENTRY = 11;
const NEXT = 12;
const PREVIOUS = 13;
const LEVEL = 14;
const OWN_NEXT = 15;
const OWN_PREVIOUS = 16;
/** Side in the lowest bit, whether the order has progress in the next, time in force above. */
const TRAITS = 17;
const HAS_PROGRESS = 2;
const TIME_IN_FORCE_SHIFT = 2;

/** The fields of an order when it comes to rest. */
export interface OrderTerms {
  /** The market's index in the engine. */
  readonly market: number;
  readonly side: SideIndex;
  /** Index into `TIMES_IN_FORCE`. */
  readonly timeInForce: number;
  readonly priceTicks: number;
  readonly quantityLots: number;
  readonly filledLots: number;
  readonly makerFeeRateE8: number;
  /** The entry in the `ClientOrderIndex`, or `NONE`. */
  readonly clientEntry: number;
}

/** Added with the first fill or amendment; most orders are cancelled without either. */
export interface OrderProgress {
  /** Sum of price × quantity of the fills so far, in minor units of the quote asset. */
  readonly filledQuoteMinor: bigint;
  /** The exact fee so far before division, so that the fees of many fills round only once. */
  readonly feeNumerator: bigint;
  readonly updatedMs: number;
}

/** The open orders of one account. */
class OwnOrders {
  readonly uid: number;
  readonly index: number;
  first = NONE;
  last = NONE;
  count = 0;
  /**
   * Whether the list is by ascending order id. A rebuild from a snapshot brings ids out of order,
   * and so does an order that comes back under its id when it is amended.
   */
  sorted = true;

  constructor(uid: number, index: number) {
    this.uid = uid;
    this.index = index;
  }
}

/** The pool itself links orders of an account; a book writes links, levels and lots. */
export class OrderPool implements SlotKeys {
  readonly #rows = new GrowingRows(NUMBERS);
  readonly #progress = new Map<number, OrderProgress>();
  #size = 0;
  #firstFree = NONE;
  readonly #ids = new SlotTable(this);
  #soughtId = 0;
  readonly #owners = new Map<number, OwnOrders>();
  readonly #ownersByIndex: OwnOrders[] = [];

  /** Slots in use. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the slots and of the id table; the progress of filled orders is not counted. */
  get byteLength(): number {
    return this.#rows.byteLength + this.#ids.byteLength;
  }

  orderId(slot: number): number {
    return this.#rows.numbers[slot * NUMBERS + ORDER_ID] as number;
  }

  uid(slot: number): number {
    return this.#ownerOf(slot).uid;
  }

  market(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + MARKET] as number;
  }

  side(slot: number): SideIndex {
    return (this.#traits(slot) & 1) as SideIndex;
  }

  /** Index into `TIMES_IN_FORCE`. */
  timeInForce(slot: number): number {
    return this.#traits(slot) >> TIME_IN_FORCE_SHIFT;
  }

  priceTicks(slot: number): number {
    return this.#rows.numbers[slot * NUMBERS + PRICE_TICKS] as number;
  }

  quantityLots(slot: number): number {
    return this.#rows.numbers[slot * NUMBERS + QUANTITY_LOTS] as number;
  }

  filledLots(slot: number): number {
    return this.#rows.numbers[slot * NUMBERS + FILLED_LOTS] as number;
  }

  openLots(slot: number): number {
    return this.quantityLots(slot) - this.filledLots(slot);
  }

  makerFeeRateE8(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + MAKER_FEE_RATE_E8] as number;
  }

  /** The entry in the `ClientOrderIndex`, or `NONE`. */
  clientEntry(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + CLIENT_ENTRY] as number;
  }

  /** Null before the order's first fill or amendment. */
  progress(slot: number): OrderProgress | null {
    // Most orders have none, and asking the map costs more than all else that a cancel reads.
    if ((this.#traits(slot) & HAS_PROGRESS) === 0) return null;
    return this.#progress.get(slot) ?? null;
  }

  /** The next order at the same price, or `NONE`. */
  next(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + NEXT] as number;
  }

  previous(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + PREVIOUS] as number;
  }

  /** The price level inside the order's book, or `NONE` outside of one. */
  level(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + LEVEL] as number;
  }

  /** The next younger open order of the same account; to be followed from `firstOwn` on. */
  ownNext(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + OWN_NEXT] as number;
  }

  ownPrevious(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + OWN_PREVIOUS] as number;
  }

  setQuantityLots(slot: number, lots: number): void {
    this.#rows.setNumber(slot, QUANTITY_LOTS, lots);
  }

  setFilledLots(slot: number, lots: number): void {
    this.#rows.setNumber(slot, FILLED_LOTS, lots);
  }

  setProgress(slot: number, progress: OrderProgress): void {
    this.#progress.set(slot, progress);
    this.#rows.setInteger(slot, TRAITS, this.#traits(slot) | HAS_PROGRESS);
  }

  setNext(slot: number, next: number): void {
    this.#rows.setInteger(slot, NEXT, next);
  }

  setPrevious(slot: number, previous: number): void {
    this.#rows.setInteger(slot, PREVIOUS, previous);
  }

  setLevel(slot: number, level: number): void {
    this.#rows.setInteger(slot, LEVEL, level);
  }

  /**
   * Takes a slot for an order and puts it into its account's list. `orderId` is above 0 and has no
   * slot: ids come from a counter, so that is not looked up again.
   */
  allocate(orderId: number, uid: number, terms: OrderTerms): number {
    invariant(orderId > 0, "an order id is positive");
    const slot = this.#takeSlot();
    const rows = this.#rows;
    const { numbers, integers } = rows;
    const firstNumber = slot * NUMBERS;
    numbers[firstNumber + ORDER_ID] = orderId;
    numbers[firstNumber + PRICE_TICKS] = terms.priceTicks;
    numbers[firstNumber + QUANTITY_LOTS] = terms.quantityLots;
    numbers[firstNumber + FILLED_LOTS] = terms.filledLots;
    const firstInteger = slot * INTEGERS;
    integers[firstInteger + MARKET] = terms.market;
    integers[firstInteger + MAKER_FEE_RATE_E8] = terms.makerFeeRateE8;
    integers[firstInteger + CLIENT_ENTRY] = terms.clientEntry;
    integers[firstInteger + LEVEL] = NONE;
    integers[firstInteger + TRAITS] = (terms.timeInForce << TIME_IN_FORCE_SHIFT) | terms.side;
    rows.written(slot);
    this.#ids.insert(slot, hashOfId(orderId));
    this.#linkOwn(slot, orderId, uid);
    this.#size++;
    return slot;
  }

  /** Gives a slot back; its order must have left the book. */
  release(slot: number): void {
    const orderId = this.orderId(slot);
    invariant(orderId > 0, "only a slot in use can be released");
    invariant(
      this.level(slot) === NONE,
      "an order must leave its book before its slot is released",
    );
    this.#ids.remove(slot, hashOfId(orderId));
    this.#unlinkOwn(slot);
    if ((this.#traits(slot) & HAS_PROGRESS) !== 0) this.#progress.delete(slot);
    this.#rows.setNumber(slot, ORDER_ID, 0);
    this.setNext(slot, this.#firstFree);
    this.#firstFree = slot;
    this.#size--;
  }

  /** The slot of an open order, or `NONE`. */
  findById(orderId: number): number {
    this.#soughtId = orderId;
    return this.#ids.find(hashOfId(orderId));
  }

  isSought(slot: number): boolean {
    return this.orderId(slot) === this.#soughtId;
  }

  /** The oldest open order of an account, or `NONE`; `ownNext` leads on to younger ones. */
  firstOwn(uid: number): number {
    const own = this.#owners.get(uid);
    if (own === undefined) return NONE;
    if (!own.sorted) this.#sortOwn(own);
    return own.first;
  }

  /** Open orders of an account over all markets. */
  ownCount(uid: number): number {
    return this.#owners.get(uid)?.count ?? 0;
  }

  #takeSlot(): number {
    const free = this.#firstFree;
    if (free !== NONE) {
      // A free slot's `next` is the next free slot.
      this.#firstFree = this.next(free);
      return free;
    }
    return this.#rows.add();
  }

  #traits(slot: number): number {
    return this.#rows.integers[slot * INTEGERS + TRAITS] as number;
  }

  #ownerOf(slot: number): OwnOrders {
    const own = this.#ownersByIndex[this.#rows.integers[slot * INTEGERS + OWNER] as number];
    invariant(own !== undefined, "an open order has an owner");
    return own;
  }

  #linkOwn(slot: number, orderId: number, uid: number): void {
    let own = this.#owners.get(uid);
    if (own === undefined) {
      own = new OwnOrders(uid, this.#ownersByIndex.length);
      this.#ownersByIndex.push(own);
      this.#owners.set(uid, own);
    }
    this.#rows.setInteger(slot, OWNER, own.index);
    if (own.last !== NONE && this.orderId(own.last) > orderId) own.sorted = false;
    this.#appendOwn(own, slot);
    own.count++;
  }

  #appendOwn(own: OwnOrders, slot: number): void {
    const last = own.last;
    this.#setOwnPrevious(slot, last);
    this.#setOwnNext(slot, NONE);
    if (last === NONE) own.first = slot;
    else this.#setOwnNext(last, slot);
    own.last = slot;
  }

  /**
   * Age is the order of ids, so the list does not depend on the order in which a snapshot is read.
   */
  #sortOwn(own: OwnOrders): void {
    const slots: number[] = [];
    for (let slot = own.first; slot !== NONE; slot = this.ownNext(slot)) slots.push(slot);
    slots.sort((a, b) => this.orderId(a) - this.orderId(b));
    own.first = NONE;
    own.last = NONE;
    for (const slot of slots) this.#appendOwn(own, slot);
    own.sorted = true;
  }

  #unlinkOwn(slot: number): void {
    const own = this.#ownerOf(slot);
    const before = this.ownPrevious(slot);
    const after = this.ownNext(slot);
    if (before === NONE) own.first = after;
    else this.#setOwnNext(before, after);
    if (after === NONE) own.last = before;
    else this.#setOwnPrevious(after, before);
    own.count--;
  }

  #setOwnNext(slot: number, next: number): void {
    this.#rows.setInteger(slot, OWN_NEXT, next);
  }

  #setOwnPrevious(slot: number, previous: number): void {
    this.#rows.setInteger(slot, OWN_PREVIOUS, previous);
  }
}

function hashOfId(orderId: number): number {
  const high = (orderId / TWO_POW_32) | 0;
  return Math.imul((orderId | 0) ^ Math.imul(high, GOLDEN_RATIO), GOLDEN_RATIO);
}
