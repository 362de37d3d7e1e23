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
  readonly venue: ConditionalOrderFixture;
  readonly restingId: number;
} {
  const venue = new ConditionalOrderFixture();
  venue.hold("LONG", "2");
  const resting = venue.order(venue.trader, { price: "59000", quantity: "0.5" });
  assert.ok(resting.ok);
  venue.context.nowMs = venue.market.indexPrice.atMs + ageMs;
  return { venue, restingId: resting.value.orderId };
}

function amend({ venue, restingId }: ReturnType<typeof aged>, price: string, quantity: string) {
  const { uid } = venue.trader;
  return amendContractOrder(venue.context, {
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
  const { venue } = old;
  for (const terms of [OPEN_LONG, OPEN_SHORT, { ...OPEN_LONG, orderType: "MARKET" as const }]) {
    assert.equal(refusalOf(venue.order(venue.trader, { ...terms, price: "60000" })), STALE);
  }
  const asked = checkPlacement(venue.context, {
    type: "place-contract-order",
    uid: venue.trader.uid,
    symbol: venue.market.symbol,
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
  const { venue, restingId } = aged(60_001);
  const close = { ...CLOSE_LONG, price: "59900", quantity: "0.5" };
  assert.ok(venue.order(venue.trader, close).ok);
  assert.ok(venue.order(venue.maker, { ...OPEN_SHORT, price: "59000" }).ok === false);
  const closed = venue.order(venue.trader, { ...CLOSE_LONG, price: "59000", quantity: "0.5" });
  assert.ok(closed.ok);
  assert.equal(venue.endOf(restingId), "filled", "against the holder's own closing order");
});

test("a trigger that would open ends cancelled without a child, one that closes does not", () => {
  const { venue } = aged(0);
  const opening = venue.algoId({ ...OPEN_LONG, triggerPrice: "61000", quantity: "0.1" });
  const closing = venue.algoId({
    ...CLOSE_LONG,
    orderType: "TAKE_PROFIT_MARKET",
    triggerPrice: "61000",
    quantity: "0.1",
  });
  venue.quote("BUY", "60900", "1");
  // The maker closes its short against its own quote: the last price is another one.
  venue.quote("SELL", "61000", "0.001");
  venue.context.nowMs += 60_001;
  venue.order(venue.maker, {
    side: "BUY",
    positionSide: "SHORT",
    price: "61000",
    quantity: "0.001",
  });
  assert.deepEqual(
    [opening, closing].map((id) => {
      const { status, actualOrderId } = venue.rows(id).at(-1) ?? {};
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
    change: (venue: ConditionalOrderFixture) => void = () => undefined,
  ) => {
    const { venue } = aged(ageMs);
    change(venue);
    const refusal = refusalOf(venue.order(venue.trader, { price: "59000", quantity: "0.1" }));
    return refusal === STALE;
  };
  assert.equal(isRefused(60_000), false);
  assert.equal(isRefused(60_001), true);
  const pinned = (venue: ConditionalOrderFixture) => venue.mark("60000");
  assert.equal(isRefused(60_001, pinned), false);
  const neverStale = ({ market }: ConditionalOrderFixture) => {
    market.rules = { ...market.rules, indexStaleMs: 0 };
  };
  assert.equal(isRefused(10 ** 12, neverStale), false);
  const older = ({ state }: ConditionalOrderFixture) => {
    state.rulesVersion = 2;
  };
  assert.equal(isRefused(60_001, older), false);
  const pushed = (venue: ConditionalOrderFixture) => venue.index("60000");
  assert.equal(isRefused(60_001, pushed), false);
});
