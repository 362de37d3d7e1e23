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
function venue(): AffiliateFixture {
  const floor = new AffiliateFixture(sha256);
  for (const uid of [1, 2, 3, 4]) floor.user(uid);
  floor.trader(10);
  floor.trader(20, 2);
  return floor;
}

function rows(floor: AffiliateFixture): string[] {
  return floor.told("commission-accrued").map(rowText);
}

test("the inviter earns from when it is an affiliate, also by earlier invitees", () => {
  const floor = venue();
  floor.trade(20, 10);
  assert.deepEqual(rows(floor), []);
  floor.must(floor.affiliate(2, "0.3", "0"));
  floor.trade(20, 10);
  assert.deepEqual(floor.told("commission-accrued"), [
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
  floor.trade(10, 20);
  assert.deepEqual(rows(floor), ["2: 0.0006 BTC of 0.002"]);
  assert.equal(floor.coming(2, "USDT"), "0.03/0/0");
  assert.equal(floor.coming(2, "BTC"), "0.0006/0/0");
  assert.equal(floor.house("USDT", "affiliate-payable"), "0.03");
  // Four sides of 0.1, 0.1, 0.1 and 0.2 USDT were charged on both sides of three trades.
  assert.equal(floor.house("USDT", "fees"), "0.27");
});

test("a new rate is that of new fills", () => {
  const floor = venue();
  for (const rate of ["0.3", "0", "0.5"]) {
    floor.must(floor.affiliate(2, rate, "0"));
    floor.trade(20, 10);
  }
  const told = floor.told("commission-accrued");
  assert.deepEqual(told.map(rowText), [
    "2: 0.03 USDT of 0.1",
    "2: 0 USDT of 0.1",
    "2: 0.05 USDT of 0.1",
  ]);
  assert.deepEqual(
    told.map(({ rateVersion }) => rateVersion),
    [1, 2, 3],
  );
});

test("above, each earns what its rate is more than the highest below", () => {
  const floor = venue();
  floor.must(floor.affiliate(4, "0.5", "0.1"));
  floor.must(floor.affiliate(3, "0.4", "0.2", 4));
  floor.must(floor.affiliate(1, "0.1", "0.3", 3));
  floor.must(floor.affiliate(1, "0.2", "0.3"));
  floor.must(floor.affiliate(2, "0.3", "0.2", 1));
  floor.trade(20, 10);
  const told = floor.told("commission-accrued");
  assert.deepEqual(told.map(rowText), [
    "2: 0.03 USDT of 0.1",
    "3 via 1: 0.01 USDT of 0.1",
    "4 via 3: 0.01 USDT of 0.1",
  ]);
  assert.deepEqual(
    told.map(({ rateE8, rateVersion, viaRateVersion }) => [rateE8, rateVersion, viaRateVersion]),
    [
      [30_000_000, 1, null],
      [10_000_000, 1, 1],
      [10_000_000, 1, 1],
    ],
  );
});

test("the version below is that of the highest rate, not of the next affiliate", () => {
  const floor = venue();
  floor.must(floor.affiliate(3, "0.4", "0"));
  floor.must(floor.affiliate(1, "0.1", "0", 3));
  floor.must(floor.affiliate(2, "0.2", "0", 1));
  for (const rate of ["0.25", "0.3"]) floor.must(floor.affiliate(2, rate, "0"));
  floor.trade(20, 10);
  const [, above] = floor.told("commission-accrued");
  assert.deepEqual([above?.viaUid, above?.viaRateVersion, above?.rateE8], [1, 3, 10_000_000]);
});

test("a direct affiliate has its row even when it is worth nothing", () => {
  const floor = venue();
  floor.must(floor.affiliate(1, "0", "0"));
  floor.must(floor.affiliate(2, "0", "0", 1));
  floor.trade(20, 10);
  assert.deepEqual(rows(floor), ["2: 0 USDT of 0.1"]);
  floor.must({
    type: "set-fee-rates",
    actor: "operator",
    uid: 20,
    product: "spot",
    symbol: null,
    makerFeeRate: "0",
    takerFeeRate: "0",
  });
  floor.must(floor.affiliate(2, "0.5", "0"));
  floor.trade(20, 10);
  assert.deepEqual(rows(floor), ["2: 0 USDT of 0"]);
  assert.equal(floor.coming(2, "USDT"), "none");
  assert.equal(floor.engine.nextDueMs, Number.POSITIVE_INFINITY, "nothing is to be settled");
});

test("what rounding leaves of the whole share is kept apart", () => {
  const floor = venue();
  floor.must(floor.affiliate(3, "0.5", "0"));
  floor.must(floor.affiliate(1, "0.33333333", "0", 3));
  floor.must(floor.affiliate(2, "0.11111111", "0", 1));
  // A fee of 0.1 % of 0.0001 × 0.7, which is 7 minor units.
  floor.trade(20, 10, "0.0001", "0.7");
  const shares = floor.events.filter(({ type }) => type.startsWith("commission"));
  const texts = shares.map((event: Event) => {
    if (event.type === "commission-accrued")
      return `${event.affiliateUid} ${event.commissionMinor}`;
    return event.type === "commission-rounded" ? `rounded ${event.residueMinor}` : event.type;
  });
  // 0.777…, 1.555… and 1.166… of 7; together 3.5.
  assert.deepEqual(texts, ["2 0", "1 1", "3 1", "rounded 1"]);
  assert.equal(floor.house("USDT", "rounding"), "0.00000001");
});

test("the maker's side is first, directly behind the trade", () => {
  const floor = venue();
  floor.trader(21, 3);
  floor.must(floor.affiliate(2, "0.1", "0"));
  floor.must(floor.affiliate(3, "0.2", "0"));
  floor.told("affiliate-set");
  floor.trade(21, 20);
  const types = floor.events.map((event) =>
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
  const floor = venue();
  floor.must(floor.affiliate(2, "0.3", "0.3"));
  floor.trade(20, 20);
  assert.deepEqual(rows(floor), []);
  const house = { type: "set-house-account", actor: "operator", uid: 20 } as const;
  floor.must({ ...house, house: true });
  floor.must({ ...house, house: true });
  assert.equal(floor.told("house-account-set").length, 1);
  assert.equal(floor.ask({ type: "user", uid: 20 }).house, true);
  assert.equal(floor.refusal({ ...house, uid: 99, house: true }), "unknown-user uid");
  floor.trader(21, 2);
  floor.trade(20, 21);
  assert.deepEqual(rows(floor), ["2: 0.0006 BTC of 0.002"]);
  floor.must({ ...house, house: false });
  floor.trade(20, 10);
  assert.deepEqual(rows(floor), ["2: 0.03 USDT of 0.1"]);
});

test("contracts: both fees are in the margin coin, at their own rate, in liquidations too", () => {
  const floor = venue();
  floor.must(floor.affiliate(3, "0", "0.8"));
  floor.must(floor.affiliate(2, "0.5", "0.5", 3));
  floor.user(21, 2);
  floor.deposit(21, "USDT", "4000", "contract");
  floor.listContract();
  floor.index("60000");
  floor.must(floor.contractOrder(20, "SELL SHORT", "1", "60000"));
  floor.must(floor.contractOrder(21, "BUY LONG", "1", "60000"));
  // 0.02 % and 0.08 % of 60,000.
  assert.deepEqual(rows(floor), [
    "2: 6 USDT of 12",
    "3 via 2: 3.6 USDT of 12",
    "2: 24 USDT of 48",
    "3 via 2: 14.4 USDT of 48",
  ]);
  floor.must(floor.contractOrder(10, "BUY LONG", "1", "57500"));
  floor.told("contract-order-opened");
  floor.index("56000");
  const [trade] = floor.events.filter(({ type }) => type === "contract-trade");
  assert.equal(trade?.type === "contract-trade" && trade.kind, "liquidation");
  const settled = floor.events.find(({ type }) => type === "liquidation-settled");
  const [direct, above] = floor.told("commission-accrued");
  assert.ok(settled?.type === "liquidation-settled" && direct !== undefined);
  assert.equal(direct.feeMinor, settled.feeMinor, "the fee that could be paid");
  assert.equal(direct.traderUid, 21);
  assert.equal(direct.commissionMinor, settled.feeMinor / 2n);
  assert.equal(textOf(direct.notionalMinor), "57500");
  assert.equal(above?.viaUid, 2);
});
