/**
 * Goal: at an index that is too old nobody opens a position, and everything else goes on. Method:
 * the same calls a millisecond before the limit and one after it, and where age does not matter.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSE_LONG,
  ConditionalOrderFixture,
  OPEN_LONG,
  OPEN_SHORT,
  refusalOf,
} from "../../../../test/support/engine/conditional-order-fixture.ts";
import { amendContractOrder } from "../orders/amend-order.ts";
import { checkPlacement } from "../orders/place-order.ts";

const STALE = "index-stale symbol";

/** With a position of 2 BTC, and an order that rests to open more. */
function aged(ageMs: number): {
  readonly fixture: ConditionalOrderFixture;
  readonly restingId: number;
} {
  const fixture = new ConditionalOrderFixture();
  fixture.hold("LONG", "2");
  const resting = fixture.order(fixture.trader, { price: "59000", quantity: "0.5" });
  assert.ok(resting.ok);
  fixture.context.nowMs = fixture.market.indexPrice.atMs + ageMs;
  return { fixture, restingId: resting.value.orderId };
}

function amend({ fixture, restingId }: ReturnType<typeof aged>, price: string, quantity: string) {
  const { uid } = fixture.trader;
  return amendContractOrder(fixture.context, {
    type: "amend-contract-order",
    uid,
    orderId: restingId,
    clientOrderId: null,
    price,
    quantity,
  });
}

test("a stale index opens nothing: no order, no order test, no amendment but a smaller one", () => {
  const old = aged(60_001);
  const { fixture } = old;
  for (const terms of [OPEN_LONG, OPEN_SHORT, { ...OPEN_LONG, orderType: "MARKET" as const }]) {
    assert.equal(refusalOf(fixture.order(fixture.trader, { ...terms, price: "60000" })), STALE);
  }
  const asked = checkPlacement(fixture.context, {
    type: "place-contract-order",
    uid: fixture.trader.uid,
    symbol: fixture.market.symbol,
    ...OPEN_LONG,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: "60000",
    quantity: "1",
    clientOrderId: "asked",
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  });
  assert.equal(refusalOf(asked), STALE);
  assert.equal(refusalOf(amend(old, "59000", "0.6")), STALE);
  assert.equal(refusalOf(amend(old, "59100", "0.5")), STALE);
  assert.ok(amend(old, "59000", "0.4").ok, "less is a cancel");
});

test("closing and cancelling go on, and what rests to open meets those who close", () => {
  const { fixture, restingId } = aged(60_001);
  const close = { ...CLOSE_LONG, price: "59900", quantity: "0.5" };
  assert.ok(fixture.order(fixture.trader, close).ok);
  assert.ok(fixture.order(fixture.maker, { ...OPEN_SHORT, price: "59000" }).ok === false);
  const closed = fixture.order(fixture.trader, { ...CLOSE_LONG, price: "59000", quantity: "0.5" });
  assert.ok(closed.ok);
  assert.equal(fixture.endOf(restingId), "filled", "against the holder's own closing order");
});

test("a trigger that would open ends cancelled without a child, one that closes does not", () => {
  const { fixture } = aged(0);
  const opening = fixture.algoId({ ...OPEN_LONG, triggerPrice: "61000", quantity: "0.1" });
  const closing = fixture.algoId({
    ...CLOSE_LONG,
    orderType: "TAKE_PROFIT_MARKET",
    triggerPrice: "61000",
    quantity: "0.1",
  });
  fixture.quote("BUY", "60900", "1");
  // The maker closes its short against its own quote: the last price is another one.
  fixture.quote("SELL", "61000", "0.001");
  fixture.context.nowMs += 60_001;
  fixture.order(fixture.maker, {
    side: "BUY",
    positionSide: "SHORT",
    price: "61000",
    quantity: "0.001",
  });
  assert.deepEqual(
    [opening, closing].map((id) => {
      const { status, actualOrderId } = fixture.rows(id).at(-1) ?? {};
      return [status, actualOrderId === 0];
    }),
    [
      ["CANCELED", true],
      ["FILLED", false],
    ],
  );
});

test("not a millisecond too early, and never with a pin or under older rules", () => {
  const isRefused = (
    ageMs: number,
    change: (fixture: ConditionalOrderFixture) => void = () => undefined,
  ) => {
    const { fixture } = aged(ageMs);
    change(fixture);
    const refusal = refusalOf(fixture.order(fixture.trader, { price: "59000", quantity: "0.1" }));
    return refusal === STALE;
  };
  assert.equal(isRefused(60_000), false);
  assert.equal(isRefused(60_001), true);
  const pinned = (fixture: ConditionalOrderFixture) => fixture.mark("60000");
  assert.equal(isRefused(60_001, pinned), false);
  const neverStale = ({ market }: ConditionalOrderFixture) => {
    market.rules = { ...market.rules, indexStaleMs: 0 };
  };
  assert.equal(isRefused(10 ** 12, neverStale), false);
  const older = ({ state }: ConditionalOrderFixture) => {
    state.rulesVersion = 2;
  };
  assert.equal(isRefused(60_001, older), false);
  const pushed = (fixture: ConditionalOrderFixture) => fixture.index("60000");
  assert.equal(isRefused(60_001, pushed), false);
});
