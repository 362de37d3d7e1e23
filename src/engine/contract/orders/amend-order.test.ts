/**
 * Goal: an amended contract order keeps what hangs on it: conditional orders of its own, the one
 * that placed it, its part of a position. Method: examples after each of which every sum is
 * counted again.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSE_LONG,
  ConditionalOrderFixture,
  OPEN_LONG,
  refusalOf,
} from "../../../../test/support/engine/conditional-order-fixture.ts";
import type { Result } from "../../../domain/index.ts";
import type { CommandOf, OrderAmendment } from "../../../protocol/index.ts";
import { amendContractOrder } from "./amend-order.ts";

type Terms = Partial<CommandOf<"amend-contract-order">>;

function amend(
  fixture: ConditionalOrderFixture,
  orderId: number,
  terms: Terms,
): Result<OrderAmendment> {
  const { uid } = fixture.trader;
  const key = { uid, orderId, clientOrderId: null, price: null, quantity: null };
  fixture.context.sequence++;
  fixture.context.nowMs++;
  const amended = amendContractOrder(fixture.context, {
    type: "amend-contract-order",
    ...key,
    ...terms,
  });
  fixture.check();
  return amended;
}

test("conditional orders that wait for a fill follow the quantity and bound the price", () => {
  const fixture = new ConditionalOrderFixture();
  const placed = fixture.order(fixture.trader, {
    price: "59000",
    quantity: "2",
    tpTriggerPrice: "61000",
    slTriggerPrice: "58000",
  });
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  assert.ok(amend(fixture, orderId, { quantity: "1.5" }).ok);
  assert.ok(amend(fixture, orderId, { quantity: "3", price: "59500" }).ok);
  const quantities = fixture.rows(orderId + 1).map(({ quantityLots }) => quantityLots);
  assert.deepEqual(quantities, [2_000, 1_500, 3_000]);
  assert.equal(
    refusalOf(amend(fixture, orderId, { price: "58000" })),
    "trigger-on-wrong-side price",
    "the stop-loss has to be below",
  );
  fixture.quote("SELL", "59500", "1");
  assert.ok(amend(fixture, orderId, { quantity: "2" }).ok);
  assert.equal(fixture.rows(orderId + 1).at(-1)?.quantityLots, 1_000, "they cover what is open");
  assert.ok(amend(fixture, orderId, { price: "57900" }).ok, "they are orders of their own now");
});

test("the order that a conditional order placed is still its child", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "2");
  const algoId = fixture.algoId({
    orderType: "STOP",
    triggerPrice: "59000",
    price: "59500",
    quantity: "2",
  });
  fixture.quote("BUY", "59000", "0.001");
  fixture.trade("59000");
  assert.equal(fixture.rows(algoId).at(-1)?.status, "TRIGGERED");
  const orderId = fixture.rows(algoId).at(-1)?.actualOrderId as number;
  fixture.quote("BUY", "58800", "1.5");
  assert.ok(amend(fixture, orderId, { price: "58800", quantity: "1.5" }).ok);
  const last = fixture.rows(algoId).at(-1);
  assert.deepEqual([last?.status, last?.actualOrderId], ["FILLED", orderId]);
});

test("a close is amended to what the position has, and not beyond", () => {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "2");
  const placed = fixture.order(fixture.trader, { ...CLOSE_LONG, price: "61000", quantity: "1.5" });
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  assert.ok(amend(fixture, orderId, { quantity: "2" }).ok);
  const beyond = amend(fixture, orderId, { quantity: "2.001" });
  assert.equal(refusalOf(beyond), "close-exceeds-position quantity");
  assert.equal(fixture.endOf(orderId), "resting");
});

test("order margin is that of the new form, and comes back whole", () => {
  const fixture = new ConditionalOrderFixture();
  const account = [...(fixture.state.contract.accounts.get(fixture.trader)?.values() ?? [])][0];
  assert.ok(account !== undefined);
  const owner = [...account.symbols.values()][0];
  assert.ok(owner !== undefined);
  const free = fixture.available(owner);
  const placed = fixture.order(fixture.trader, { ...OPEN_LONG, price: "59000", quantity: "1" });
  assert.ok(placed.ok);
  const { orderId } = placed.value;
  for (const terms of [{ quantity: "0.333" }, { price: "58999.9" }, { quantity: "2.017" }]) {
    assert.ok(amend(fixture, orderId, terms).ok);
    assert.equal(fixture.available(owner) + fixture.orderMargin(owner), free);
  }
  fixture.cancel(fixture.trader, orderId);
  assert.equal(fixture.orderMargin(owner), 0n);
});
