/**
 * Goal: nothing doubles an order, though a client that repeats a call behind a jump of days may
 * have sent two. Method: rows of one client id, around the time for which an id is kept.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Breach } from "./breach.ts";
import { OrderBookkeeping, type SentOrder, termsOf } from "./orders.ts";

const DAY_MS = 86_400_000;
const BODY = { symbol: "BTCUSDT", side: "BUY", price: "1000", quantity: "0.01" };

function sent(orders: OrderBookkeeping, change: Partial<SentOrder>): SentOrder {
  return orders.add({
    ...{ product: "spot", kind: "order", clientOrderId: "c1-1", placedOn: 0, body: BODY },
    ...{
      fate: "unknown",
      mayBeTwo: true,
      orderId: null,
      terms: new Set([termsOf("1000", "0.01")]),
    },
    ...{ isCancelled: false, fills: null, seen: null, ...change },
  });
}

function row(id: string, atMs: number, change: object = {}) {
  const { price, quantity: size, side: orderSide, symbol } = BODY;
  const times = { createdTime: String(atMs), updatedTime: String(atMs) };
  const order = { id, symbol, clientOrderId: "c1-1", orderSide, price, size, ...times };
  return { ...order, status: "CANCELED", cumFillSize: "0", ...change };
}

const breaks = (check: string) => (error: unknown) =>
  error instanceof Breach && error.check === check;

const EARLIER = row("1", 1);
const LATER = row("2", 2 + DAY_MS);

test("an id may be that of two orders a day apart, of which the answer names the later", () => {
  const orders = new OrderBookkeeping();
  const order = sent(orders, { fate: "accepted", orderId: "2" });
  orders.check("spot", [LATER, EARLIER]);
  assert.equal(order.seen?.id, "2");
  const changed = { ...EARLIER, cumFillSize: "0.01" };
  const check = () => orders.check("spot", [LATER, changed]);
  assert.throws(check, breaks("an ended order never changes"));
});

test("an answer that names the earlier one is wrong", () => {
  const orders = new OrderBookkeeping();
  sent(orders, { fate: "accepted", orderId: "1" });
  assert.throws(() => orders.check("spot", [EARLIER, LATER]), breaks("an order keeps its id"));
});

test("within a day, behind an open one, or sent once, an order is there once", () => {
  const cases = [
    [[EARLIER, row("2", 1 + DAY_MS)], true],
    [[row("1", 1, { status: "NEW" }), LATER], true],
    [[EARLIER, LATER], false],
  ] as const;
  for (const [rows, mayBeTwo] of cases) {
    const orders = new OrderBookkeeping();
    sent(orders, { mayBeTwo });
    assert.throws(() => orders.check("spot", rows), breaks("no order twice"));
  }
});
