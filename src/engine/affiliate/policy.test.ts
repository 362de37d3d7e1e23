/**
 * Goal: what the policy cuts and what it holds. Method: fills whose commissions are round, so that
 * a cap is reached in the middle of one; users who are related in each of the ways that count; and
 * days that go by until the oldest fill no longer counts.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture, rowText } from "../../../test/support/engine/affiliate-fixture.ts";
import { ContractFixture } from "../../../test/support/engine/contract-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { accrueCommissions, HELD_COMMISSIONS_MAX } from "./accrual.ts";
import type { HeldCommission } from "./affiliate-state.ts";
import { setAffiliatePolicy } from "./policy.ts";
import { link } from "./suspicions.ts";
import { setAffiliate } from "./tree.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A trader 10 without an inviter, and 20 and 21 invited by the affiliate 2 at 30 %. */
function setUp(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  fixture.user(1);
  fixture.trader(2);
  fixture.trader(10);
  fixture.trader(20, 2);
  fixture.trader(21, 2);
  fixture.must(fixture.affiliate(1, "0.5", "0"));
  fixture.must(fixture.affiliate(2, "0.3", "0"));
  return fixture;
}

function rows(fixture: AffiliateFixture): string[] {
  return fixture.emitted("commission-accrued").map(rowText);
}

test("a policy has bounds, and one that is in force already is not told", () => {
  const fixture = setUp();
  const policy = {
    type: "set-affiliate-policy",
    actor: "operator",
    capPerReferral30d: null,
    holdSelfReferral: true,
    holdWashTrades: false,
    washTradeShare: "0.25",
  } as const;
  for (const [changes, refusal] of [
    [{ capPerReferral30d: "-1" }, "malformed capPerReferral30d"],
    [{ capPerReferral30d: "0.123456789" }, "excess-precision capPerReferral30d"],
    [{ washTradeShare: "1.00000001" }, "out-of-range washTradeShare"],
    [{ washTradeShare: "half" }, "malformed washTradeShare"],
  ] as const) {
    assert.equal(fixture.refusal({ ...policy, ...changes }), refusal);
  }
  const off = { capPerReferral30d: null, holdSelfReferral: false, holdWashTrades: false };
  assert.deepEqual(fixture.ask({ type: "affiliate-policy" }), { ...off, washTradeShare: "0.5" });
  fixture.must({ ...policy, capPerReferral30d: "10.50" });
  fixture.must({ ...policy, capPerReferral30d: "10.5" });
  assert.deepEqual(fixture.emitted("affiliate-policy-set"), [
    {
      type: "affiliate-policy-set",
      actor: "operator",
      capPerReferral30dE8: 1_050_000_000n,
      holdSelfReferral: true,
      holdWashTrades: false,
      washTradeShareE8: 25_000_000,
    },
  ]);
  assert.deepEqual(fixture.ask({ type: "affiliate-policy" }), {
    capPerReferral30d: "10.5",
    holdSelfReferral: true,
    holdWashTrades: false,
    washTradeShare: "0.25",
  });
});

test("a cap cuts what would exceed it, per affiliate and user", () => {
  const fixture = setUp();
  fixture.trade(20, 10);
  fixture.policy({ capPerReferral30d: "0.05" });
  fixture.must(fixture.affiliate(2, "0.3", "0", 1));
  for (let i = 0; i < 3; i++) fixture.trade(20, 10);
  fixture.trade(21, 10);
  assert.deepEqual(rows(fixture), [
    // Before there was a cap.
    "2: 0.03 USDT of 0.1",
    "2: 0.03 USDT of 0.1",
    "1 via 2: 0.02 USDT of 0.1",
    "2: 0.02 USDT of 0.1, 0.01 capped",
    "1 via 2: 0.02 USDT of 0.1",
    "2: 0 USDT of 0.1, 0.03 capped",
    "1 via 2: 0.01 USDT of 0.1, 0.01 capped",
    "2: 0.03 USDT of 0.1",
    "1 via 2: 0.02 USDT of 0.1",
  ]);
  // What was cut stays with the fees.
  assert.equal(fixture.house("USDT", "affiliate-payable"), "0.18");
  assert.equal(fixture.house("USDT", "fees"), "0.32");
});

test("a cap counts the day and the 29 before, in UTC", () => {
  const fixture = setUp();
  fixture.policy({ capPerReferral30d: "0.03" });
  fixture.trade(20, 10);
  fixture.wait(29 * DAY_MS + 15 * 60 * 60 * 1000);
  fixture.trade(20, 10);
  // Ten minutes to midnight were left, and now there are none.
  fixture.wait(60 * 60 * 1000);
  fixture.trade(20, 10);
  fixture.trade(20, 10);
  assert.deepEqual(rows(fixture), [
    "2: 0.03 USDT of 0.1",
    "2: 0 USDT of 0.1, 0.03 capped",
    "2: 0.03 USDT of 0.1",
    "2: 0 USDT of 0.1, 0.03 capped",
  ]);
});

test("a cap in USDT measures other coins at their last price, and forgets when it ends", () => {
  const fixture = setUp();
  fixture.policy({ capPerReferral30d: "0.1" });
  // 0.0006 BTC at 100 and then at 200 USDT.
  fixture.trade(10, 20);
  fixture.trade(10, 20, "1", "200");
  fixture.trade(10, 20, "1", "200");
  // Nobody knows what ETH is worth in USDT.
  for (let i = 0; i < 3; i++) fixture.trade(10, 20, "1000", "0.01", "ETHBTC");
  assert.deepEqual(rows(fixture), [
    "2: 0.0006 BTC of 0.002",
    "2: 0.0002 BTC of 0.002, 0.0004 capped",
    "2: 0 BTC of 0.002, 0.0006 capped",
    "2: 0.6 ETH of 2",
    "2: 0.6 ETH of 2",
    "2: 0.6 ETH of 2",
  ]);
  fixture.policy();
  fixture.policy({ capPerReferral30d: "0.1" });
  fixture.trade(20, 10);
  assert.deepEqual(rows(fixture), ["2: 0.03 USDT of 0.1"]);
});

test("what an affiliate earns on itself, or on whom it paid, is held", () => {
  const fixture = setUp();
  fixture.policy({ holdSelfReferral: true });
  fixture.must(fixture.affiliate(20, "0.5", "0"));
  fixture.must(fixture.affiliate(2, "0.3", "0", 20));
  fixture.trade(20, 10);
  fixture.must(fixture.payment(2, 21, "1"));
  fixture.trade(21, 10);
  fixture.must(fixture.payment(20, 2, "1"));
  fixture.trade(2, 10);
  assert.deepEqual(rows(fixture), [
    "2: 0.03 USDT of 0.1",
    "20 via 2: 0.02 USDT of 0.1, self-referral, held",
    "2: 0.03 USDT of 0.1, self-referral, held",
    "20 via 2: 0.02 USDT of 0.1",
  ]);
  assert.equal(fixture.coming(2, "USDT"), "0.03/0.03/0");
  assert.equal(fixture.coming(20, "USDT"), "0.02/0.02/0");
  fixture.policy();
  fixture.trade(21, 10);
  assert.deepEqual(rows(fixture), ["2: 0.03 USDT of 0.1", "20 via 2: 0.02 USDT of 0.1"]);
});

test("trades among users of one affiliate are held once they are too much of all", () => {
  const fixture = setUp();
  fixture.policy({ holdWashTrades: true });
  fixture.trade(20, 10);
  fixture.trade(20, 21);
  assert.deepEqual(rows(fixture), [
    "2: 0.03 USDT of 0.1",
    // Half of 200 is not more than half; all of 100 is.
    "2: 0.03 USDT of 0.1",
    "2: 0.0006 BTC of 0.002, wash-trade, held",
  ]);
  fixture.trade(20, 21, "0.5");
  fixture.trade(20, 10, "0.5");
  fixture.trade(21, 10, "0.5");
  fixture.trade(20, 21, "0.5");
  assert.deepEqual(rows(fixture), [
    // 150 of 250, and 150 of 150.
    "2: 0.015 USDT of 0.05, wash-trade, held",
    "2: 0.0003 BTC of 0.001, wash-trade, held",
    // The other side is nobody's.
    "2: 0.015 USDT of 0.05",
    "2: 0.015 USDT of 0.05",
    // 200 of 350, and 200 of 250.
    "2: 0.015 USDT of 0.05, wash-trade, held",
    "2: 0.0003 BTC of 0.001, wash-trade, held",
  ]);
  // With the affiliate itself, from either side.
  fixture.user(3);
  fixture.must(fixture.affiliate(20, "0.1", "0"));
  fixture.trader(22, 20);
  fixture.trade(22, 20);
  assert.deepEqual(rows(fixture), [
    "20: 0.01 USDT of 0.1, wash-trade, held",
    // 300 of 450.
    "2: 0.0006 BTC of 0.002, wash-trade, held",
  ]);
});

test("volume is counted while wash trades are looked for, for 30 UTC days", () => {
  const fixture = setUp();
  fixture.trade(20, 10, "10");
  fixture.policy({ holdWashTrades: true });
  fixture.trade(20, 10);
  fixture.wait(30 * DAY_MS);
  fixture.emitted("spot-trade");
  // The volume of before the switch and that of 30 days ago do not count any more.
  fixture.trade(20, 21, "0.1");
  assert.deepEqual(rows(fixture), [
    "2: 0.003 USDT of 0.01, wash-trade, held",
    "2: 0.00006 BTC of 0.0002, wash-trade, held",
  ]);
  fixture.policy();
  fixture.policy({ holdWashTrades: true });
  fixture.trade(20, 10);
  fixture.trade(20, 21);
  assert.equal(rows(fixture)[1], "2: 0.03 USDT of 0.1");
});

test("no more commissions are held than may be: what would be one more is not earned", () => {
  const fixture = new ContractFixture();
  const market = fixture.list();
  const trader = { ...fixture.user(20, market, 1n), inviterUid: 2 };
  const counterparty = fixture.user(10, market, 1n);
  fixture.user(2, market, 1n);
  const { state } = fixture;
  state.users.set(20, trader);
  const rates = { uid: 2, spotRate: "0.5", futuresRate: "0", parentUid: null };
  assert.ok(setAffiliate(fixture, { type: "set-affiliate", actor: "", ...rates }).ok);
  const switches = { holdSelfReferral: true, holdWashTrades: false, washTradeShare: "0" };
  const policy = { type: "set-affiliate-policy", actor: "", capPerReferral30d: null } as const;
  assert.ok(setAffiliatePolicy(fixture, { ...policy, ...switches }).ok);
  link(state.affiliates, 2, 20);
  const { quoteAsset } = market.rules;
  const { ledger } = state;
  const external = ledger.houseAccount(quoteAsset.index, "external");
  ledger.move(external, ledger.houseAccount(quoteAsset.index, "fees"), 1000n);
  const side = { feeAsset: quoteAsset, feeMinor: 10n };
  const accrueOnce = () =>
    accrueCommissions(fixture, {
      product: "spot",
      symbol: "BTCUSDT",
      tradeId: 1,
      quoteAsset,
      notionalMinor: 1n,
      maker: { ...side, trader },
      taker: { ...side, trader: counterparty },
    });
  const { held } = state.affiliates;
  for (let id = -1; held.size < HELD_COMMISSIONS_MAX - 1; id--) held.set(id, {} as HeldCommission);
  fixture.events = [];
  accrueOnce();
  accrueOnce();
  const emitted = fixture.emitted("commission-accrued");
  assert.deepEqual(
    emitted.map(({ commissionMinor, cappedMinor, isHeld, flags }) => [
      commissionMinor,
      cappedMinor,
      isHeld,
      ...flags,
    ]),
    [
      [5n, 0n, true, "self-referral"],
      [0n, 5n, false, "self-referral"],
    ],
  );
  // What nobody holds needs no room.
  assert.ok(setAffiliatePolicy(fixture, { ...policy, ...switches, holdSelfReferral: false }).ok);
  accrueOnce();
  const last = fixture.emitted("commission-accrued").at(-1);
  assert.deepEqual([last?.commissionMinor, last?.isHeld, last?.flags], [5n, false, []]);
});
