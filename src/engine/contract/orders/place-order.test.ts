/**
 * Proves placing on contracts: a worked example to the last digit, every refusal and the order in
 * which refusals come, what is frozen and what it returns to, cancels, closes and what is attached.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { SYMBOL, TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import { LONG, SHORT, type SymbolAccount } from "../state/contract-market.ts";
import { cancelAllContractOrders, cancelContractOrder } from "./cancel-order.ts";
import { closePositions } from "./close-positions.ts";

function orderIdOf(result: ReturnType<TradingFixture["place"]>): number {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.orderId;
}

function reasonOf(result: { readonly ok: boolean }): string {
  return "reason" in result ? String(result.reason) : "accepted";
}

/** A market at 60,000 with a trader and a rich counterpart. */
function fixtureAt60k(marginType: "CROSSED" | "ISOLATED" = "ISOLATED") {
  const fixture = new TradingFixture();
  const trader = fixture.addUser(1, "10000", marginType);
  const maker = fixture.addUser(2, "10000000");
  fixture.setMark("60000");
  return { fixture, trader, maker };
}

test("the worked example: open, funding, close a part", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  const { amount } = fixture;
  orderIdOf(fixture.place(maker, "SELL SHORT", "1", "60000"));
  orderIdOf(fixture.place(trader, "BUY LONG", "1"));
  const long = fixture.position(trader, LONG);
  assert.equal(long.openValueMinor, amount("60000"));
  assert.equal(long.openFeeMinor, amount("48"));
  assert.equal(long.marginMinor, amount("3000"));
  assert.equal(fixture.wallet(trader), amount("9952"));
  assert.equal(fixture.available(trader), amount("6952"));
  assert.equal(fixture.orderMargin(trader), 0n);

  // Funding of 6.1 out of the margin, posted by hand.
  const { ledger } = fixture.state;
  const { account } = trader;
  ledger.move(account.base + 4, ledger.houseAccount(account.assetIndex, "rounding"), amount("6.1"));
  account.isolatedMarginMinor -= amount("6.1");
  long.marginMinor -= amount("6.1");
  long.fundingFeeMinor += amount("6.1");
  long.cumFundingFeeMinor += amount("6.1");

  fixture.setMark("61500");
  orderIdOf(fixture.place(maker, "BUY LONG", "0.4", "61500"));
  orderIdOf(fixture.place(trader, "SELL LONG", "0.4"));
  assert.equal(long.sizeLots, 600);
  assert.equal(long.openValueMinor, amount("36000"));
  assert.equal(long.openFeeMinor, amount("28.8"));
  assert.equal(long.fundingFeeMinor, amount("3.66"));
  assert.equal(long.marginMinor, amount("1796.34"));
  assert.equal(long.cumOpenLots, 1_000n);
  assert.equal(long.cumOpenValueMinor, amount("60000"));
  assert.equal(long.cumOpenFeeMinor, amount("48"));
  assert.equal(long.cumCloseLots, 400n);
  assert.equal(long.cumCloseValueMinor, amount("24600"));
  assert.equal(long.cumCloseFeeMinor, amount("19.68"));
  assert.equal(long.cumFundingFeeMinor, amount("6.1"));
  assert.equal(fixture.wallet(trader), amount("10526.22"));
  assert.equal(fixture.available(trader), amount("8729.88"));
  const trade = fixture.eventsOf("contract-trade").at(-1);
  assert.deepEqual(trade?.taker, {
    uid: 1,
    orderId: trade?.taker.orderId,
    positionSide: "LONG",
    positionId: long.positionId,
    isClosing: true,
    feeMinor: amount("19.68"),
    realizedPnlMinor: amount("600"),
    walletMinor: amount("10526.22"),
  });
  fixture.check();
});

test("refusals come in the order of the checks, and leave no trace", () => {
  const { fixture, trader } = fixtureAt60k();
  const { market } = fixture;
  const before = fixture.events.length;
  const place = (
    ...order: Parameters<TradingFixture["place"]> extends [unknown, ...infer Rest] ? Rest : never
  ) => reasonOf(fixture.place(trader, ...order));
  assert.equal(place("BUY LONG", "1", "60000", { uid: 9 }), "unknown-user");
  assert.equal(place("BUY LONG", "1", "60000", { symbol: "NONE" }), "unknown-symbol");
  trader.account.user.state = "frozen";
  assert.equal(place("BUY LONG", "x", "60000"), "user-frozen");
  trader.account.user.state = "active";
  market.state = "cancel-only";
  assert.equal(place("BUY LONG", "x", "60000"), "market-not-trading");
  market.state = "trading";
  assert.equal(place("BUY LONG", "x", "y"), "malformed");
  assert.equal(place("BUY LONG", "0.0005", "60000.05"), "off-tick");
  assert.equal(place("BUY LONG", "0.0005", "0"), "out-of-range");
  assert.equal(place("BUY LONG", "0.0005", "90000"), "off-step");
  assert.equal(place("BUY LONG", "0", "90000"), "quantity-below-minimum");
  assert.equal(place("BUY LONG", "100.001", "90000"), "quantity-above-maximum");
  assert.equal(place("BUY LONG", "99999999999999999", "90000"), "quantity-above-maximum");
  assert.equal(place("BUY LONG", "50.001"), "quantity-above-maximum");
  market.mark.ticks = 0;
  assert.equal(place("BUY LONG", "1", "90000"), "no-mark-price");
  fixture.setMark("60000");
  assert.equal(place("BUY LONG", "1", "63000.1", { tpTriggerPrice: "x" }), "price-outside-band");
  assert.equal(place("SELL SHORT", "1", "56999.9"), "price-outside-band");
  const wrong = { tpTriggerPrice: "60000", slTriggerPrice: null };
  assert.equal(place("BUY LONG", "100", "60000", wrong), "trigger-on-wrong-side");
  const stop = { slTriggerPrice: "60000" };
  assert.equal(place("SELL SHORT", "100", "60000", stop), "trigger-on-wrong-side");
  assert.equal(place("BUY LONG", "1", "60000", { tpTriggerPrice: "60000.05" }), "off-tick");
  assert.equal(place("SELL LONG", "1", "60000", wrong), "only-opening-orders");
  assert.equal(place("SELL LONG", "1", "60000"), "close-exceeds-position");
  trader.isolatedLeverage[LONG] = 100;
  assert.equal(place("BUY LONG", "17", "60000"), "leverage-above-maximum");
  trader.isolatedLeverage[LONG] = 20;
  assert.equal(place("BUY LONG", "17", "60000"), "insufficient-margin");
  assert.equal(fixture.events.length, before);
  assert.equal(fixture.state.contract.orders.size, 0);
  assert.equal(fixture.available(trader), fixture.amount("10000"));
});

test("an order on the boundary of its bounds is accepted, one beyond is not", () => {
  const { fixture, maker } = fixtureAt60k();
  assert.equal(reasonOf(fixture.place(maker, "BUY LONG", "1", "63000")), "accepted");
  assert.equal(reasonOf(fixture.place(maker, "SELL SHORT", "1", "63000")), "accepted");
  // Value 1,000,000 at the mark belongs to the first tier still.
  const rich = fixture.addUser(3, "10000000");
  rich.crossLeverage = 100;
  fixture.setMark("50000");
  assert.equal(reasonOf(fixture.place(rich, "SELL SHORT", "20", "51000")), "accepted");
  const over = fixture.place(rich, "SELL SHORT", "0.001", "51000");
  assert.equal(reasonOf(over), "leverage-above-maximum");
  const limited = new TradingFixture({ maxPositionSize: "2", maxOpenOrders: 3 });
  const user = limited.addUser(1, "1000000");
  limited.setMark("60000");
  for (const quantity of ["1", "0.5"])
    orderIdOf(limited.place(user, "BUY LONG", quantity, "60000"));
  assert.equal(reasonOf(limited.place(user, "BUY LONG", "0.501", "60000")), "position-limit");
  orderIdOf(limited.place(user, "BUY LONG", "0.5", "60000"));
  assert.equal(reasonOf(limited.place(user, "BUY LONG", "1", "59000")), "too-many-open-orders");
  const never = { timeInForce: "IOC" } as const;
  assert.equal(reasonOf(limited.place(user, "SELL SHORT", "1", "62000", never)), "accepted");
});

test("exactly the margin of an order is enough", () => {
  // 3000 of margin and 48 of fee.
  for (const [funds, reason] of [
    ["3048", "accepted"],
    ["3047.99999999", "insufficient-margin"],
  ] as const) {
    const fixture = new TradingFixture();
    const user = fixture.addUser(1, funds, "ISOLATED");
    fixture.setMark("60000");
    assert.equal(reasonOf(fixture.place(user, "BUY LONG", "1", "60000")), reason);
  }
});

test("what rests is frozen at its own price, and fills and its end set it free", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  const { amount } = fixture;
  orderIdOf(fixture.place(maker, "BUY LONG", "0.5", "60000"));
  // A sell at 58,000 that crosses is frozen at 60,000; what rests of it at 58,000.
  const orderId = orderIdOf(fixture.place(trader, "SELL SHORT", "1", "58000"));
  assert.equal(fixture.orderMargin(trader), amount("1450") + amount("23.2"));
  const short = fixture.position(trader, SHORT);
  assert.equal(short.marginMinor, amount("1500"));
  assert.equal(fixture.available(trader), amount("10000") - amount("1473.2") - amount("1524"));
  orderIdOf(fixture.place(maker, "BUY LONG", "0.25", "58000"));
  assert.equal(fixture.orderMargin(trader), amount("736.6"));
  // As a maker it pays 0.02 % of 14,500.
  assert.equal(short.openFeeMinor, amount("24") + amount("2.9"));
  const cancelled = cancelContractOrder(fixture.context, {
    type: "cancel-contract-order",
    uid: 1,
    orderId,
    clientOrderId: null,
  });
  assert.ok(cancelled.ok);
  assert.equal(fixture.orderMargin(trader), 0n);
  fixture.check();
});

test("market orders stop at the band, and at the price that they are frozen at", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "62000"));
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "63000"));
  fixture.setMark("59500");
  const orderId = orderIdOf(fixture.place(trader, "BUY LONG", "0.2"));
  assert.equal(fixture.endOf(orderId), "remainder-not-rested");
  assert.equal(fixture.position(trader, LONG).sizeLots, 100);
  const nothing = orderIdOf(fixture.place(trader, "SELL SHORT", "0.2"));
  assert.equal(fixture.endOf(nothing), "nothing-to-match");
  const ended = fixture.eventsOf("contract-order-ended").at(-1);
  assert.equal(ended?.timeInForce, "IOC");
  assert.equal(ended?.priceTicks, 0);
  assert.equal(fixture.orderMargin(trader), 0n);
  fixture.check();
});

test("times in force", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "60000"));
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "60001"));
  const place = (quantity: string, timeInForce: "FOK" | "IOC" | "POST_ONLY") =>
    fixture.endOf(orderIdOf(fixture.place(trader, "BUY LONG", quantity, "60000", { timeInForce })));
  assert.equal(place("0.11", "FOK"), "not-fillable-at-once");
  assert.equal(place("0.01", "POST_ONLY"), "would-take");
  assert.equal(place("0.05", "FOK"), "filled");
  assert.equal(place("0.06", "IOC"), "remainder-not-rested");
  assert.equal(place("0.01", "IOC"), "nothing-to-match");
  assert.equal(place("0.01", "POST_ONLY"), "resting");
  fixture.check();
});

test("the same client order id is the same order, also after its end", () => {
  const { fixture, trader } = fixtureAt60k();
  const id = { clientOrderId: "mine" };
  const first = orderIdOf(fixture.place(trader, "BUY LONG", "0.1", "59000", id));
  assert.equal(orderIdOf(fixture.place(trader, "BUY LONG", "0.10", "59000.0", id)), first);
  const other = fixture.place(trader, "BUY LONG", "0.2", "59000", id);
  assert.equal(reasonOf(other), "duplicate-client-order-id");
  cancelAll(fixture, trader);
  assert.equal(orderIdOf(fixture.place(trader, "BUY LONG", "0.1", "59000", id)), first);
  const withStop = { ...id, slTriggerPrice: "58000" };
  const more = fixture.place(trader, "BUY LONG", "0.1", "59000", withStop);
  assert.equal(reasonOf(more), "duplicate-client-order-id");
});

function cancelAll(fixture: TradingFixture, { account }: SymbolAccount): void {
  const { uid } = account.user;
  const all = { type: "cancel-all-contract-orders", uid, symbol: null } as const;
  assert.ok(cancelAllContractOrders(fixture.context, all).ok);
}

test("nobody cancels what is somebody else's", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  const named = { clientOrderId: "mine" };
  const orderId = orderIdOf(fixture.place(trader, "BUY LONG", "0.1", "59000", named));
  const cancel = (uid: number, id: number | null, clientOrderId: string | null) =>
    reasonOf(
      cancelContractOrder(fixture.context, {
        type: "cancel-contract-order",
        uid,
        orderId: id,
        clientOrderId,
      }),
    );
  assert.equal(cancel(2, orderId, null), "order-not-found");
  assert.equal(cancel(2, null, "mine"), "order-not-found");
  cancelAll(fixture, maker);
  assert.equal(fixture.endOf(orderId), "resting");
  fixture.market.state = "halted";
  assert.equal(cancel(1, orderId, null), "market-halted");
  cancelAll(fixture, trader);
  assert.equal(fixture.endOf(orderId), "resting");
  fixture.market.state = "cancel-only";
  assert.equal(cancel(1, null, "mine"), "accepted");
});

test("closes reserve the position; when it shrinks, the newest end, whole", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  orderIdOf(fixture.place(maker, "SELL SHORT", "1", "60000"));
  orderIdOf(fixture.place(trader, "BUY LONG", "1"));
  const [first, second, third] = ["0.3", "0.4", "0.3"].map((quantity) =>
    orderIdOf(fixture.place(trader, "SELL LONG", quantity, "61000")),
  ) as [number, number, number];
  const more = fixture.place(trader, "SELL LONG", "0.001", "61000");
  assert.equal(reasonOf(more), "close-exceeds-position");
  assert.equal(fixture.orderMargin(trader), 0n, "a close freezes nothing");
  // Half of it is closed at market, whatever was promised to the resting closes.
  orderIdOf(fixture.place(maker, "BUY SHORT", "0.5", "60000"));
  const { positionId } = fixture.position(trader, LONG);
  const closed = closePositions(fixture.context, {
    type: "close-positions",
    uid: 1,
    symbol: SYMBOL,
    positionId,
  });
  assert.ok(closed.ok && closed.value[0]?.ok);
  assert.equal(fixture.position(trader, LONG).sizeLots, 500);
  const ends = [first, second, third].map((orderId) => fixture.endOf(orderId));
  assert.deepEqual(ends, ["resting", "position-closed", "position-closed"]);
  fixture.check();
});

test("closing positions: all, of nobody, of somebody else", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  const close = (uid: number, positionId: number | null, symbol: string | null = null) =>
    closePositions(fixture.context, { type: "close-positions", uid, symbol, positionId });
  assert.deepEqual(close(1, null), { ok: true, value: [] });
  orderIdOf(fixture.place(maker, "SELL SHORT", "1", "60000"));
  orderIdOf(fixture.place(trader, "BUY LONG", "1"));
  orderIdOf(fixture.place(maker, "BUY LONG", "0.5", "60000"));
  orderIdOf(fixture.place(trader, "SELL SHORT", "0.5"));
  const { positionId } = fixture.position(trader, LONG);
  assert.equal(reasonOf(close(2, positionId)), "failed-precondition");
  assert.equal(reasonOf(close(1, 12_345)), "failed-precondition");
  assert.equal(reasonOf(close(1, positionId, "NONE")), "unknown-symbol");
  fixture.market.state = "halted";
  const halted = close(1, positionId);
  assert.ok(halted.ok);
  const refused = { positionId, ok: false, orderId: 0, reason: "market-not-trading" };
  assert.deepEqual(halted.value, [refused]);
  fixture.market.state = "trading";
  orderIdOf(fixture.place(maker, "BUY LONG", "1", "60000"));
  orderIdOf(fixture.place(maker, "SELL SHORT", "1", "60010"));
  const both = close(1, null);
  assert.ok(both.ok);
  assert.deepEqual(
    both.value.map(({ ok }) => ok),
    [true, true],
  );
  assert.deepEqual(trader.sideLots, [0, 0]);
  assert.equal(fixture.eventsOf("position-closed").length, 2);
  const ended = fixture.eventsOf("contract-order-ended").filter(({ uid }) => uid === 1);
  assert.match(ended.at(-1)?.clientOrderId ?? "", /^close-\d+$/);
  assert.equal(ended.at(-1)?.origin, "close-positions");
  fixture.check();
});

test("the wallet told with each row follows from the one before", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  orderIdOf(fixture.place(trader, "SELL SHORT", "0.5", "60000"));
  orderIdOf(fixture.place(maker, "BUY LONG", "0.25", "60000"));
  orderIdOf(fixture.place(trader, "BUY LONG", "0.25", "60000"));
  orderIdOf(fixture.place(trader, "SELL LONG", "0.25", "59000"));
  orderIdOf(fixture.place(trader, "BUY SHORT", "0.25", "59000"));
  const wallets = new Map([
    [1, fixture.amount("10000")],
    [2, fixture.amount("10000000")],
  ]);
  for (const { maker: one, taker: other } of fixture.eventsOf("contract-trade")) {
    for (const { uid, walletMinor, realizedPnlMinor, feeMinor } of [one, other]) {
      const expected = (wallets.get(uid) ?? 0n) + realizedPnlMinor - feeMinor;
      assert.equal(walletMinor, expected);
      wallets.set(uid, walletMinor);
    }
  }
  assert.equal(wallets.get(1), fixture.wallet(trader));
  assert.equal(wallets.get(2), fixture.wallet(maker));
});

test("an order with a take profit gets its rows, which follow its fills", () => {
  const { fixture, trader, maker } = fixtureAt60k();
  const targets = { tpTriggerPrice: "62000", slTriggerPrice: "59000" };
  const rowsOf = (orderId: number) =>
    fixture
      .eventsOf("algo-order-changed")
      .filter(({ parentOrderId }) => parentOrderId === orderId)
      .map(({ algoId, status, quantityLots }) => [algoId - orderId, status, quantityLots]);
  const orderId = orderIdOf(fixture.place(trader, "BUY LONG", "0.2", "60000", targets));
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "60000"));
  const atFirst = [
    [1, "NEW", 200],
    [2, "NEW", 200],
    [1, "UNTRIGGERED", 100],
    [2, "UNTRIGGERED", 100],
  ];
  assert.deepEqual(rowsOf(orderId), atFirst);
  // Its last price is what the conditional orders look at.
  const { triggerIndex } = fixture.state.contract;
  assert.equal(triggerIndex.takeReached(), null);
  orderIdOf(fixture.place(maker, "BUY LONG", "0.01", "58999"));
  cancelAll(fixture, trader);
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.01", "58999"));
  assert.equal(triggerIndex.takeReached()?.algoId, orderId + 2);
  // With the side they go.
  orderIdOf(fixture.place(maker, "BUY SHORT", "0.1", "60000"));
  orderIdOf(fixture.place(trader, "SELL LONG", "0.1"));
  const cancelled = [
    [1, "CANCELED", 100],
    [2, "CANCELED", 100],
  ];
  assert.deepEqual(rowsOf(orderId).slice(4), cancelled);
  // Of an order that never traded they go with the order; one that takes activates them at once.
  const resting = orderIdOf(fixture.place(trader, "BUY LONG", "0.2", "59500", targets));
  cancelAll(fixture, trader);
  assert.deepEqual(
    rowsOf(resting)
      .slice(2)
      .map(([, status]) => status),
    ["CANCELED", "CANCELED"],
  );
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.2", "60000"));
  const taker = orderIdOf(fixture.place(trader, "BUY LONG", "0.1", null, targets));
  assert.deepEqual(
    rowsOf(taker),
    atFirst.map(([id, status]) => [id, status, 100]),
  );
});
