/**
 * Goal: who is an affiliate, at which rates and below whom. A parent is given once, closes no
 * circle and makes no tree deeper than ten; rates have bounds and versions; what is so already is
 * told nobody. Method: a table of commands, of which the refused ones must leave no trace.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture, START_MS } from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";

function fixtureWith(...uids: readonly number[]): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  for (const uid of uids) fixture.user(uid);
  fixture.emitted("user-registered");
  return fixture;
}

test("rates have bounds, and a version that grows with every change", () => {
  const fixture = fixtureWith(1);
  for (const [spotRate, futuresRate, refusal] of [
    ["0.50000001", "0", "out-of-range spotRate"],
    ["0.5", "0.80000001", "out-of-range futuresRate"],
    ["0.123456789", "0", "excess-precision spotRate"],
    ["0", "0.123456789", "excess-precision futuresRate"],
    ["-0.1", "0", "malformed spotRate"],
    ["0", "", "malformed futuresRate"],
  ] as const) {
    assert.equal(fixture.refusal(fixture.affiliate(1, spotRate, futuresRate)), refusal);
  }
  assert.equal(fixture.refusal(fixture.affiliate(9, "0.1", "0.1")), "unknown-user uid");
  fixture.must(fixture.affiliate(1, "0.5", "0.8"));
  fixture.wait(1000);
  fixture.must(fixture.affiliate(1, "0.500", "0.8"));
  assert.equal(fixture.emitted("affiliate-set").length, 1, "what is so already is not told");
  fixture.must(fixture.affiliate(1, "0.5", "0.00000001"));
  assert.deepEqual(fixture.emitted("affiliate-set"), [
    {
      type: "affiliate-set",
      actor: "operator",
      uid: 1,
      spotRateE8: 50_000_000,
      futuresRateE8: 1,
      parentUid: null,
      depth: 1,
      rateVersion: 2,
    },
  ]);
  assert.deepEqual(fixture.affiliateView(1), {
    uid: 1,
    parentUid: null,
    depth: 1,
    spotRate: "0.5",
    futuresRate: "0.00000001",
    rateVersion: 2,
    ratesSinceMs: START_MS + 1000,
    balances: [],
  });
});

test("a parent is an affiliate, is given once and makes no circle", () => {
  const fixture = fixtureWith(1, 2, 3, 4);
  const set = (uid: number, parentUid: number | null) =>
    fixture.refusal(fixture.affiliate(uid, "0.1", "0.1", parentUid));
  assert.equal(set(1, 2), "not-an-affiliate parentUid");
  assert.equal(set(1, 99), "not-an-affiliate parentUid");
  assert.equal(set(1, 1), "conflict parentUid");
  for (const uid of [1, 2, 3]) assert.equal(set(uid, null), "accepted");
  assert.equal(set(2, 1), "accepted");
  assert.equal(set(3, 2), "accepted");
  assert.equal(set(1, 3), "conflict parentUid");
  assert.equal(set(1, 1), "conflict parentUid");
  assert.equal(set(3, 1), "conflict parentUid");
  assert.equal(set(3, 2), "accepted");
  assert.equal(set(3, null), "accepted");
  assert.equal(set(4, 3), "accepted");
  const depths = fixture.emitted("affiliate-set").map(({ uid, depth, rateVersion }) => {
    return `${uid} at ${depth}, version ${rateVersion}`;
  });
  assert.deepEqual(depths, [
    "1 at 1, version 1",
    "2 at 1, version 1",
    "3 at 1, version 1",
    "2 at 2, version 1",
    "3 at 3, version 1",
    "4 at 4, version 1",
  ]);
  const views = fixture.ask({ type: "affiliates", afterUid: 1, limit: 2 });
  assert.deepEqual(
    views.map(({ uid, parentUid, depth }) => [uid, parentUid, depth]),
    [
      [2, 1, 2],
      [3, 2, 3],
    ],
  );
});

test("ten affiliates stand above one another, whichever end grows", () => {
  const uids = Array.from({ length: 21 }, (_, i) => i + 1);
  const fixture = fixtureWith(...uids);
  const set = (uid: number, parentUid: number | null) =>
    fixture.refusal(fixture.affiliate(uid, "0.1", "0.1", parentUid));
  // Two chains: 1 … 10 and 11 … 15.
  for (let uid = 1; uid <= 10; uid++)
    assert.equal(set(uid, uid === 1 ? null : uid - 1), "accepted");
  for (let uid = 11; uid <= 15; uid++) {
    assert.equal(set(uid, uid === 11 ? null : uid - 1), "accepted");
  }
  assert.equal(set(16, 10), "conflict parentUid");
  assert.equal(set(11, 6), "conflict parentUid");
  assert.equal(set(11, 5), "accepted");
  assert.equal(fixture.affiliateView(15).depth, 10);
  assert.equal(set(16, 15), "conflict parentUid");
  assert.equal(set(16, 14), "accepted");
});

test("whoever is no affiliate has no view", () => {
  const fixture = fixtureWith(1);
  const answer = fixture.engine.query({ type: "affiliate", uid: 1 }, fixture.nowMs);
  assert.equal(answer.ok ? "ok" : answer.reason, "not-an-affiliate");
});
