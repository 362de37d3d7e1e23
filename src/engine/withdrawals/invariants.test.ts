/**
 * The check of withdrawals is silent on a sound state, whatever became of them, and names what is
 * off by as little as one; an operator is told with the rest.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture } from "../../../test/support/engine/affiliate-fixture.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { restoreState } from "../snapshot.ts";
import type { State } from "../state.ts";
import { checkInvariants } from "../views/invariants.ts";
import { checkWithdrawals } from "./invariants.ts";
import { countKey, type Withdrawal, Withdrawals } from "./withdrawal-state.ts";

const ACTOR = "operator";
const ASSET = "USDT";
const OPEN = 10;
/** What becomes of each user's withdrawal; that of the first one waits. */
const ENDS: Readonly<Record<number, readonly ("approved" | "rejected" | "sent" | "failed")[]>> = {
  [OPEN]: [],
  20: ["rejected"],
  21: ["approved", "sent", "failed"],
};

function fixtureWithWithdrawals(): AffiliateFixture {
  const fixture = new AffiliateFixture(sha256);
  const amounts = { minAmount: "1", fee: "0.5", dailyLimit: null };
  const holds = { addressHoldMs: 0, keyHoldMs: 0 };
  const rules = { actor: ACTOR, asset: ASSET, enabled: true, ...amounts, ...holds };
  fixture.must({ type: "set-withdrawal-rules", ...rules });
  for (const [name, states] of Object.entries(ENDS)) {
    const uid = Number(name);
    fixture.trader(uid);
    const target = { network: "main", address: `a${uid}`, memo: "", label: "" };
    const address = { actor: ACTOR, uid, asset: ASSET, ...target };
    const { addressId } = fixture.must({ type: "add-withdrawal-address", ...address });
    const terms = { actor: ACTOR, uid, addressId, requestId: "w", amount: "7" };
    const { withdrawalId } = fixture.must({ type: "request-withdrawal", ...terms });
    for (const state of states) {
      const step = { actor: ACTOR, withdrawalId, requestId: state, state, note: "0xabc" };
      fixture.must({ type: "set-withdrawal-state", ...step });
    }
  }
  return fixture;
}

const fixture = fixtureWithWithdrawals();
const sections = fixture.engine.snapshotSections();

function violationsAfter(damage: (state: State, open: Withdrawal) => void): string[] {
  const state = restoreState(sections, fixture.nowMs, { high: 1, low: 2 });
  const [open] = [...state.withdrawals.open.values()];
  assert.ok(open !== undefined);
  damage(state, open);
  const found: string[] = [];
  checkWithdrawals(state, found);
  const { violations } = checkInvariants(state);
  for (const violation of found) assert.ok(violations.includes(violation), violation);
  return found;
}

test("a state that is whole has no violations, and what came back counts for no day", () => {
  assert.deepEqual(
    violationsAfter(() => undefined),
    [],
  );
});

const DAMAGES: Record<string, (state: State, open: Withdrawal) => void> = {
  "less is counted than was requested": ({ withdrawals }, { assetIndex, uid }) => {
    const key = countKey(uid, assetIndex);
    withdrawals.requestedMinor.set(key, (withdrawals.requestedMinor.get(key) ?? 0n) - 1n);
  },
  "an open one counts as ended": ({ withdrawals }, open) => {
    withdrawals.open.delete(open.withdrawalId);
    withdrawals.ended.set(open.withdrawalId, open);
  },
  "an ended one counts as open": ({ withdrawals }) => {
    const [ended] = [...withdrawals.ended.values()];
    if (ended !== undefined) withdrawals.open.set(ended.withdrawalId, ended);
  },
  "the fee takes all of it": ({ withdrawals }, open) => {
    withdrawals.open.set(open.withdrawalId, { ...open, feeMinor: open.amountMinor });
  },
};

for (const [name, damage] of Object.entries(DAMAGES)) {
  test(`found: ${name}`, () => {
    assert.notDeepEqual(violationsAfter(damage), []);
  });
}

test("of a hundred thousand that have ended the oldest is forgotten for the next one", () => {
  const withdrawals = new Withdrawals();
  const target = { addressId: 1, network: "main", address: "a", memo: "" };
  const end = (withdrawalId: number) => {
    const request = { requestId: `w-${withdrawalId}`, note: "", timestampMs: 0 };
    const withdrawal: Withdrawal = {
      ...{ withdrawalId, uid: OPEN, isOwn: true, assetIndex: 0, ...target },
      ...{ amountMinor: 2n, feeMinor: 1n, steps: [{ ...request, state: "requested" }] },
    };
    withdrawals.add(withdrawal);
    withdrawals.end(withdrawal);
  };
  for (let id = 1; id <= 100_000; id++) end(id);
  assert.ok(withdrawals.find(1) !== undefined);
  end(100_001);
  assert.equal(withdrawals.ended.size, 100_000);
  assert.equal(withdrawals.find(1), undefined);
  assert.equal(withdrawals.findRequest(OPEN, true, "w-1"), undefined);
  assert.ok(withdrawals.findRequest(OPEN, true, "w-2") !== undefined);
});
