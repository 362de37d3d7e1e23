/**
 * Goal: what is payable is paid at the next full hour, once and to the last unit, with or without
 * contract markets and restarts. Method: examples by the clock, each through two engines of which
 * one is restored after every command.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  AffiliateFixture,
  START_MS,
  textOf,
} from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";

const HOUR_MS = 60 * 60 * 1000;
const FIRST_HOUR_MS = START_MS + 50 * 60 * 1000;
const NEVER_MS = Number.POSITIVE_INFINITY;

/** A trader 10 without an inviter, and 20 invited by the affiliate 2, below 1. */
function setUp(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  for (const uid of [1, 2]) fixture.user(uid);
  fixture.trader(10);
  fixture.trader(20, 2);
  fixture.must(fixture.affiliate(1, "0.5", "0.5"));
  fixture.must(fixture.affiliate(2, "0.3", "0.3", 1));
  fixture.emitted("affiliate-set");
  return fixture;
}

function settlements(fixture: AffiliateFixture): string[] {
  return fixture.emitted("commissions-settled").map((event) => {
    const { settlementId, affiliateUid, asset, accruedMinor, recoveredMinor, paidMinor } = event;
    const amounts = [accruedMinor, recoveredMinor, paidMinor].map(textOf).join(" - ");
    const upto = `up to ${event.uptoCommissionId}`;
    const equity = textOf(event.spotEquityMinor);
    return `${settlementId}: ${affiliateUid} ${amounts} ${asset}, ${upto}, has ${equity}`;
  });
}

test("at the next full hour, by affiliate and asset, and only when there is something", () => {
  const fixture = setUp();
  assert.equal(fixture.engine.nextDueMs, NEVER_MS);
  fixture.trade(10, 20);
  assert.equal(fixture.engine.nextDueMs, FIRST_HOUR_MS);
  fixture.wait(FIRST_HOUR_MS - START_MS - 1);
  fixture.trade(20, 10);
  assert.deepEqual(settlements(fixture), []);
  fixture.wait(1);
  assert.deepEqual(
    fixture.events.filter(({ type }) => type === "timer-fired"),
    [{ type: "timer-fired", timestampMs: FIRST_HOUR_MS }],
  );
  assert.deepEqual(settlements(fixture), [
    "1: 1 0.02 - 0 - 0.02 USDT, up to 4, has 0.02",
    "2: 1 0.0004 - 0 - 0.0004 BTC, up to 4, has 0.0004",
    "3: 2 0.03 - 0 - 0.03 USDT, up to 4, has 0.03",
    "4: 2 0.0006 - 0 - 0.0006 BTC, up to 4, has 0.0006",
  ]);
  assert.equal(fixture.free(2, "BTC"), "0.0006");
  assert.equal(fixture.house("USDT", "affiliate-payable"), "0");
  assert.equal(fixture.coming(2, "USDT"), "none");
  assert.equal(fixture.engine.nextDueMs, NEVER_MS);
  // On the hour: not at this one any more.
  fixture.trade(20, 10);
  assert.equal(fixture.engine.nextDueMs, FIRST_HOUR_MS + HOUR_MS);
});

test("a timer that comes late still fires at its own time, and once", () => {
  const fixture = setUp();
  fixture.trade(20, 10);
  fixture.wait(5 * HOUR_MS);
  assert.deepEqual(
    fixture.events.find(({ type }) => type === "timer-fired"),
    {
      type: "timer-fired",
      timestampMs: FIRST_HOUR_MS,
    },
  );
  assert.equal(settlements(fixture).length, 2);
});

test("after a restart whose hour was missed, once and at the time of the start", () => {
  const fixture = setUp();
  fixture.must({ type: "resume" });
  assert.deepEqual(fixture.events, [], "a restart in between leaves no trace");
  fixture.trade(20, 10);
  fixture.must({ type: "resume" });
  assert.deepEqual(settlements(fixture), []);
  fixture.nowMs += 3 * HOUR_MS;
  fixture.must({ type: "resume" });
  const types = fixture.events.map(({ type }) => type);
  assert.deepEqual(types, ["resumed", "commissions-settled", "commissions-settled"]);
  assert.equal(fixture.free(2, "USDT"), "0.03");
  assert.equal(fixture.engine.nextDueMs, NEVER_MS);
});

test("an operator does not wait", () => {
  const fixture = setUp();
  const ask = { type: "settle-commissions", actor: "operator", reason: "early" } as const;
  assert.equal(fixture.refusal({ ...ask, reason: "" }), "out-of-range reason");
  assert.equal(fixture.refusal({ ...ask, reason: "x".repeat(501) }), "out-of-range reason");
  assert.equal(fixture.settle(), 0);
  assert.deepEqual(fixture.events, [], "nothing was there to be settled");
  fixture.trade(20, 10);
  fixture.emitted("spot-trade");
  assert.equal(fixture.settle(), 2);
  assert.deepEqual(
    fixture.events.map(({ type }) => type),
    ["settlement-asked", "commissions-settled", "commissions-settled"],
  );
  assert.equal(fixture.engine.nextDueMs, NEVER_MS);
});

test("frozen affiliates are paid too", () => {
  const fixture = setUp();
  const frozen = { kyc: null, state: "frozen", selfTradePrevention: null } as const;
  fixture.must({ type: "update-user", actor: "operator", uid: 2, ...frozen });
  fixture.trade(20, 10);
  fixture.wait(HOUR_MS);
  assert.equal(fixture.free(2, "USDT"), "0.03");
});

test("what is held waits for its release, and makes nothing due before", () => {
  const fixture = setUp();
  fixture.policy({ holdSelfReferral: true });
  fixture.deposit(2, "USDT", "1");
  fixture.must(fixture.payment(2, 20, "1"));
  fixture.trade(20, 10);
  assert.equal(fixture.settle(), 1, "what stands above is not held");
  assert.equal(fixture.engine.nextDueMs, NEVER_MS);
  assert.equal(fixture.coming(2, "USDT"), "0/0.03/0");
  fixture.wait(7 * HOUR_MS);
  const [held] = fixture.ask({
    type: "held-commissions",
    affiliateUid: 2,
    afterCommissionId: 0,
    limit: 10,
  });
  assert.ok(held !== undefined);
  assert.deepEqual(held, {
    commissionId: 1,
    affiliateUid: 2,
    traderUid: 20,
    product: "spot",
    symbol: "BTCUSDT",
    asset: "USDT",
    amount: "0.03",
    flags: ["self-referral"],
    timestampMs: START_MS,
  });
  const release = fixture.release(held.commissionId);
  assert.equal(fixture.refusal({ ...release, reason: "" }), "out-of-range reason");
  assert.equal(fixture.refusal({ ...release, commissionId: 2 }), "unknown-commission commissionId");
  fixture.must(release);
  assert.equal(fixture.refusal(release), "unknown-commission commissionId");
  assert.equal(fixture.engine.nextDueMs, FIRST_HOUR_MS + 7 * HOUR_MS);
  assert.equal(fixture.coming(2, "USDT"), "0.03/0/0");
  fixture.wait(HOUR_MS);
  assert.equal(fixture.free(2, "USDT"), "0.03");
});

test("held commissions are listed by id, of one affiliate or of all", () => {
  const fixture = setUp();
  fixture.policy({ holdWashTrades: true, washTradeShare: "0" });
  fixture.trader(21, 2);
  for (let i = 0; i < 2; i++) fixture.trade(20, 21);
  const ids = (affiliateUid: number | null, afterCommissionId: number, limit: number) => {
    const query = { affiliateUid, afterCommissionId, limit };
    const views = fixture.ask({ type: "held-commissions", ...query });
    return views.map(({ commissionId }) => commissionId);
  };
  assert.deepEqual(ids(null, 0, 100), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(ids(null, 3, 3), [4, 5, 6]);
  assert.deepEqual(ids(1, 2, 100), [4, 6, 8]);
});

test("beside contract timers: behind the funding slot of the same time", () => {
  const fixture = setUp();
  fixture.listContract();
  fixture.index("100");
  fixture.must(fixture.contractOrder(10, "SELL SHORT", "1", "100"));
  fixture.must(fixture.contractOrder(20, "BUY LONG", "1", "100"));
  // Funding is due at 16:00.
  fixture.wait(7 * HOUR_MS + 30 * 60 * 1000);
  fixture.trade(20, 10);
  fixture.emitted("spot-trade");
  fixture.wait(HOUR_MS);
  const isTimer = (type: string) => type === "funding-settled" || type === "commissions-settled";
  const types = fixture.events.map(({ type }) => type).filter(isTimer);
  assert.deepEqual(types, ["funding-settled", "commissions-settled", "commissions-settled"]);
});

test("in the middle of timers that are cut, it still fires at its own time", () => {
  const fixture = setUp();
  for (let i = 0; i < 22; i++) {
    const symbol = `BTC${String.fromCharCode(65 + i)}USDT`;
    fixture.listContract({ symbol, fundingIntervalMinutes: 1 });
    fixture.index("100", symbol);
  }
  fixture.trade(20, 10);
  fixture.emitted("spot-trade");
  const { sequence } = fixture;
  fixture.wait(2 * HOUR_MS);
  assert.ok(fixture.sequence > sequence + 2, "one command was not enough");
  let atMs = 0;
  const paidAtMs: number[] = [];
  for (const event of fixture.events) {
    if (event.type === "timer-fired") atMs = event.timestampMs;
    if (event.type === "commissions-settled") paidAtMs.push(atMs);
  }
  assert.deepEqual(paidAtMs, [FIRST_HOUR_MS, FIRST_HOUR_MS]);
});
