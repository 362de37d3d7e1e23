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
function setUp(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  fixture.user(2);
  fixture.trader(10);
  fixture.trader(20, 2);
  fixture.must(fixture.affiliate(2, "0.3", "0.3"));
  return fixture;
}

/** A fill of so many USDT, and the commission of 0.03 % of it. */
function earn(fixture: AffiliateFixture, amount: string): EventOf<"commission-accrued"> {
  fixture.trade(20, 10, "1", amount);
  const [row] = fixture.emitted("commission-accrued");
  assert.ok(row !== undefined);
  return row;
}

test("first what waits, then what is free, and the rest is owed", () => {
  const fixture = setUp();
  const first = earn(fixture, "100");
  fixture.settle();
  fixture.withdraw(2, "USDT", "0.02");
  const second = earn(fixture, "10");
  fixture.emitted("commission-accrued");
  // 0.1 and 0.01, less the commissions.
  assert.equal(fixture.house("USDT", "fees"), "0.077");
  assert.deepEqual(fixture.must(fixture.reversal(first)), {
    reversalId: 3,
    fromPayable: "0.003",
    fromSpot: "0.01",
    owed: "0.017",
  });
  assert.deepEqual(fixture.emitted("commission-reversed"), [
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
  assert.equal(fixture.coming(2, "USDT"), "0/0/0.017");
  assert.equal(fixture.house("USDT", "fees"), "0.09");
  assert.equal(fixture.engine.nextDueMs, Number.POSITIVE_INFINITY, "nothing waits any more");
  // The money of the second went, but it is a commission of its own.
  assert.equal(fixture.must(fixture.reversal(second)).owed, "0.003");
  const third = earn(fixture, "40");
  assert.equal(third.commissionId, 5, "reversals are numbered with the commissions");
  fixture.settle();
  assert.equal(fixture.coming(2, "USDT"), "0/0/0.008");
  earn(fixture, "100");
  fixture.settle();
  const settled = fixture.emitted("commissions-settled").map((event) => {
    return [event.accruedMinor, event.recoveredMinor, event.paidMinor].map(textOf);
  });
  assert.deepEqual(settled, [["0.03", "0.008", "0.022"]]);
  assert.equal(fixture.free(2, "USDT"), "0.022");
  assert.equal(fixture.coming(2, "USDT"), "none");
});

test("a settlement that is kept back whole is told too", () => {
  const fixture = setUp();
  const first = earn(fixture, "100");
  fixture.settle();
  fixture.withdraw(2, "USDT", "0.03");
  fixture.must(fixture.reversal(first));
  earn(fixture, "10");
  fixture.settle();
  const [settled] = fixture.emitted("commissions-settled");
  assert.deepEqual([settled?.recoveredMinor, settled?.paidMinor], [300_000n, 0n]);
});

test("a held commission goes back whole, and its own record decides what it is", () => {
  const fixture = setUp();
  fixture.policy({ holdSelfReferral: true });
  fixture.deposit(2, "USDT", "1");
  fixture.must(fixture.payment(2, 20, "1"));
  const held = earn(fixture, "100");
  assert.ok(held.isHeld);
  const reversal = fixture.reversal(held);
  for (const other of [
    { amount: "0.02" },
    { asset: "BTC" },
    { symbol: "ETHBTC" },
    { product: "contract" },
    { traderUid: 10 },
  ] as const) {
    const refusal = fixture.refusal({ ...reversal, ...other });
    assert.equal(refusal, "unknown-commission commissionId");
  }
  const answer = fixture.must(reversal);
  assert.deepEqual(answer, { reversalId: 2, fromPayable: "0.03", fromSpot: "0", owed: "0" });
  assert.equal(fixture.coming(2, "USDT"), "none");
  assert.equal(fixture.refusal(fixture.release(1)), "unknown-commission commissionId");
});

test("a released commission goes back as any other", () => {
  const fixture = setUp();
  fixture.policy({ holdSelfReferral: true });
  fixture.deposit(2, "USDT", "1");
  fixture.must(fixture.payment(2, 20, "1"));
  const held = earn(fixture, "100");
  fixture.must(fixture.release(held.commissionId));
  fixture.settle();
  assert.equal(fixture.must(fixture.reversal(held)).fromSpot, "0.03");
});

test("only what was earned is taken back, and once", () => {
  const fixture = setUp();
  const first = earn(fixture, "100");
  const reversal = fixture.reversal(first);
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
    assert.equal(fixture.refusal({ ...reversal, ...changes }), refusal);
  }
  const { reversalId } = fixture.must(reversal);
  assert.equal(fixture.refusal(reversal), "conflict commissionId");
  const ofReversal = { ...reversal, commissionId: reversalId };
  assert.equal(fixture.refusal(ofReversal), "unknown-commission commissionId");
});
