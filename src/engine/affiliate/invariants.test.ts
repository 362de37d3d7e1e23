/**
 * The full check finds what it is there for: a state with something payable, held and owed is
 * whole, and each of many damages to it is named.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture } from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { restoreState } from "../snapshot.ts";
import type { State } from "../state.ts";
import { checkInvariants } from "../views/invariants.ts";
import { type AffiliateBalance, NEVER_MS } from "./affiliate-state.ts";
import { checkAffiliates } from "./invariants.ts";

/** The affiliate 2 has 0.03 USDT payable and 0.03 held, and owes 0.0006 BTC. */
function fixtureWithBalances(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  fixture.trader(2);
  fixture.trader(10);
  fixture.trader(20, 2);
  fixture.trader(21, 2);
  fixture.must(fixture.affiliate(2, "0.3", "0"));
  fixture.trade(10, 20);
  fixture.settle();
  fixture.withdraw(2, "BTC", fixture.free(2, "BTC"));
  const [row] = fixture.emitted("commission-accrued");
  assert.ok(row !== undefined);
  fixture.must(fixture.reversal(row));
  fixture.policy({ holdSelfReferral: true });
  fixture.must(fixture.payment(2, 21, "1"));
  fixture.trade(20, 10);
  fixture.trade(21, 10);
  assert.equal(fixture.coming(2, "USDT"), "0.03/0.03/0");
  assert.equal(fixture.coming(2, "BTC"), "0/0/0.0006");
  return fixture;
}

const fixture = fixtureWithBalances();
const sections = fixture.engine.snapshotSections();

/** What the check says of the state after a damage. */
function violationsAfter(damage: (state: State, usdt: AffiliateBalance) => void): string[] {
  const state = restoreState(sections, fixture.nowMs, { high: 1, low: 2 });
  const usdt = state.affiliates.byUid.get(2)?.balances.get(0);
  assert.ok(usdt !== undefined);
  damage(state, usdt);
  const violations: string[] = [];
  checkAffiliates(state, violations);
  return violations;
}

test("a state that is whole has no violations", () => {
  assert.deepEqual(
    violationsAfter(() => undefined),
    [],
  );
});

const DAMAGES: Record<string, (state: State, usdt: AffiliateBalance) => void> = {
  "more is payable": (_, usdt) => usdt.payableMinor++,
  "more is held": (_, usdt) => usdt.heldMinor++,
  "less than nothing is owed": (_, usdt) => {
    usdt.owedMinor = -1n;
  },
  "what is held is payable": (_, usdt) => {
    usdt.payableMinor += usdt.heldMinor;
    usdt.heldMinor = 0n;
  },
  "the house account has more": ({ ledger }) => {
    const to = ledger.houseAccount(0, "affiliate-payable");
    ledger.move(ledger.houseAccount(0, "fees"), to, 1n);
  },
  "the running sum is another": ({ affiliates }) => affiliates.outstandingMinor.fill(1n),
  "a held commission is lost": ({ affiliates }) => affiliates.held.clear(),
  "a balance is lost": ({ affiliates }) => affiliates.byUid.get(2)?.balances.delete(0),
  "nobody waits": ({ affiliates }) => affiliates.waiting.clear(),
  "nothing is due": ({ affiliates }) => {
    affiliates.settlementDueMs = NEVER_MS;
  },
  "a tree is too deep": ({ affiliates }, { affiliate }) => {
    let parent = affiliate;
    for (let i = 0; i < 10; i++) parent = { ...parent, balances: new Map(), parent };
    affiliates.byUid.set(3, parent);
  },
};

for (const [name, damage] of Object.entries(DAMAGES)) {
  test(`found: ${name}`, () => {
    assert.notDeepEqual(violationsAfter(damage), []);
  });
}

test("an operator is told, with what is wrong elsewhere", () => {
  const state = restoreState(sections, fixture.nowMs, { high: 1, low: 2 });
  assert.deepEqual(checkInvariants(state).violations, []);
  state.affiliates.waiting.clear();
  const found: string[] = [];
  checkAffiliates(state, found);
  assert.ok(found.length > 0);
  assert.deepEqual(checkInvariants(state).violations, found);
});
