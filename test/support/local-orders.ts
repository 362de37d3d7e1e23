/**
 * The orders of a book kept by a client from `SYMBOL@orders`, by the published rules: a snapshot in
 * the order of priority, then as many changes as versions. A new order is last at its price.
 */
import assert from "node:assert/strict";

export type OrderRow = readonly [orderId: string, price: string, quantity: string];

export interface OrderEntry {
  readonly x: "ADDED" | "FILLED" | "AMENDED" | "REMOVED";
  readonly i: string;
  readonly S: "BUY" | "SELL";
  readonly p: string;
  readonly q: string;
  readonly l?: string;
  readonly t?: string;
}

export type OrdersMessage = { readonly s: string; readonly U: number; readonly u: number } & (
  | { readonly e: "bookOrdersSnapshot"; readonly b: OrderRow[]; readonly a: OrderRow[] }
  | { readonly e: "bookOrders"; readonly d: OrderEntry[] }
);

interface Kept {
  readonly side: "BUY" | "SELL";
  readonly price: string;
  quantity: string;
}

export class LocalOrders {
  version = 0;
  snapshots = 0;
  /** How many changes of each kind there were. */
  readonly changes = { ADDED: 0, FILLED: 0, AMENDED: 0, REMOVED: 0 };
  readonly trades: { readonly tradeId: string; readonly quantity: string }[] = [];
  readonly #orders = new Map<string, Kept>();

  /** Nothing may follow but another snapshot, which is not older. */
  beginAnew(): void {
    this.snapshots = 0;
  }

  /** Fails at a gap, a repeat, or a change of an order that is not there. */
  apply(message: OrdersMessage): void {
    if (message.e === "bookOrdersSnapshot") {
      assert.equal(message.U, message.u);
      assert.ok(message.u >= this.version, "versions never go back");
      this.#orders.clear();
      for (const [id, price, quantity] of message.b) this.#add(id, "BUY", price, quantity);
      for (const [id, price, quantity] of message.a) this.#add(id, "SELL", price, quantity);
      this.snapshots++;
    } else {
      assert.ok(this.snapshots > 0, "a snapshot comes first");
      assert.equal(message.U, this.version, "an update follows the message before it");
      assert.equal(message.u - message.U, message.d.length, "as many changes as versions");
      for (const entry of message.d) this.#change(entry);
    }
    this.version = message.u;
  }

  /** Both sides in the order of priority, as a snapshot shows them. */
  get text(): string {
    return JSON.stringify([this.#rows("BUY", -1), this.#rows("SELL", 1)]);
  }

  #rows(side: "BUY" | "SELL", sign: 1 | -1): OrderRow[] {
    return [...this.#orders]
      .filter(([, order]) => order.side === side)
      .map(([id, { price, quantity }]): OrderRow => [id, price, quantity])
      .sort((one, other) => sign * (Number(one[1]) - Number(other[1])));
  }

  #add(id: string, side: "BUY" | "SELL", price: string, quantity: string): void {
    assert.ok(!this.#orders.has(id), `order ${id} is added twice`);
    assert.notEqual(quantity, "0");
    this.#orders.set(id, { side, price, quantity });
  }

  #change({ x, i, S, p, q, l, t }: OrderEntry): void {
    this.changes[x]++;
    if (x === "ADDED") {
      this.#add(i, S, p, q);
      return;
    }
    const order = this.#orders.get(i);
    assert.ok(order !== undefined, `order ${i} is not there`);
    assert.deepEqual([order.side, order.price], [S, p]);
    assert.equal(x === "FILLED", l !== undefined && t !== undefined);
    if (x === "REMOVED") {
      assert.equal(order.quantity, q, "an order leaves as it was");
      this.#orders.delete(i);
      return;
    }
    if (l !== undefined && t !== undefined) {
      assert.equal(lots(order.quantity) - lots(l), lots(q), "a fill takes what it says");
      this.trades.push({ tradeId: t, quantity: l });
    } else assert.ok(lots(q) < lots(order.quantity) && q !== "0", "an amended order has less left");
    order.quantity = q;
  }
}

/** Quantities of these tests have at most eight decimals. */
function lots(quantity: string): number {
  return Math.round(Number(quantity) * 1e8);
}
