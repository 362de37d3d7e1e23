/**
 * Goal: of the contract wallet only what positions can do without may leave, by whichever command;
 * and users have request ids of their own. Method: an account with orders, with isolated and with
 * cross positions; the largest amount that may leave passes, one unit more does not. What happens
 * to wallets without contracts is proved with the spot commands.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../test/support/engine/risk-fixture.ts";
import { formatDecimal } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { RULES_VERSION, RULES_WITH_CONTRACTS } from "../rules-version.ts";
import { moveInsurance, moveUserFunds } from "./funds.ts";

type Own = CommandOf<"transfer-own-funds">;

function own(fixture: RiskFixture, requestId: string, amount: string, changes: Partial<Own> = {}) {
  const terms = { uid: 1, from: "contract", to: "spot", asset: "USDT", ...changes } as const;
  const result = moveUserFunds(fixture, {
    type: "transfer-own-funds",
    requestId,
    amount,
    ...terms,
  });
  fixture.run();
  return result.ok ? `ok ${result.value.balance}` : `${result.reason} ${result.field}`;
}

function check(fixture: RiskFixture, most: string): void {
  const above = formatDecimal(usdt(most) + 1n, 8);
  assert.equal(own(fixture, "above", above), "insufficient-balance amount");
  const withdraw = {
    type: "withdraw-funds",
    actor: "operator",
    requestId: "above",
    uid: 1,
    asset: "USDT",
    amount: above,
    wallet: "contract",
  } as const;
  assert.equal(moveUserFunds(fixture, withdraw).ok, false);
  assert.equal(own(fixture, "most", most), `ok ${most}`);
  assert.equal(own(fixture, "more", "0.00000001"), "insufficient-balance amount");
}

function fixtureAt60000() {
  const fixture = new RiskFixture();
  const users = [fixture.user(1, "10000"), fixture.user(2, "900000")] as const;
  fixture.price("60000");
  return { fixture, users };
}

test("order margin and isolated margin stay, isolated profit and loss do not matter", () => {
  const { fixture, users } = fixtureAt60000();
  fixture.owner(users[0]).marginType = "ISOLATED";
  fixture.pair(users, "ISOLATED", 60000, 1, 20);
  fixture.order(users[0], "BUY", "LONG", "0.1", "58000");
  fixture.price("59500");
  // 10000 - 3000 - (290 + 4.64)
  check(fixture, "6705.36");
});

test("a cross loss is missing, a cross profit is not there yet", () => {
  const lost = fixtureAt60000();
  lost.fixture.pair(lost.users, "CROSSED", 60000, 1, 20);
  lost.fixture.price("59000");
  // 10000 - 1000 - 59000 / 20
  check(lost.fixture, "6050");
  const won = fixtureAt60000();
  won.fixture.pair(won.users, "CROSSED", 60000, 1, 20);
  won.fixture.price("62000");
  // 10000 - 62000 / 20
  check(won.fixture, "6900");
});

test("what a position in a tier with a high maintenance margin needs stays", () => {
  for (const [rulesVersion, most] of [
    // All but the margin of leverage 100 before: 60000 / 100.
    [RULES_WITH_CONTRACTS, "9400"],
    // 4.92 % and 0.08 % of 60000 are 3000, and exactly that is due.
    [RULES_VERSION, "6999.99999999"],
  ] as const) {
    const tiers = [
      { maxNotional: "50000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
      { maxNotional: "100000", maintenanceMarginRate: "0.0492", maxLeverage: 15 },
    ];
    const fixture = new RiskFixture({ tiers, defaultLeverage: 10 });
    fixture.state.rulesVersion = rulesVersion;
    const users = [fixture.user(1, "10000"), fixture.user(2, "900000")] as const;
    fixture.price("60000");
    fixture.pair(users, "CROSSED", 60000, 1, 100);
    check(fixture, most);
    const isDue = rulesVersion === RULES_WITH_CONTRACTS;
    assert.equal(fixture.emitted("liquidation-started").length > 0, isDue);
  }
});

test("a user's request ids are the user's own, and repeat the first answer", () => {
  const { fixture } = fixtureAt60000();
  const operator = {
    type: "transfer-funds",
    actor: "operator",
    requestId: "one",
    uid: 1,
    from: "contract",
    to: "spot",
    asset: "USDT",
    amount: "100",
  } as const;
  assert.equal(moveUserFunds(fixture, operator).ok, true);
  fixture.events = [];
  assert.equal(own(fixture, "one", "200"), "ok 300");
  assert.equal(own(fixture, "one", "200"), "ok 300");
  assert.equal(own(fixture, "one", "201"), "conflict id");
  assert.equal(own(fixture, "one", "200", { uid: 2 }), "ok 200");
  assert.equal(own(fixture, "two", "50", { from: "spot", to: "contract" }), "ok 9750");
  assert.equal(own(fixture, "three", "1", { to: "contract" }), "malformed to");
  assert.equal(own(fixture, "four", "1", { uid: 9 }), "unknown-user uid");
  assert.equal(own(fixture, "five", "1", { asset: "XYZ" }), "unknown-asset asset");
  const moved = fixture.emitted("funds-moved");
  assert.deepEqual(
    moved.map(({ actor, requestId, amountMinor }) => [actor, requestId, amountMinor]),
    [
      ["", "one", usdt("200")],
      ["", "one", usdt("200")],
      ["", "two", usdt("50")],
    ],
  );
});

test("a deposit into the insurance fund has liquidations that wait tried again", () => {
  const { fixture } = fixtureAt60000();
  const before = fixture.state.contract.liquidityRevision;
  const terms = { actor: "operator", asset: "USDT", amount: "5" } as const;
  moveInsurance(fixture, { type: "deposit-insurance", requestId: "in", ...terms });
  assert.equal(fixture.state.contract.liquidityRevision, before + 1);
  moveInsurance(fixture, { type: "withdraw-insurance", requestId: "out", ...terms });
  assert.equal(fixture.state.contract.liquidityRevision, before + 1);
});
