/**
 * Goal: an affiliate pays whoever stands below, and nobody else; a request id makes a payment
 * happen once. Method: a tree with invitees on each level and beside it, and every pair of it.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture } from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";

/** The affiliates 1 ← 2 ← 3 and 4 apart, with the invitees 10, 20, 30 and 40. */
function setUp(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  for (const uid of [1, 2, 3, 4]) fixture.user(uid);
  for (const uid of [1, 2, 3, 4]) fixture.user(10 * uid, uid);
  for (const [uid, parentUid] of [
    [1, null],
    [2, 1],
    [3, 2],
    [4, null],
  ] as const) {
    fixture.must(fixture.affiliate(uid, "0.1", "0.1", parentUid));
    fixture.deposit(uid, "USDT", "100");
  }
  fixture.emitted("affiliate-set");
  return fixture;
}

test("to direct invitees and affiliates of the own tree, downwards", () => {
  const fixture = setUp();
  const uids = [1, 2, 3, 4, 10, 20, 30, 40];
  const allowed = new Map([
    [1, [2, 3, 10, 20, 30]],
    [2, [3, 20, 30]],
    [3, [30]],
    [4, [40]],
  ]);
  for (const uid of uids) {
    for (const toUid of uids) {
      const isAllowed = allowed.get(uid)?.includes(toUid) === true;
      const refusal = uid >= 10 ? "not-an-affiliate uid" : "unknown-user toUid";
      const expected = isAllowed ? "accepted" : refusal;
      assert.equal(
        fixture.refusal(fixture.payment(uid, toUid, "1")),
        expected,
        `${uid} → ${toUid}`,
      );
    }
  }
  assert.equal(fixture.free(30, "USDT"), "3");
  assert.equal(fixture.free(1, "USDT"), "95");
  const [first] = fixture.emitted("internal-withdrawal-made");
  assert.deepEqual(first, {
    type: "internal-withdrawal-made",
    withdrawalId: 1,
    requestId: null,
    uid: 1,
    toUid: 2,
    asset: "USDT",
    amountMinor: 100_000_000n,
    spotEquityMinor: 9_900_000_000n,
    toSpotEquityMinor: 10_100_000_000n,
  });
});

test("no affiliate pays itself, not even as an invitee of one below", () => {
  const fixture = setUp();
  fixture.user(5, 3);
  fixture.must(fixture.affiliate(5, "0.1", "0.1"));
  fixture.deposit(5, "USDT", "1");
  fixture.user(6);
  fixture.must(fixture.affiliate(6, "0.1", "0.1", 5));
  assert.equal(fixture.refusal(fixture.payment(5, 5, "1")), "unknown-user toUid");
  assert.equal(fixture.refusal(fixture.payment(5, 6, "1")), "accepted");
});

test("what cannot be paid is refused by field", () => {
  const fixture = setUp();
  const payment = fixture.payment(1, 10, "1");
  for (const [changes, refusal] of [
    [{ uid: 99 }, "unknown-user uid"],
    [{ toUid: 99 }, "unknown-user toUid"],
    [{ asset: "XYZ" }, "unknown-asset asset"],
    [{ amount: "0" }, "out-of-range amount"],
    [{ amount: "1e3" }, "malformed amount"],
    [{ amount: "0.000000001" }, "excess-precision amount"],
    [{ amount: "100.00000001" }, "insufficient-balance amount"],
  ] as const) {
    assert.equal(fixture.refusal({ ...payment, ...changes }), refusal);
  }
  const frozen = { kyc: null, state: "frozen", selfTradePrevention: null } as const;
  fixture.must({ type: "update-user", actor: "operator", uid: 1, ...frozen });
  assert.equal(fixture.refusal(payment), "user-frozen null");
  fixture.must({ type: "update-user", actor: "operator", uid: 10, ...frozen });
  assert.equal(fixture.refusal(fixture.payment(2, 20, "100")), "accepted");
});

test("a request id pays once; without one every command does", () => {
  const fixture = setUp();
  assert.deepEqual(fixture.must(fixture.payment(1, 10, "1", "one")), { withdrawalId: 1 });
  assert.deepEqual(fixture.must(fixture.payment(2, 20, "1", "one")), { withdrawalId: 2 });
  fixture.emitted("internal-withdrawal-made");
  assert.deepEqual(fixture.must(fixture.payment(1, 10, "1.0", "one")), { withdrawalId: 1 });
  assert.deepEqual(fixture.events, [], "a repetition is told nobody");
  for (const other of [{ toUid: 20 }, { amount: "2" }, { asset: "BTC" }]) {
    const changed = { ...fixture.payment(1, 10, "1", "one"), ...other };
    assert.equal(fixture.refusal(changed), "conflict requestId");
  }
  for (const withdrawalId of [3, 4]) {
    assert.deepEqual(fixture.must(fixture.payment(1, 10, "1")), { withdrawalId });
  }
  assert.equal(fixture.free(10, "USDT"), "3");
  const movement = { command: "withdraw-internally", uid: 1, requestId: "one" } as const;
  assert.deepEqual(fixture.ask({ type: "funds-movement", ...movement }), {
    uid: 1,
    requestId: "one",
    asset: "USDT",
    amount: "1",
    balance: "99",
    from: "spot",
    to: "10",
    timestampMs: fixture.nowMs,
  });
});
