/**
 * Proves fills: separated positions are closed first in, first out, with the fee split by size; a
 * position opened again is a new one; and, over random orders of a few users on awkward grids,
 * every sum agrees with what it is the sum of, no money comes or goes, fees and margins do not
 * depend on how an order is split into fills, and what is frozen returns to nothing.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { placeAtRandom, randomTrading } from "../../../../test/support/engine/random-trading.ts";
import { TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import { type Random, scaled, seededRandom } from "../../../../test/support/random.ts";
import type { EventOf } from "../../../protocol/index.ts";
import { LONG, type SymbolAccount } from "../state/contract-market.ts";
import { cancelAllContractOrders, cancelContractOrder } from "./cancel-order.ts";
import { closePositions } from "./close-positions.ts";
import { planClose } from "./positions.ts";

const random = seededRandom("engine/contract/fill");

function orderIdOf(result: ReturnType<TradingFixture["place"]>): number {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.orderId;
}

/** Three separated longs of 0.1, 0.2 and 0.3 at 60,000, 60,100 and 60,200. */
function separatedTrading() {
  const fixture = new TradingFixture();
  const trader = fixture.addUser(1, "10000", "ISOLATED");
  trader.separatedType = "SEPARATED";
  const maker = fixture.addUser(2, "10000000");
  fixture.setMark("60000");
  const orderIds = ["60000", "60100", "60200"].map((price, i) => {
    const quantity = `0.${i + 1}`;
    orderIdOf(fixture.place(maker, "SELL SHORT", quantity, price));
    return orderIdOf(fixture.place(trader, "BUY LONG", quantity, price));
  });
  return { fixture, trader, maker, orderIds };
}

test("separated positions belong to their orders", () => {
  const { trader, orderIds, fixture } = separatedTrading();
  const opened = trader.positions[LONG].map((position) => position.separatedOpenOrderId);
  assert.deepEqual(opened, orderIds);
  const sizes = trader.positions[LONG].map((position) => position.sizeLots);
  assert.deepEqual(sizes, [100, 200, 300]);
  fixture.check();
});

test("fills of one order share a position, another order's do not", () => {
  const fixture = new TradingFixture();
  const trader = fixture.addUser(1, "10000");
  trader.separatedType = "SEPARATED";
  const maker = fixture.addUser(2, "10000000");
  fixture.setMark("60000");
  const resting = orderIdOf(fixture.place(trader, "BUY LONG", "0.3", "60000"));
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "60000"));
  const first = fixture.position(trader, LONG);
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "60000"));
  assert.deepEqual(trader.positions[LONG], [first]);
  assert.equal(first.separatedOpenOrderId, resting);
  assert.equal(first.sizeLots, 200);
  // Closed whole, the order opens a position with another id when it goes on.
  orderIdOf(fixture.place(maker, "BUY SHORT", "0.2", "60001"));
  orderIdOf(fixture.place(trader, "SELL LONG", "0.2", "60001"));
  assert.equal(trader.positions[LONG].length, 0);
  orderIdOf(fixture.place(maker, "SELL SHORT", "0.1", "60000"));
  const second = fixture.position(trader, LONG);
  assert.notEqual(second.positionId, first.positionId);
  assert.equal(second.separatedOpenOrderId, resting);
  assert.equal(second.cumOpenLots, 100n);
  assert.equal(second.cumCloseLots, 0n);
  fixture.check();
});

test("a close walks the oldest positions first, and its fee is split by size", () => {
  const { fixture, trader, maker } = separatedTrading();
  const [first, second, third] = trader.positions[LONG];
  assert.ok(first && second && third);
  orderIdOf(fixture.place(maker, "BUY SHORT", "0.4", "60300.3"));
  orderIdOf(fixture.place(trader, "SELL LONG", "0.4"));
  assert.deepEqual(trader.positions[LONG], [third]);
  assert.equal(third.sizeLots, 200);
  const trade = fixture.eventsOf("contract-trade").at(-1);
  // 0.08 % of 24,120.12, rounded up as a whole: 19.296096.
  const feeMinor = fixture.amount("19.296096");
  assert.equal(trade?.taker.feeMinor, feeMinor);
  assert.equal(trade?.taker.positionId, first.positionId);
  const realized = fixture.amount("30.03") + fixture.amount("40.06") + fixture.amount("10.03");
  assert.equal(trade?.taker.realizedPnlMinor, realized);
  const shares = [first, second, third].map((position) => position.cumCloseFeeMinor);
  assert.deepEqual(shares, [
    feeMinor / 4n,
    feeMinor / 2n,
    feeMinor - feeMinor / 4n - feeMinor / 2n,
  ]);
  const closed = fixture.eventsOf("position-closed").map(({ positionId }) => positionId);
  assert.deepEqual(closed, [first.positionId, second.positionId]);
  fixture.check();
});

test("a fee that cannot be split evenly is not lost", () => {
  const { trader } = separatedTrading();
  const parts = planClose(trader, LONG, 0, 600, 600_000, 100n);
  assert.deepEqual(
    parts.map(({ lots, feeMinor }) => [lots, feeMinor]),
    [
      [100, 16n],
      [200, 33n],
      [300, 51n],
    ],
  );
});

test("closing one separated position closes exactly that one", () => {
  const { fixture, trader, maker } = separatedTrading();
  const [first, second, third] = trader.positions[LONG];
  assert.ok(first && second && third);
  const { positionId } = second;
  orderIdOf(fixture.place(maker, "BUY SHORT", "0.5", "60000"));
  const closing = { uid: 1, symbol: null, positionId };
  const result = closePositions(fixture.context, { type: "close-positions", ...closing });
  assert.ok(result.ok);
  assert.deepEqual(trader.positions[LONG], [first, third]);
  fixture.check();
});

test("fee and margin of an order do not depend on how it is filled", () => {
  for (let i = 0; i < scaled(40); i++) {
    const fixture = new TradingFixture({ makerFeeRate: "0.00033333" });
    const whole = fixture.addUser(1, "1000000", "ISOLATED");
    const split = fixture.addUser(2, "1000000", "ISOLATED");
    const maker = fixture.addUser(3, "100000000");
    const leverage = random.integer(1, 100);
    for (const owner of [whole, split]) owner.isolatedLeverage[LONG] = leverage;
    fixture.setMark("60000");
    const price = `${random.integer(59_500, 60_400)}.${random.integer(0, 9)}`;
    const pieces = Array.from({ length: random.integer(2, 9) }, () => random.integer(1, 999));
    const lots = pieces.reduce((sum, piece) => sum + piece, 0);
    const quantity = (count: number) =>
      `${Math.floor(count / 1_000)}.${String(count % 1_000).padStart(3, "0")}`;
    const wholeOrder = fixture.place(whole, "BUY LONG", quantity(lots), price);
    if (!wholeOrder.ok) continue;
    orderIdOf(fixture.place(maker, "SELL SHORT", quantity(lots), price));
    orderIdOf(fixture.place(split, "BUY LONG", quantity(lots), price));
    for (const piece of pieces) {
      orderIdOf(fixture.place(maker, "SELL SHORT", quantity(piece), price));
      fixture.check();
    }
    const one = fixture.position(whole, LONG);
    const other = fixture.position(split, LONG);
    assert.equal(other.openFeeMinor, one.openFeeMinor);
    const excess = other.marginMinor - one.marginMinor;
    assert.ok(excess >= 0n && excess < BigInt(pieces.length), `${excess}`);
    assert.equal(fixture.orderMargin(split), 0n);
  }
});

/** All money of the quote asset, the house's included. */
function totalMinor(fixture: TradingFixture, owners: readonly SymbolAccount[]): bigint {
  const { ledger } = fixture.state;
  let total = 0n;
  for (const owner of owners) total += fixture.wallet(owner);
  for (const house of ["fees", "insurance", "pnl-clearing", "rounding"] as const) {
    total += ledger.balance(ledger.houseAccount(0, house));
  }
  return total;
}

function checkTrade(trade: EventOf<"contract-trade">): void {
  assert.equal(trade.maker.isClosing || trade.maker.realizedPnlMinor === 0n, true);
  assert.equal(trade.taker.isClosing || trade.taker.realizedPnlMinor === 0n, true);
}

/** An account without cross positions has no debt. */
function checkCash(fixture: TradingFixture, owners: readonly SymbolAccount[]): void {
  for (const owner of owners) {
    const isCovered = owner.account.crossPositions.length > 0;
    assert.ok(fixture.available(owner) >= 0n || isCovered, "no debt without cross positions");
  }
}

function step(fixture: TradingFixture, owners: readonly SymbolAccount[], dice: Random): void {
  const owner = dice.pick(owners);
  const { uid } = owner.account.user;
  const choice = dice.next();
  if (choice < 0.8) {
    placeAtRandom(random, fixture, owner);
  } else if (choice < 0.87) {
    const { orders } = fixture.state.contract;
    const slot = orders.firstOwn(uid);
    if (slot === -1) return;
    const orderId = orders.orderId(slot);
    const named = { uid, orderId, clientOrderId: null };
    assert.ok(cancelContractOrder(fixture.context, { type: "cancel-contract-order", ...named }).ok);
  } else if (choice < 0.91) {
    const command = { type: "close-positions", uid, symbol: null, positionId: null } as const;
    assert.ok(closePositions(fixture.context, command).ok);
  } else {
    const { mark } = fixture.market;
    const move = Math.ceil(mark.ticks * dice.pick([0.001, 0.02, 0.1]));
    mark.ticks = Math.max(20, mark.ticks + dice.integer(-move, move));
  }
}

test("random orders: money is conserved, sums are right, nothing stays frozen", () => {
  const ends = new Set<string>();
  for (let run = 0; run < scaled(30); run++) {
    const { fixture, owners } = randomTrading(random);
    const total = totalMinor(fixture, owners);
    for (let i = 0; i < 400; i++) {
      step(fixture, owners, random);
      fixture.check();
      checkCash(fixture, owners);
      assert.equal(totalMinor(fixture, owners), total);
    }
    for (const { account } of owners) {
      const all = { uid: account.user.uid, symbol: null };
      cancelAllContractOrders(fixture.context, { type: "cancel-all-contract-orders", ...all });
    }
    for (const owner of owners) assert.equal(fixture.orderMargin(owner), 0n);
    for (const trade of fixture.eventsOf("contract-trade")) checkTrade(trade);
    for (const { reason } of fixture.eventsOf("contract-order-ended")) ends.add(reason);
  }
  const expected = [
    "filled",
    "cancelled-by-user",
    "nothing-to-match",
    "would-take",
    "not-fillable-at-once",
    "remainder-not-rested",
    "margin-not-enough",
    "position-closed",
  ];
  assert.deepEqual([...ends].sort(), expected.sort());
});
