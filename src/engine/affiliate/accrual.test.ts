/**
 * Goal: what a fill earns whom. Method: fills with round fees, on spot (the seller pays 0.1 or
 * 0.2 % in USDT, the buyer in BTC) and on contracts, below trees of which each has something
 * special; rows, postings and residues are compared with numbers worked out by hand.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  AffiliateFixture,
  rowText,
  textOf,
} from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import type { Event } from "../../protocol/index.ts";

/** A trader 10 without and a trader 20 with an inviter 2. */
function setUp(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  for (const uid of [1, 2, 3, 4]) fixture.user(uid);
  fixture.trader(10);
  fixture.trader(20, 2);
  return fixture;
}

function rows(fixture: AffiliateFixture): string[] {
  return fixture.emitted("commission-accrued").map(rowText);
}

test("the inviter earns from when it is an affiliate, also by earlier invitees", () => {
  const fixture = setUp();
  fixture.trade(20, 10);
  assert.deepEqual(rows(fixture), []);
  fixture.must(fixture.affiliate(2, "0.3", "0"));
  fixture.trade(20, 10);
  assert.deepEqual(fixture.emitted("commission-accrued"), [
    {
      type: "commission-accrued",
      commissionId: 1,
      tradeId: 2,
      product: "spot",
      symbol: "BTCUSDT",
      isMaker: true,
      traderUid: 20,
      affiliateUid: 2,
      viaUid: null,
      asset: "USDT",
      feeMinor: 10_000_000n,
      rateE8: 30_000_000,
      rateVersion: 1,
      viaRateVersion: null,
      notionalMinor: 10_000_000_000n,
      cappedMinor: 0n,
      commissionMinor: 3_000_000n,
      flags: [],
      isHeld: false,
    },
  ]);
  fixture.trade(10, 20);
  assert.deepEqual(rows(fixture), ["2: 0.0006 BTC of 0.002"]);
  assert.equal(fixture.coming(2, "USDT"), "0.03/0/0");
  assert.equal(fixture.coming(2, "BTC"), "0.0006/0/0");
  assert.equal(fixture.house("USDT", "affiliate-payable"), "0.03");
  // Four sides of 0.1, 0.1, 0.1 and 0.2 USDT were charged on both sides of three trades.
  assert.equal(fixture.house("USDT", "fees"), "0.27");
});

test("a new rate is that of new fills", () => {
  const fixture = setUp();
  for (const rate of ["0.3", "0", "0.5"]) {
    fixture.must(fixture.affiliate(2, rate, "0"));
    fixture.trade(20, 10);
  }
  const emitted = fixture.emitted("commission-accrued");
  assert.deepEqual(emitted.map(rowText), [
    "2: 0.03 USDT of 0.1",
    "2: 0 USDT of 0.1",
    "2: 0.05 USDT of 0.1",
  ]);
  assert.deepEqual(
    emitted.map(({ rateVersion }) => rateVersion),
    [1, 2, 3],
  );
});

test("above, each earns what its rate is more than the highest below", () => {
  const fixture = setUp();
  fixture.must(fixture.affiliate(4, "0.5", "0.1"));
  fixture.must(fixture.affiliate(3, "0.4", "0.2", 4));
  fixture.must(fixture.affiliate(1, "0.1", "0.3", 3));
  fixture.must(fixture.affiliate(1, "0.2", "0.3"));
  fixture.must(fixture.affiliate(2, "0.3", "0.2", 1));
  fixture.trade(20, 10);
  const emitted = fixture.emitted("commission-accrued");
  assert.deepEqual(emitted.map(rowText), [
    "2: 0.03 USDT of 0.1",
    "3 via 1: 0.01 USDT of 0.1",
    "4 via 3: 0.01 USDT of 0.1",
  ]);
  assert.deepEqual(
    emitted.map(({ rateE8, rateVersion, viaRateVersion }) => [rateE8, rateVersion, viaRateVersion]),
    [
      [30_000_000, 1, null],
      [10_000_000, 1, 1],
      [10_000_000, 1, 1],
    ],
  );
});

test("the version below is that of the highest rate, not of the next affiliate", () => {
  const fixture = setUp();
  fixture.must(fixture.affiliate(3, "0.4", "0"));
  fixture.must(fixture.affiliate(1, "0.1", "0", 3));
  fixture.must(fixture.affiliate(2, "0.2", "0", 1));
  for (const rate of ["0.25", "0.3"]) fixture.must(fixture.affiliate(2, rate, "0"));
  fixture.trade(20, 10);
  const [, above] = fixture.emitted("commission-accrued");
  assert.deepEqual([above?.viaUid, above?.viaRateVersion, above?.rateE8], [1, 3, 10_000_000]);
});

test("a direct affiliate has its row even when it is worth nothing", () => {
  const fixture = setUp();
  fixture.must(fixture.affiliate(1, "0", "0"));
  fixture.must(fixture.affiliate(2, "0", "0", 1));
  fixture.trade(20, 10);
  assert.deepEqual(rows(fixture), ["2: 0 USDT of 0.1"]);
  fixture.must({
    type: "set-fee-rates",
    actor: "operator",
    uid: 20,
    product: "spot",
    symbol: null,
    makerFeeRate: "0",
    takerFeeRate: "0",
  });
  fixture.must(fixture.affiliate(2, "0.5", "0"));
  fixture.trade(20, 10);
  assert.deepEqual(rows(fixture), ["2: 0 USDT of 0"]);
  assert.equal(fixture.coming(2, "USDT"), "none");
  assert.equal(fixture.engine.nextDueMs, Number.POSITIVE_INFINITY, "nothing is to be settled");
});

test("what rounding leaves of the whole share is kept apart", () => {
  const fixture = setUp();
  fixture.must(fixture.affiliate(3, "0.5", "0"));
  fixture.must(fixture.affiliate(1, "0.33333333", "0", 3));
  fixture.must(fixture.affiliate(2, "0.11111111", "0", 1));
  // A fee of 0.1 % of 0.0001 × 0.7, which is 7 minor units.
  fixture.trade(20, 10, "0.0001", "0.7");
  const shares = fixture.events.filter(({ type }) => type.startsWith("commission"));
  const texts = shares.map((event: Event) => {
    if (event.type === "commission-accrued")
      return `${event.affiliateUid} ${event.commissionMinor}`;
    return event.type === "commission-rounded" ? `rounded ${event.residueMinor}` : event.type;
  });
  // 0.777…, 1.555… and 1.166… of 7; together 3.5.
  assert.deepEqual(texts, ["2 0", "1 1", "3 1", "rounded 1"]);
  assert.equal(fixture.house("USDT", "rounding"), "0.00000001");
});

test("the maker's side is first, directly behind the trade", () => {
  const fixture = setUp();
  fixture.trader(21, 3);
  fixture.must(fixture.affiliate(2, "0.1", "0"));
  fixture.must(fixture.affiliate(3, "0.2", "0"));
  fixture.emitted("affiliate-set");
  fixture.trade(21, 20);
  const types = fixture.events.map((event) =>
    event.type === "commission-accrued" ? `${event.affiliateUid} ${event.isMaker}` : event.type,
  );
  assert.deepEqual(types, [
    "spot-order-opened",
    "spot-trade",
    "3 true",
    "2 false",
    "spot-order-ended",
    "spot-order-ended",
  ]);
});

test("matches of a user with itself and fills of house accounts earn nothing", () => {
  const fixture = setUp();
  fixture.must(fixture.affiliate(2, "0.3", "0.3"));
  fixture.trade(20, 20);
  assert.deepEqual(rows(fixture), []);
  const house = { type: "set-house-account", actor: "operator", uid: 20 } as const;
  fixture.must({ ...house, house: true });
  fixture.must({ ...house, house: true });
  assert.equal(fixture.emitted("house-account-set").length, 1);
  assert.equal(fixture.ask({ type: "user", uid: 20 }).house, true);
  assert.equal(fixture.refusal({ ...house, uid: 99, house: true }), "unknown-user uid");
  fixture.trader(21, 2);
  fixture.trade(20, 21);
  assert.deepEqual(rows(fixture), ["2: 0.0006 BTC of 0.002"]);
  fixture.must({ ...house, house: false });
  fixture.trade(20, 10);
  assert.deepEqual(rows(fixture), ["2: 0.03 USDT of 0.1"]);
});

test("contracts: both fees are in the margin coin, at their own rate, in liquidations too", () => {
  const fixture = setUp();
  fixture.must(fixture.affiliate(3, "0", "0.8"));
  fixture.must(fixture.affiliate(2, "0.5", "0.5", 3));
  fixture.user(21, 2);
  fixture.deposit(21, "USDT", "4000", "contract");
  fixture.listContract();
  fixture.index("60000");
  fixture.must(fixture.contractOrder(20, "SELL SHORT", "1", "60000"));
  fixture.must(fixture.contractOrder(21, "BUY LONG", "1", "60000"));
  // 0.02 % and 0.08 % of 60,000.
  assert.deepEqual(rows(fixture), [
    "2: 6 USDT of 12",
    "3 via 2: 3.6 USDT of 12",
    "2: 24 USDT of 48",
    "3 via 2: 14.4 USDT of 48",
  ]);
  fixture.must(fixture.contractOrder(10, "BUY LONG", "1", "57500"));
  fixture.emitted("contract-order-opened");
  fixture.index("56000");
  const [trade] = fixture.events.filter(({ type }) => type === "contract-trade");
  assert.equal(trade?.type === "contract-trade" && trade.kind, "liquidation");
  const settled = fixture.events.find(({ type }) => type === "liquidation-settled");
  const [direct, above] = fixture.emitted("commission-accrued");
  assert.ok(settled?.type === "liquidation-settled" && direct !== undefined);
  assert.equal(direct.feeMinor, settled.feeMinor, "the fee that could be paid");
  assert.equal(direct.traderUid, 21);
  assert.equal(direct.commissionMinor, settled.feeMinor / 2n);
  assert.equal(textOf(direct.notionalMinor), "57500");
  assert.equal(above?.viaUid, 2);
});
