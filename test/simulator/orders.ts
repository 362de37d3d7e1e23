/**
 * What a client knows of its orders: what it sent, what it was told, and what it has seen of them
 * since. From this it can tell whether the exchange lost, doubled, changed or revived one.
 */

import type { Row } from "../support/account-histories.ts";
import { exact } from "../support/exact.ts";
import { Breach, hold } from "./breach.ts";

export type Product = "spot" | "contract";

/** `unknown`: the answer was lost. */
export type Fate = "unknown" | "refused" | "accepted";

export interface SentOrder {
  readonly product: Product;
  readonly kind: "order" | "conditional";
  /** Another order may have it a day after this one has ended. */
  readonly clientOrderId: string;
  /** How many jumps of days were before it. */
  readonly placedOn: number;
  readonly body: Readonly<Record<string, unknown>>;
  fate: Fate;
  /** A client has sent it again behind a jump of days, when its id may have been free. */
  mayBeTwo: boolean;
  orderId: string | null;
  /** All that its price and size may be, by amendments that were, or may have been, accepted. */
  readonly terms: Set<string>;
  /** An answered cancel. */
  isCancelled: boolean;
  /** Of the answer to its placement, if it was asked for them. */
  fills: readonly unknown[] | null;
  /** As last seen. */
  seen: Row | null;
}

export interface Change {
  readonly price?: string;
  readonly quantity?: string;
}

/** For which an ended order keeps its client id from others. */
const ID_KEPT_MS = 86_400_000;

const ENDED = new Set(["FILLED", "CANCELED", "REJECTED", "EXPIRED", "PARTIALLY_CANCELED"]);

export function hasEnded(row: Row): boolean {
  return ENDED.has(String(row.status));
}

export function termsOf(price: unknown, quantity: unknown): string {
  const decimal = (value: unknown) => (value === undefined ? "0" : String(exact(String(value))));
  return `${decimal(price)} ${decimal(quantity)}`;
}

/** The size of an order by its quote amount is what it got. */
export function saidTerms({ body }: SentOrder, price: unknown, size: unknown): string {
  return termsOf(price, body.quoteAmount === undefined ? size : undefined);
}

export class OrderBookkeeping {
  readonly #orders = new Map<string, SentOrder>();
  /** Seen orders that it did not send itself: those that triggers and liquidations make. */
  readonly #others = new Map<string, Row>();

  get all(): readonly SentOrder[] {
    return [...this.#orders.values()];
  }

  get(product: Product, clientOrderId: string): SentOrder | undefined {
    return this.#orders.get(`${product} ${clientOrderId}`);
  }

  add(order: SentOrder): SentOrder {
    this.#orders.set(`${order.product} ${order.clientOrderId}`, order);
    return order;
  }

  ofFate(product: Product, fate: Fate): readonly SentOrder[] {
    return this.all.filter((order) => order.product === product && order.fate === fate);
  }

  /** Compares everything that a client was told with all rows of the account. */
  check(product: Product, rows: Iterable<Row>): void {
    const ids = new Set<string>();
    const found = new Map<SentOrder, Row[]>();
    for (const row of rows) {
      const id = String(row.id);
      hold(!ids.has(id), "no order twice", () => `${product} order ${id}`);
      ids.add(id);
      const order = this.get(product, String(row.clientOrderId));
      if (order === undefined) {
        this.#checkOther(product, row);
        continue;
      }
      const same = found.get(order) ?? [];
      found.set(order, [...same, row]);
    }
    for (const [order, same] of found) this.#checkRows(order, same);
    for (const order of this.#orders.values()) {
      if (order.product !== product || found.has(order)) continue;
      hold(order.fate !== "accepted", "no acknowledged order is lost", () => describe(order));
      hold(order.seen === null, "no seen order is lost", () => describe(order));
    }
  }

  #checkOther(product: Product, row: Row): void {
    if (product === "spot") {
      throw new Breach("no order that nobody sent", JSON.stringify(row));
    }
    checkProgress(this.#others.get(String(row.id)) ?? null, row);
    this.#others.set(String(row.id), row);
  }

  /** One, or the orders of several attempts, of which the last one is what its client knows. */
  #checkRows(order: SentOrder, rows: readonly Row[]): void {
    const inOrder = rows.toSorted((one, other) => Number(one.id) - Number(other.id));
    for (const [index, row] of inOrder.entries()) {
      const next = inOrder[index + 1];
      if (next === undefined) {
        this.#checkRow(order, row);
        continue;
      }
      const isFree = Number(next.createdTime) - Number(row.updatedTime) > ID_KEPT_MS;
      const mayBeTwo = order.mayBeTwo && hasEnded(row) && isFree;
      hold(mayBeTwo, "no order twice", () => `${both(order, row)}, ${JSON.stringify(next)}`);
      checkContent(order, row);
      checkProgress(this.#others.get(String(row.id)) ?? null, row);
      this.#others.set(String(row.id), row);
    }
  }

  #checkRow(order: SentOrder, row: Row): void {
    hold(order.fate !== "refused", "a refused order leaves no trace", () => both(order, row));
    if (order.orderId !== null) {
      hold(order.orderId === String(row.id), "an order keeps its id", () => both(order, row));
    }
    checkContent(order, row);
    const mayBeOpen = !order.isCancelled || order.fate !== "accepted" || hasEnded(row);
    hold(mayBeOpen, "a cancelled order stays cancelled", () => both(order, row));
    checkProgress(order.seen, row);
    if (order.fate === "unknown") {
      order.fate = "accepted";
      order.orderId = String(row.id);
    }
    order.seen = row;
  }
}

function checkContent(order: SentOrder, row: Row): void {
  const { body } = order;
  hold(row.symbol === body.symbol, "an order keeps its content", () => both(order, row));
  hold(row.orderSide === body.side, "an order keeps its content", () => both(order, row));
  const terms = saidTerms(order, row.price, row.size);
  hold(order.terms.has(terms), "an order keeps its terms", () => `${terms}: ${both(order, row)}`);
}

/** What an order may become of what it was. */
function checkProgress(before: Row | null, now: Row): void {
  if (before === null) return;
  const detail = () => `${JSON.stringify(before)} → ${JSON.stringify(now)}`;
  if (hasEnded(before)) {
    hold(JSON.stringify(before) === JSON.stringify(now), "an ended order never changes", detail);
    return;
  }
  const filledOf = (row: Row) => exact(String(row.cumFillSize ?? "0"));
  const filled = filledOf(now) >= filledOf(before);
  hold(filled, "a fill is never undone", detail);
  const goesOn = Number(now.updatedTime) >= Number(before.updatedTime);
  hold(goesOn, "an order's time never goes back", detail);
}

function describe({ product, clientOrderId, orderId, body, seen }: SentOrder): string {
  const name = `${product} ${clientOrderId} (${orderId})`;
  return `${name} ${JSON.stringify(body)}, ${JSON.stringify(seen)}`;
}

function both(order: SentOrder, row: Row): string {
  return `${describe(order)} is ${JSON.stringify(row)}`;
}

/** Whether an order of these terms has been changed so. */
export function amends(terms: string, change: Change): boolean {
  const [price, quantity] = terms.split(" ");
  const samePrice = change.price === undefined || String(exact(change.price)) === price;
  const sameQuantity = change.quantity === undefined || String(exact(change.quantity)) === quantity;
  return samePrice && sameQuantity;
}
