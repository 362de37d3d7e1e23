/**
 * Goal: a commission is taken back once, whole, and from where the money is: what waits for
 * settlement, then the free spot balance; the rest is owed and kept back later. Method: one
 * affiliate whose money is partly in each place; then everything that must be refused.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture, textOf } from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import type { EventOf } from "../../protocol/index.ts";

/** A trader 10 without an inviter, and 20 invited by the affiliate 2 at 30 %. */
function venue(): AffiliateFixture {
  const floor = new AffiliateFixture(sha256);
  floor.user(2);
  floor.trader(10);
  floor.trader(20, 2);
  floor.must(floor.affiliate(2, "0.3", "0.3"));
  return floor;
}

/** A fill of so many USDT, and the commission of 0.03 % of it. */
function earn(floor: AffiliateFixture, amount: string): EventOf<"commission-accrued"> {
  floor.trade(20, 10, "1", amount);
  const [row] = floor.told("commission-accrued");
  assert.ok(row !== undefined);
  return row;
}

test("first what waits, then what is free, and the rest is owed", () => {
  const floor = venue();
  const first = earn(floor, "100");
  floor.settle();
  floor.withdraw(2, "USDT", "0.02");
  const second = earn(floor, "10");
  floor.told("commission-accrued");
  // 0.1 and 0.01, less the commissions.
  assert.equal(floor.house("USDT", "fees"), "0.077");
  assert.deepEqual(floor.must(floor.reversal(first)), {
    reversalId: 3,
    fromPayable: "0.003",
    fromSpot: "0.01",
    owed: "0.017",
  });
  assert.deepEqual(floor.told("commission-reversed"), [
    {
      type: "commission-reversed",
      actor: "operator",
      reason: "fraud",
      reversalId: 3,
      commissionId: 1,
      affiliateUid: 2,
      traderUid: 20,
      product: "spot",
      symbol: "BTCUSDT",
      asset: "USDT",
      amountMinor: 3_000_000n,
      fromPayableMinor: 300_000n,
      fromSpotMinor: 1_000_000n,
      owedMinor: 1_700_000n,
      spotEquityMinor: 0n,
    },
  ]);
  assert.equal(floor.coming(2, "USDT"), "0/0/0.017");
  assert.equal(floor.house("USDT", "fees"), "0.09");
  assert.equal(floor.engine.nextDueMs, Number.POSITIVE_INFINITY, "nothing waits any more");
  // The money of the second went, but it is a commission of its own.
  assert.equal(floor.must(floor.reversal(second)).owed, "0.003");
  const third = earn(floor, "40");
  assert.equal(third.commissionId, 5, "reversals are numbered with the commissions");
  floor.settle();
  assert.equal(floor.coming(2, "USDT"), "0/0/0.008");
  earn(floor, "100");
  floor.settle();
  const settled = floor.told("commissions-settled").map((event) => {
    return [event.accruedMinor, event.recoveredMinor, event.paidMinor].map(textOf);
  });
  assert.deepEqual(settled, [["0.03", "0.008", "0.022"]]);
  assert.equal(floor.free(2, "USDT"), "0.022");
  assert.equal(floor.coming(2, "USDT"), "none");
});

test("a settlement that is kept back whole is told too", () => {
  const floor = venue();
  const first = earn(floor, "100");
  floor.settle();
  floor.withdraw(2, "USDT", "0.03");
  floor.must(floor.reversal(first));
  earn(floor, "10");
  floor.settle();
  const [settled] = floor.told("commissions-settled");
  assert.deepEqual([settled?.recoveredMinor, settled?.paidMinor], [300_000n, 0n]);
});

test("a held commission goes back whole, and its own record decides what it is", () => {
  const floor = venue();
  floor.policy({ holdSelfReferral: true });
  floor.deposit(2, "USDT", "1");
  floor.must(floor.payment(2, 20, "1"));
  const held = earn(floor, "100");
  assert.ok(held.isHeld);
  const reversal = floor.reversal(held);
  for (const other of [
    { amount: "0.02" },
    { asset: "BTC" },
    { symbol: "ETHBTC" },
    { product: "contract" },
    { traderUid: 10 },
  ] as const) {
    const refusal = floor.refusal({ ...reversal, ...other });
    assert.equal(refusal, "unknown-commission commissionId");
  }
  const answer = floor.must(reversal);
  assert.deepEqual(answer, { reversalId: 2, fromPayable: "0.03", fromSpot: "0", owed: "0" });
  assert.equal(floor.coming(2, "USDT"), "none");
  assert.equal(floor.refusal(floor.release(1)), "unknown-commission commissionId");
});

test("a released commission goes back as any other", () => {
  const floor = venue();
  floor.policy({ holdSelfReferral: true });
  floor.deposit(2, "USDT", "1");
  floor.must(floor.payment(2, 20, "1"));
  const held = earn(floor, "100");
  floor.must(floor.release(held.commissionId));
  floor.settle();
  assert.equal(floor.must(floor.reversal(held)).fromSpot, "0.03");
});

test("only what was earned is taken back, and once", () => {
  const floor = venue();
  const first = earn(floor, "100");
  const reversal = floor.reversal(first);
  for (const [changes, refusal] of [
    [{ reason: "" }, "out-of-range reason"],
    [{ commissionId: 0 }, "unknown-commission commissionId"],
    [{ commissionId: 2 }, "unknown-commission commissionId"],
    [{ affiliateUid: 20 }, "not-an-affiliate affiliateUid"],
    [{ traderUid: 99 }, "unknown-user traderUid"],
    [{ asset: "XYZ" }, "unknown-asset asset"],
    [{ amount: "-1" }, "malformed amount"],
    [{ amount: "0.000000001" }, "excess-precision amount"],
    [{ amount: "0" }, "conflict commissionId"],
  ] as const) {
    assert.equal(floor.refusal({ ...reversal, ...changes }), refusal);
  }
  const { reversalId } = floor.must(reversal);
  assert.equal(floor.refusal(reversal), "conflict commissionId");
  const ofReversal = { ...reversal, commissionId: reversalId };
  assert.equal(floor.refusal(ofReversal), "unknown-commission commissionId");
});
