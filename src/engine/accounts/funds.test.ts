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

function own(venue: RiskFixture, requestId: string, amount: string, changes: Partial<Own> = {}) {
  const terms = { uid: 1, from: "contract", to: "spot", asset: "USDT", ...changes } as const;
  const result = moveUserFunds(venue, { type: "transfer-own-funds", requestId, amount, ...terms });
  venue.run();
  return result.ok ? `ok ${result.value.balance}` : `${result.reason} ${result.field}`;
}

function check(venue: RiskFixture, most: string): void {
  const above = formatDecimal(usdt(most) + 1n, 8);
  assert.equal(own(venue, "above", above), "insufficient-balance amount");
  const withdraw = {
    type: "withdraw-funds",
    actor: "operator",
    requestId: "above",
    uid: 1,
    asset: "USDT",
    amount: above,
    wallet: "contract",
  } as const;
  assert.equal(moveUserFunds(venue, withdraw).ok, false);
  assert.equal(own(venue, "most", most), `ok ${most}`);
  assert.equal(own(venue, "more", "0.00000001"), "insufficient-balance amount");
}

function venueAt60000() {
  const venue = new RiskFixture();
  const users = [venue.user(1, "10000"), venue.user(2, "900000")] as const;
  venue.price("60000");
  return { venue, users };
}

test("order margin and isolated margin stay, isolated profit and loss do not matter", () => {
  const { venue, users } = venueAt60000();
  venue.owner(users[0]).marginType = "ISOLATED";
  venue.pair(users, "ISOLATED", 60000, 1, 20);
  venue.order(users[0], "BUY", "LONG", "0.1", "58000");
  venue.price("59500");
  // 10000 - 3000 - (290 + 4.64)
  check(venue, "6705.36");
});

test("a cross loss is missing, a cross profit is not there yet", () => {
  const lost = venueAt60000();
  lost.venue.pair(lost.users, "CROSSED", 60000, 1, 20);
  lost.venue.price("59000");
  // 10000 - 1000 - 59000 / 20
  check(lost.venue, "6050");
  const won = venueAt60000();
  won.venue.pair(won.users, "CROSSED", 60000, 1, 20);
  won.venue.price("62000");
  // 10000 - 62000 / 20
  check(won.venue, "6900");
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
    const venue = new RiskFixture({ tiers, defaultLeverage: 10 });
    venue.state.rulesVersion = rulesVersion;
    const users = [venue.user(1, "10000"), venue.user(2, "900000")] as const;
    venue.price("60000");
    venue.pair(users, "CROSSED", 60000, 1, 100);
    check(venue, most);
    const isDue = rulesVersion === RULES_WITH_CONTRACTS;
    assert.equal(venue.told("liquidation-started").length > 0, isDue);
  }
});

test("a user's request ids are the user's own, and repeat the first answer", () => {
  const { venue } = venueAt60000();
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
  assert.equal(moveUserFunds(venue, operator).ok, true);
  venue.events = [];
  assert.equal(own(venue, "one", "200"), "ok 300");
  assert.equal(own(venue, "one", "200"), "ok 300");
  assert.equal(own(venue, "one", "201"), "conflict id");
  assert.equal(own(venue, "one", "200", { uid: 2 }), "ok 200");
  assert.equal(own(venue, "two", "50", { from: "spot", to: "contract" }), "ok 9750");
  assert.equal(own(venue, "three", "1", { to: "contract" }), "malformed to");
  assert.equal(own(venue, "four", "1", { uid: 9 }), "unknown-user uid");
  assert.equal(own(venue, "five", "1", { asset: "XYZ" }), "unknown-asset asset");
  const moved = venue.told("funds-moved");
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
  const { venue } = venueAt60000();
  const before = venue.state.contract.liquidityRevision;
  const terms = { actor: "operator", asset: "USDT", amount: "5" } as const;
  moveInsurance(venue, { type: "deposit-insurance", requestId: "in", ...terms });
  assert.equal(venue.state.contract.liquidityRevision, before + 1);
  moveInsurance(venue, { type: "withdraw-insurance", requestId: "out", ...terms });
  assert.equal(venue.state.contract.liquidityRevision, before + 1);
});
