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
function venue(): AffiliateFixture {
  const floor = new AffiliateFixture(sha256);
  for (const uid of [1, 2]) floor.user(uid);
  floor.trader(10);
  floor.trader(20, 2);
  floor.must(floor.affiliate(1, "0.5", "0.5"));
  floor.must(floor.affiliate(2, "0.3", "0.3", 1));
  floor.told("affiliate-set");
  return floor;
}

function settlements(floor: AffiliateFixture): string[] {
  return floor.told("commissions-settled").map((event) => {
    const { settlementId, affiliateUid, asset, accruedMinor, recoveredMinor, paidMinor } = event;
    const amounts = [accruedMinor, recoveredMinor, paidMinor].map(textOf).join(" - ");
    const upto = `up to ${event.uptoCommissionId}`;
    const equity = textOf(event.spotEquityMinor);
    return `${settlementId}: ${affiliateUid} ${amounts} ${asset}, ${upto}, has ${equity}`;
  });
}

test("at the next full hour, by affiliate and asset, and only when there is something", () => {
  const floor = venue();
  assert.equal(floor.engine.nextDueMs, NEVER_MS);
  floor.trade(10, 20);
  assert.equal(floor.engine.nextDueMs, FIRST_HOUR_MS);
  floor.wait(FIRST_HOUR_MS - START_MS - 1);
  floor.trade(20, 10);
  assert.deepEqual(settlements(floor), []);
  floor.wait(1);
  assert.deepEqual(
    floor.events.filter(({ type }) => type === "timer-fired"),
    [{ type: "timer-fired", timestampMs: FIRST_HOUR_MS }],
  );
  assert.deepEqual(settlements(floor), [
    "1: 1 0.02 - 0 - 0.02 USDT, up to 4, has 0.02",
    "2: 1 0.0004 - 0 - 0.0004 BTC, up to 4, has 0.0004",
    "3: 2 0.03 - 0 - 0.03 USDT, up to 4, has 0.03",
    "4: 2 0.0006 - 0 - 0.0006 BTC, up to 4, has 0.0006",
  ]);
  assert.equal(floor.free(2, "BTC"), "0.0006");
  assert.equal(floor.house("USDT", "affiliate-payable"), "0");
  assert.equal(floor.coming(2, "USDT"), "none");
  assert.equal(floor.engine.nextDueMs, NEVER_MS);
  // On the hour: not at this one any more.
  floor.trade(20, 10);
  assert.equal(floor.engine.nextDueMs, FIRST_HOUR_MS + HOUR_MS);
});

test("a timer that comes late still fires at its own time, and once", () => {
  const floor = venue();
  floor.trade(20, 10);
  floor.wait(5 * HOUR_MS);
  assert.deepEqual(
    floor.events.find(({ type }) => type === "timer-fired"),
    {
      type: "timer-fired",
      timestampMs: FIRST_HOUR_MS,
    },
  );
  assert.equal(settlements(floor).length, 2);
});

test("after a restart whose hour was missed, once and at the time of the start", () => {
  const floor = venue();
  floor.must({ type: "resume" });
  assert.deepEqual(floor.events, [], "a restart in between leaves no trace");
  floor.trade(20, 10);
  floor.must({ type: "resume" });
  assert.deepEqual(settlements(floor), []);
  floor.nowMs += 3 * HOUR_MS;
  floor.must({ type: "resume" });
  const types = floor.events.map(({ type }) => type);
  assert.deepEqual(types, ["resumed", "commissions-settled", "commissions-settled"]);
  assert.equal(floor.free(2, "USDT"), "0.03");
  assert.equal(floor.engine.nextDueMs, NEVER_MS);
});

test("an operator does not wait", () => {
  const floor = venue();
  const ask = { type: "settle-commissions", actor: "operator", reason: "early" } as const;
  assert.equal(floor.refusal({ ...ask, reason: "" }), "out-of-range reason");
  assert.equal(floor.refusal({ ...ask, reason: "x".repeat(501) }), "out-of-range reason");
  assert.equal(floor.settle(), 0);
  assert.deepEqual(floor.events, [], "nothing was there to be settled");
  floor.trade(20, 10);
  floor.told("spot-trade");
  assert.equal(floor.settle(), 2);
  assert.deepEqual(
    floor.events.map(({ type }) => type),
    ["settlement-asked", "commissions-settled", "commissions-settled"],
  );
  assert.equal(floor.engine.nextDueMs, NEVER_MS);
});

test("frozen affiliates are paid too", () => {
  const floor = venue();
  const frozen = { kyc: null, state: "frozen", selfTradePrevention: null } as const;
  floor.must({ type: "update-user", actor: "operator", uid: 2, ...frozen });
  floor.trade(20, 10);
  floor.wait(HOUR_MS);
  assert.equal(floor.free(2, "USDT"), "0.03");
});

test("what is held waits for its release, and makes nothing due before", () => {
  const floor = venue();
  floor.policy({ holdSelfReferral: true });
  floor.deposit(2, "USDT", "1");
  floor.must(floor.payment(2, 20, "1"));
  floor.trade(20, 10);
  assert.equal(floor.settle(), 1, "what stands above is not held");
  assert.equal(floor.engine.nextDueMs, NEVER_MS);
  assert.equal(floor.coming(2, "USDT"), "0/0.03/0");
  floor.wait(7 * HOUR_MS);
  const [held] = floor.ask({
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
  const release = floor.release(held.commissionId);
  assert.equal(floor.refusal({ ...release, reason: "" }), "out-of-range reason");
  assert.equal(floor.refusal({ ...release, commissionId: 2 }), "unknown-commission commissionId");
  floor.must(release);
  assert.equal(floor.refusal(release), "unknown-commission commissionId");
  assert.equal(floor.engine.nextDueMs, FIRST_HOUR_MS + 7 * HOUR_MS);
  assert.equal(floor.coming(2, "USDT"), "0.03/0/0");
  floor.wait(HOUR_MS);
  assert.equal(floor.free(2, "USDT"), "0.03");
});

test("held commissions are listed by id, of one affiliate or of all", () => {
  const floor = venue();
  floor.policy({ holdWashTrades: true, washTradeShare: "0" });
  floor.trader(21, 2);
  for (let i = 0; i < 2; i++) floor.trade(20, 21);
  const ids = (affiliateUid: number | null, afterCommissionId: number, limit: number) => {
    const query = { affiliateUid, afterCommissionId, limit };
    const views = floor.ask({ type: "held-commissions", ...query });
    return views.map(({ commissionId }) => commissionId);
  };
  assert.deepEqual(ids(null, 0, 100), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(ids(null, 3, 3), [4, 5, 6]);
  assert.deepEqual(ids(1, 2, 100), [4, 6, 8]);
});

test("beside contract timers: behind the funding slot of the same time", () => {
  const floor = venue();
  floor.listContract();
  floor.index("100");
  floor.must(floor.contractOrder(10, "SELL SHORT", "1", "100"));
  floor.must(floor.contractOrder(20, "BUY LONG", "1", "100"));
  // Funding is due at 16:00.
  floor.wait(7 * HOUR_MS + 30 * 60 * 1000);
  floor.trade(20, 10);
  floor.told("spot-trade");
  floor.wait(HOUR_MS);
  const isTimer = (type: string) => type === "funding-settled" || type === "commissions-settled";
  const types = floor.events.map(({ type }) => type).filter(isTimer);
  assert.deepEqual(types, ["funding-settled", "commissions-settled", "commissions-settled"]);
});

test("in the middle of timers that are cut, it still fires at its own time", () => {
  const floor = venue();
  for (let i = 0; i < 22; i++) {
    const symbol = `BTC${String.fromCharCode(65 + i)}USDT`;
    floor.listContract({ symbol, fundingIntervalMinutes: 1 });
    floor.index("100", symbol);
  }
  floor.trade(20, 10);
  floor.told("spot-trade");
  const { sequence } = floor;
  floor.wait(2 * HOUR_MS);
  assert.ok(floor.sequence > sequence + 2, "one command was not enough");
  let atMs = 0;
  const paidAtMs: number[] = [];
  for (const event of floor.events) {
    if (event.type === "timer-fired") atMs = event.timestampMs;
    if (event.type === "commissions-settled") paidAtMs.push(atMs);
  }
  assert.deepEqual(paidAtMs, [FIRST_HOUR_MS, FIRST_HOUR_MS]);
});
