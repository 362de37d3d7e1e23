/**
 * Proves where fills begin to be refused, each bound met by construction to the last unit: equity
 * exactly at maintenance is due and does not happen, one unit more fits; so it is for isolated and
 * cross, maker and taker, opening and closing, at placement and at the fill. Cash may be used up to
 * exactly nothing. An account whose liquidation waits may close, but not at a price that thins it.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture } from "../../../../test/support/engine/risk-fixture.ts";
import { TradingFixture } from "../../../../test/support/engine/trading-fixture.ts";
import { formatDecimal, type MarginType, parseDecimal } from "../../../domain/index.ts";
import { CONTRACT_AVAILABLE } from "../../ledger/ledger.ts";
import { RULES_WITH_CONTRACTS } from "../../rules-version.ts";
import {
  crossEquityMinor,
  crossMaintenanceE8,
  isCrossDue,
  isPositionDue,
} from "../formulas/account-equity.ts";
import { ONE_E8 } from "../formulas/valuation.ts";
import { LONG, SHORT, type SymbolAccount } from "../state/contract-market.ts";

/** Cash that is lost somewhere else. */
function takeCash(fixture: TradingFixture, { account }: SymbolAccount, amount: string): void {
  const { ledger } = fixture.state;
  const external = ledger.houseAccount(account.assetIndex, "external");
  ledger.move(account.base + CONTRACT_AVAILABLE, external, fixture.amount(amount));
}

const WIDE = { buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" };

function orderIdOf(result: ReturnType<TradingFixture["place"]>): number {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.orderId;
}

function amountOf(text: string): bigint {
  const minor = parseDecimal(text, 8);
  assert.ok(typeof minor === "bigint");
  return minor;
}

function plus(text: string, minor: bigint): string {
  return formatDecimal(amountOf(text) + minor, 8);
}

/** A market at 60,000 with one user, and one who has plenty. */
function fixtureWith(funds: string, marginType: MarginType, leverage: number, rules = {}) {
  const fixture = new TradingFixture({ ...WIDE, ...rules });
  const user = fixture.addUser(1, funds, marginType);
  user.crossLeverage = leverage;
  for (const side of [LONG, SHORT]) user.isolatedLeverage[side] = leverage;
  const rich = fixture.addUser(2, "100000000");
  fixture.setMark("60000");
  return { fixture, user, rich };
}

/** Equity less maintenance of the cross positions, in units of 10^-8 of the smallest amount. */
function surplusE8(fixture: TradingFixture, { account }: SymbolAccount): bigint {
  const equityMinor = crossEquityMinor(fixture.state.ledger, account);
  return equityMinor * ONE_E8 - crossMaintenanceE8(account);
}

test("a cross maker fills down to one unit above maintenance, and the next one is tried", () => {
  // 12 of fee and 300 of loss leave 346.26, which is 0.58 % of 59,700.
  for (const [extra, end] of [
    [0n, "margin-not-enough"],
    [1n, "filled"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(plus("658.26", extra), "CROSSED", 100);
    const maker = orderIdOf(fixture.place(user, "BUY LONG", "1", "60000"));
    const next = orderIdOf(fixture.place(rich, "BUY LONG", "1", "59900"));
    fixture.setMark("59700");
    const taker = orderIdOf(fixture.place(rich, "SELL SHORT", "1", "59900"));
    assert.equal(fixture.endOf(maker), end);
    assert.equal(fixture.endOf(taker), "filled");
    assert.equal(fixture.endOf(next), extra === 0n ? "filled" : "resting");
    assert.equal(fixture.orderMargin(user), 0n);
    if (extra > 0n) assert.equal(surplusE8(fixture, user), extra * ONE_E8);
    assert.equal(isCrossDue(fixture.state.ledger, user.account), false);
    fixture.check();
  }
});

test("a cross taker is refused at the same unit when the order is placed", () => {
  // 48.24 of fee and 300 of loss leave 348, which is 0.58 % of 60,000.
  for (const [extra, placed] of [
    [0n, false],
    [1n, true],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(plus("696.24", extra), "CROSSED", 100);
    orderIdOf(fixture.place(rich, "SELL SHORT", "1", "60300"));
    assert.equal(fixture.place(user, "BUY LONG", "1").ok, placed);
    assert.equal(user.sideLots[LONG], placed ? 1_000 : 0);
    if (placed) assert.equal(surplusE8(fixture, user), extra * ONE_E8);
    fixture.check();
  }
});

test("an isolated maker and taker are due where margin and loss meet maintenance", () => {
  // At 37 times: 61,309 / 37 = 1,657, less 1,309 of loss is 348, which is 0.58 % of 60,000.
  for (const [mark, end] of [
    ["60000", "margin-not-enough"],
    ["60000.1", "filled"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith("2000", "ISOLATED", 37);
    fixture.setMark("61309");
    const maker = orderIdOf(fixture.place(user, "BUY LONG", "1", "61309"));
    fixture.setMark(mark);
    orderIdOf(fixture.place(rich, "SELL SHORT", "1", "61309"));
    assert.equal(fixture.endOf(maker), end);
    for (const position of user.positions[LONG]) assert.equal(isPositionDue(position), false);
    fixture.check();
  }
  for (const [price, placed] of [
    ["61309", false],
    ["61308.9", true],
  ] as const) {
    const { fixture, user, rich } = fixtureWith("2000", "ISOLATED", 37);
    orderIdOf(fixture.place(rich, "SELL SHORT", "1", price));
    assert.equal(fixture.place(user, "BUY LONG", "1", price).ok, placed);
  }
});

test("an isolated opening takes its margin out of what carries cross positions", () => {
  // 3,012 go into the position and its fee, 1,000 are lost, 342.2 are 0.58 % of 59,000.
  for (const [funds, lots] of [
    ["4354.2", 0],
    ["4354.20000001", 1_000],
  ] as const) {
    const fixture = new RiskFixture();
    const eth = fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
    const user = fixture.user(1, funds);
    const rich = fixture.user(2, "1000000");
    fixture.owner(user).marginType = "ISOLATED";
    for (const market of [fixture.market, eth]) fixture.price("60000", market);
    fixture.pair([user, rich], "CROSSED", 60000, 1, 100, eth);
    fixture.order(user, "BUY", "LONG", "1", "60000");
    fixture.price("59000", eth);
    fixture.order(rich, "SELL", "SHORT", "1", "60000");
    assert.equal(fixture.owner(user).sideLots[LONG], lots);
    assert.equal(fixture.owner(user).openOrders, 0);
    assert.equal(fixture.emitted("liquidation-started").length, 0);
    assert.equal(fixture.owner(user, eth).sideLots[LONG], 1_000);
  }
});

test("the tier is that of all that is held after the fill", () => {
  // 16.5 at 60,000 are of the first tier, 16.8 of the second: 1.08 % of 1,008,000 are 10,886.4.
  for (const [extra, end] of [
    [0n, "margin-not-enough"],
    [1n, "filled"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(plus("30000", extra), "CROSSED", 50);
    orderIdOf(fixture.place(rich, "SELL SHORT", "16.5", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "16.5", "60000"));
    const maker = orderIdOf(fixture.place(user, "BUY LONG", "0.3", "60000"));
    // 792 and 3.6 of fees; the loss leaves the maintenance, and what was extra.
    const lost = fixture.amount("30000") - fixture.amount("795.6") - fixture.amount("10886.4");
    fixture.position(user, LONG).openValueMinor += lost;
    fixture.market.openValueMinor[LONG] += lost;
    orderIdOf(fixture.place(rich, "SELL SHORT", "0.3", "60000"));
    assert.equal(fixture.endOf(maker), end);
  }
});

test("a cross close happens down to one unit above maintenance", () => {
  for (const role of ["maker", "taker"] as const) {
    for (const [extra, end] of [
      [0n, "margin-not-enough"],
      [1n, "filled"],
    ] as const) {
      // Two are held; one is closed at 59,000, for 1,000 of loss and its fee; 348 are left.
      const fee = role === "maker" ? "11.8" : "47.2";
      const funds = 96n * ONE_E8 + amountOf("1348") + amountOf(fee) + extra;
      const { fixture, user, rich } = fixtureWith(formatDecimal(funds, 8), "CROSSED", 100);
      orderIdOf(fixture.place(rich, "SELL SHORT", "2", "60000"));
      orderIdOf(fixture.place(user, "BUY LONG", "2"));
      let closing: number;
      if (role === "maker") {
        closing = orderIdOf(fixture.place(user, "SELL LONG", "1", "59000"));
        orderIdOf(fixture.place(rich, "BUY SHORT", "1", "59000"));
      } else {
        orderIdOf(fixture.place(rich, "BUY SHORT", "1", "59000"));
        closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
      }
      assert.equal(fixture.endOf(closing), end, `${role} ${extra}`);
      if (extra > 0n) assert.equal(surplusE8(fixture, user), extra * ONE_E8);
      fixture.check();
    }
  }
});

test("an account whose liquidation waits closes at the mark, but not where it is thinned", () => {
  // 2 at 60,000 with 300 of equity for 696: a close of one may leave 150 for 348, no less.
  for (const [funds, price, end] of [
    ["300", "60000", "filled"],
    // 102 of loss and 47.9184 of fee; one tick more is 150.01832 together.
    ["300", "59898", "filled"],
    ["300", "59897.9", "margin-not-enough"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(plus(funds, 1096n * ONE_E8), "CROSSED", 100);
    orderIdOf(fixture.place(rich, "SELL SHORT", "2", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "2"));
    takeCash(fixture, user, "1000");
    assert.equal(isCrossDue(fixture.state.ledger, user.account), true);
    orderIdOf(fixture.place(rich, "BUY SHORT", "1", price));
    const closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
    assert.equal(fixture.endOf(closing), end, price);
  }
});

test("a close that leaves just as much equity for its maintenance is not worse", () => {
  // 2 at 60,000 with 300 of equity: 150 may go with one of them.
  for (const [loss, end] of [
    ["59850", "filled"],
    ["59849.9", "margin-not-enough"],
  ] as const) {
    const free = { makerFeeRate: "0", takerFeeRate: "0" };
    const { fixture, user, rich } = fixtureWith("1300", "CROSSED", 100, free);
    orderIdOf(fixture.place(rich, "SELL SHORT", "2", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "2"));
    takeCash(fixture, user, "1000");
    orderIdOf(fixture.place(rich, "BUY SHORT", "1", loss));
    const closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
    assert.equal(fixture.endOf(closing), end, loss);
  }
});

test("a close may use the available balance of an isolated account up to exactly nothing", () => {
  for (const [extra, end] of [
    [-1n, "margin-not-enough"],
    [0n, "filled"],
  ] as const) {
    // 3,000 of margin and 48 of fee; the close at 56,000 costs 4,000 and 44.8.
    const { fixture, user, rich } = fixtureWith(plus("4092.8", extra), "ISOLATED", 20);
    orderIdOf(fixture.place(rich, "SELL SHORT", "1", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "1"));
    orderIdOf(fixture.place(rich, "BUY SHORT", "1", "56000"));
    const closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
    assert.equal(fixture.endOf(closing), end);
    if (end === "filled") assert.equal(fixture.wallet(user), 0n);
    fixture.check();
  }
});

test("the last cross close may use the cash up to exactly nothing, not what orders hold", () => {
  for (const [extra, end] of [
    [-1n, "margin-not-enough"],
    [0n, "filled"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(plus("4762.4", extra), "CROSSED", 100);
    orderIdOf(fixture.place(rich, "SELL SHORT", "1", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "1"));
    orderIdOf(fixture.place(user, "SELL SHORT", "1", "62000"));
    assert.equal(fixture.orderMargin(user), fixture.amount("669.6"));
    // 48 and 44.8 of fees, and 4,000 of loss, are all that is not frozen.
    orderIdOf(fixture.place(rich, "BUY SHORT", "1", "56000"));
    const closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
    assert.equal(fixture.endOf(closing), end);
    if (end === "filled") assert.equal(fixture.available(user), 0n);
    fixture.check();
  }
});

test("an order may freeze all of the cash", () => {
  const { fixture, user } = fixtureWith("648", "CROSSED", 100);
  orderIdOf(fixture.place(user, "BUY LONG", "1", "60000"));
  assert.equal(fixture.available(user), 0n);
  assert.equal(fixture.place(user, "BUY LONG", "0.001", "60000").ok, false);
  fixture.check();
});

test("both sides of one account are judged as they leave it", () => {
  // The LONG alone loses 20,000 and would be due; with the SHORT the account has only paid fees.
  for (const funds of ["20000", "13391"]) {
    const { fixture, user, rich } = fixtureWith(funds, "CROSSED", 100);
    fixture.setMark("62000");
    const maker = orderIdOf(fixture.place(user, "BUY LONG", "10", "62000"));
    fixture.setMark("60000");
    const placed = fixture.place(user, "SELL SHORT", "10", "62000");
    assert.equal(placed.ok, funds === "20000", "10 and 10 freeze 13,392");
    if (!placed.ok) orderIdOf(fixture.place(rich, "SELL SHORT", "10", "62000"));
    assert.equal(fixture.endOf(maker), placed.ok ? "filled" : "margin-not-enough");
    assert.deepEqual(user.sideLots, placed.ok ? [10_000, 10_000] : [0, 0]);
    fixture.check();
  }
});

test("what an account opens beside its own close counts, but does not pay for it", () => {
  // 2 LONG; 1 is closed at 55,000 against an order of its own, which wins what the close loses.
  for (const [funds, end] of [
    // 96 and 44 of fees and 5,000 of loss: 44 of equity without the order, which has 11 of fee.
    ["5184", "filled"],
    ["5139.99999999", "margin-not-enough"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(funds, "CROSSED", 100);
    orderIdOf(fixture.place(rich, "SELL SHORT", "2", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "2"));
    orderIdOf(fixture.place(user, "BUY LONG", "1", "55000"));
    const closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
    assert.equal(fixture.endOf(closing), end);
    assert.equal(user.sideLots[LONG], 2_000);
    fixture.check();
  }
});

test("a resting close is not paid out of what the account's own order freezes", () => {
  // 0.1 closed at 64,000 loses 100 more than its margin, and 1.28 of fee.
  for (const [extra, end] of [
    [-1n, "margin-not-enough"],
    [0n, "resting"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(plus("3474.4", extra), "ISOLATED", 20);
    orderIdOf(fixture.place(rich, "BUY LONG", "1", "60000"));
    orderIdOf(fixture.place(user, "SELL SHORT", "1"));
    const closing = orderIdOf(fixture.place(user, "BUY SHORT", "1", "64000"));
    // 3,048 went into the position, 325.12 are frozen: 101.28 are left.
    orderIdOf(fixture.place(user, "SELL SHORT", "0.1", "64000"));
    assert.equal(fixture.endOf(closing), end);
    fixture.check();
  }
});

test("under the rules before, a cross close happens down to an equity of exactly nothing", () => {
  // 96 and 44 of fees, and 5,000 of loss.
  for (const [funds, end] of [
    ["5140", "filled"],
    ["5139.99999999", "margin-not-enough"],
  ] as const) {
    const { fixture, user, rich } = fixtureWith(funds, "CROSSED", 100);
    fixture.state.rulesVersion = RULES_WITH_CONTRACTS;
    orderIdOf(fixture.place(rich, "SELL SHORT", "2", "60000"));
    orderIdOf(fixture.place(user, "BUY LONG", "2"));
    orderIdOf(fixture.place(rich, "BUY SHORT", "1", "55000"));
    const closing = orderIdOf(fixture.place(user, "SELL LONG", "1"));
    assert.equal(fixture.endOf(closing), end);
    fixture.check();
  }
});
