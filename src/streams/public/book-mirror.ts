/**
 * A copy of a book, order by order, kept from durable events: what each event changed, and the
 * version of the book after it. The engine counts each change of its book, and so does the copy.
 */
import { invariant, type Product, type Side } from "../../domain/index.ts";
import type { BookOrderRow, BookOrdersView, Event, EventOf } from "../../protocol/index.ts";

/** Orders of the largest book that is shown order by order, or change by change. */
export const BOOK_ORDERS_MAX = 10_000;

export interface RestingOrder {
  readonly orderId: number;
  readonly side: Side;
  readonly priceTicks: number;
  readonly openLots: number;
}

/** One change of the book, with the order as it is afterwards: filled and amended ones go on. */
export type BookChange = RestingOrder &
  (
    | { readonly kind: "added" | "amended" | "removed" }
    | { readonly kind: "filled"; readonly filledLots: number; readonly tradeId: number }
  );

/** Events that change a book; many others say nothing about one. */
export type BookEvent = Extract<
  Event,
  {
    readonly type: `${Product}-${"trade" | "order-opened" | "order-amended" | "order-ended"}`;
  }
>;

/** Open lots by price, of each side. */
export type LotsByPrice = Readonly<Record<Side, ReadonlyMap<number, bigint>>>;

export class BookMirror {
  #version: number;
  /** Orders at one price are in the order of their priority. */
  readonly #orders = new Map<number, RestingOrder>();
  readonly #levels = emptyLevels();
  /** The lots before the first change since `takeDirty`. */
  #dirty = emptyLevels();

  constructor(version: number, { bids, asks }: NonNullable<BookOrdersView["orders"]>) {
    this.#version = version;
    for (const row of bids) this.#put(orderOf(row, "BUY"));
    for (const row of asks) this.#put(orderOf(row, "SELL"));
    this.takeDirty();
  }

  get version(): number {
    return this.#version;
  }

  /** Open lots at a price; 0 without orders. */
  levelLots(side: Side, priceTicks: number): bigint {
    return this.#levels[side].get(priceTicks) ?? 0n;
  }

  /** Best price first. */
  levels(side: Side): (readonly [priceTicks: number, lots: bigint])[] {
    const sign = signOf(side);
    return [...this.#levels[side]].sort(([one], [other]) => sign * (one - other));
  }

  /** In price-time priority. */
  orders(side: Side): RestingOrder[] {
    const sign = signOf(side);
    return [...this.#orders.values()]
      .filter((order) => order.side === side)
      .sort((one, other) => sign * (one.priceTicks - other.priceTicks));
  }

  /** The prices that changed since the last call, with the open lots that they had then. */
  takeDirty(): LotsByPrice {
    const dirty = this.#dirty;
    this.#dirty = emptyLevels();
    return dirty;
  }

  /** Null when the event does not change the book. */
  apply(event: BookEvent): BookChange | null {
    const change = this.#change(event);
    if (change !== null) this.#version++;
    return change;
  }

  #change(event: BookEvent): BookChange | null {
    switch (event.type) {
      case "spot-order-opened":
      case "contract-order-opened": {
        const { orderId, side, priceTicks } = event;
        const order = { orderId, side, priceTicks, openLots: openLotsOf(event) };
        this.#put(order);
        return { kind: "added", ...order };
      }
      case "spot-trade":
        return this.#fill(event, event.makerOrderId);
      case "contract-trade": {
        // Deleveraging and netting match orders that are in no book.
        const isInBook = event.kind === "book" || event.kind === "liquidation";
        return isInBook ? this.#fill(event, event.maker.orderId) : null;
      }
      case "spot-order-amended":
      case "contract-order-amended":
        return this.#amend(event);
      default: {
        const order = this.#orders.get(event.orderId);
        // Most orders that end at once were never in the book.
        return order === undefined ? null : this.#remove(order);
      }
    }
  }

  #fill(
    { tradeId, quantityLots }: EventOf<"spot-trade"> | EventOf<"contract-trade">,
    makerOrderId: number,
  ): BookChange {
    const order = this.#leave(this.#resting(makerOrderId), quantityLots);
    return { kind: "filled", ...order, filledLots: quantityLots, tradeId };
  }

  /** With less quantity an order keeps its place; with any other change it leaves the book. */
  #amend(event: EventOf<"spot-order-amended"> | EventOf<"contract-order-amended">): BookChange {
    const order = this.#resting(event.orderId);
    if (!event.keptPriority) return this.#remove(order);
    return { kind: "amended", ...this.#leave(order, order.openLots - openLotsOf(event)) };
  }

  #resting(orderId: number): RestingOrder {
    const order = this.#orders.get(orderId);
    invariant(order !== undefined, `order ${orderId} changed in the book and is not in its copy`);
    return order;
  }

  #put(order: RestingOrder): void {
    this.#orders.set(order.orderId, order);
    this.#changeLevel(order, order.openLots);
  }

  /** So many lots are open no more; the order keeps its place. */
  #leave(order: RestingOrder, lots: number): RestingOrder {
    const less = { ...order, openLots: order.openLots - lots };
    invariant(lots > 0 && less.openLots >= 0, `order ${order.orderId} has not so many open lots`);
    this.#orders.set(order.orderId, less);
    this.#changeLevel(order, -lots);
    return less;
  }

  #remove(order: RestingOrder): BookChange {
    this.#orders.delete(order.orderId);
    this.#changeLevel(order, -order.openLots);
    return { kind: "removed", ...order };
  }

  #changeLevel({ side, priceTicks }: RestingOrder, lots: number): void {
    const before = this.levelLots(side, priceTicks);
    const after = before + BigInt(lots);
    const dirty = this.#dirty[side];
    if (!dirty.has(priceTicks)) dirty.set(priceTicks, before);
    if (after > 0n) this.#levels[side].set(priceTicks, after);
    else this.#levels[side].delete(priceTicks);
  }
}

function emptyLevels(): Record<Side, Map<number, bigint>> {
  return { BUY: new Map(), SELL: new Map() };
}

function orderOf([orderId, priceTicks, openLots]: BookOrderRow, side: Side): RestingOrder {
  return { orderId, side, priceTicks, openLots };
}

function openLotsOf(terms: { readonly quantityLots: number; readonly filledLots: number }): number {
  return terms.quantityLots - terms.filledLots;
}

/** The order of prices from the best on. */
function signOf(side: Side): 1 | -1 {
  return side === "BUY" ? -1 : 1;
}
