/**
 * Goal: settings change what they say and nothing else, and are refused as long as something hangs
 * on them. Method: a table of commands over an account that is flat, has orders, and has positions;
 * the events tell what changed, and a refusal or a repetition tells nothing.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture } from "../../../../test/support/engine/risk-fixture.ts";
import type { CommandOf } from "../../../protocol/index.ts";
import { findSymbolAccount } from "../contract-state.ts";
import { setLeverage, setMarginType } from "./settings.ts";

type Leverage = Partial<CommandOf<"set-leverage">>;

function leverage(fixture: RiskFixture, changes: Leverage, uid = 1): string {
  const result = setLeverage(fixture, {
    type: "set-leverage",
    uid,
    symbol: "BTCUSDT",
    marginType: null,
    crossLeverage: null,
    isolatedLongLeverage: null,
    isolatedShortLeverage: null,
    ...changes,
  });
  if (!result.ok) return `${result.reason} ${result.field}`;
  const { crossLeverage, isolatedLongLeverage, isolatedShortLeverage } = result.value;
  return `${crossLeverage} ${isolatedLongLeverage} ${isolatedShortLeverage}`;
}

type Margin = Partial<CommandOf<"set-margin-type">>;

function marginType(fixture: RiskFixture, changes: Margin, uid = 1): string {
  const result = setMarginType(fixture, {
    type: "set-margin-type",
    uid,
    symbol: "BTCUSDT",
    marginType: "CROSSED",
    separatedType: null,
    ...changes,
  });
  return result.ok ? "ok" : result.reason;
}

/** Two users with funds in their contract wallets, at a mark of 60000. */
function fixtureAt60000(funds = "10000"): RiskFixture {
  const fixture = new RiskFixture();
  fixture.user(1, funds);
  fixture.user(2, "10000000");
  fixture.price("60000");
  fixture.events = [];
  return fixture;
}

function users(fixture: RiskFixture) {
  const [one, two] = [...fixture.state.users.values()];
  assert.ok(one !== undefined && two !== undefined);
  return [one, two] as const;
}

test("a flat account sets each leverage by itself", () => {
  const fixture = fixtureAt60000();
  assert.equal(leverage(fixture, { crossLeverage: 50 }), "50 20 20");
  assert.equal(leverage(fixture, { isolatedLongLeverage: 1 }), "50 1 20");
  assert.equal(leverage(fixture, { isolatedShortLeverage: 100, crossLeverage: 7 }), "7 1 100");
  const emitted = fixture.emitted("contract-settings-changed");
  assert.deepEqual(
    emitted.map(({ crossLeverage, isolatedLongLeverage, isolatedShortLeverage }) => [
      crossLeverage,
      isolatedLongLeverage,
      isolatedShortLeverage,
    ]),
    [
      [50, 20, 20],
      [50, 1, 20],
      [7, 1, 100],
    ],
  );
});

test("what is refused or set already tells nothing and opens nothing", () => {
  const fixture = fixtureAt60000();
  fixture.state.contract.accounts.clear();
  for (const [changes, expected] of [
    [{}, "malformed null"],
    [{ crossLeverage: 0 }, "out-of-range crossLeverage"],
    [{ crossLeverage: 101 }, "leverage-above-maximum crossLeverage"],
    [{ crossLeverage: 10, marginType: "ISOLATED" }, "out-of-range marginType"],
    [{ crossLeverage: 20, isolatedShortLeverage: 20 }, "20 20 20"],
    [{ crossLeverage: 10, symbol: "NOUSDT" }, "unknown-symbol symbol"],
    [{ crossLeverage: 10, uid: 77 }, "unknown-user uid"],
  ] as const) {
    assert.equal(leverage(fixture, changes), expected);
  }
  assert.equal(marginType(fixture, { marginType: "CROSSED", separatedType: "COMBINED" }), "ok");
  assert.equal(marginType(fixture, { symbol: "NOUSDT" }), "unknown-symbol");
  assert.deepEqual(fixture.events, []);
  assert.equal(findSymbolAccount(fixture.state, users(fixture)[0], fixture.market), null);
});

test("resting orders that open hold the leverage, those that close do not", () => {
  const fixture = fixtureAt60000();
  const [one, two] = users(fixture);
  fixture.pair([one, two], "CROSSED", 60000, 0.1, 20);
  fixture.order(one, "SELL", "LONG", "0.05", "61000");
  assert.equal(leverage(fixture, { crossLeverage: 30 }), "30 20 20");
  fixture.order(one, "SELL", "SHORT", "0.05", "61000");
  for (const field of ["crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage"] as const) {
    assert.equal(leverage(fixture, { [field]: 25 }), "leverage-in-use symbol", field);
  }
  assert.equal(leverage(fixture, { crossLeverage: 30 }), "30 20 20");
});

test("the tier of what is held bounds the leverage, the edge of a tier belongs to it", () => {
  for (const [quantity, most] of [
    [16.666, 100],
    [16.667, 50],
  ] as const) {
    const fixture = fixtureAt60000("2000000");
    const [one, two] = users(fixture);
    fixture.pair([one, two], "ISOLATED", 60000, quantity, 20);
    assert.equal(leverage(fixture, { isolatedLongLeverage: most }), `20 ${most} 20`);
    if (most === 100) continue;
    const refused = "leverage-above-maximum isolatedLongLeverage";
    assert.equal(leverage(fixture, { isolatedLongLeverage: 51 }), refused);
    assert.equal(leverage(fixture, { isolatedShortLeverage: 100 }), `20 ${most} 100`);
  }
});

test("lower isolated leverage needs margin that the position has already", () => {
  const fixture = fixtureAt60000();
  const [one, two] = users(fixture);
  const [position] = fixture.pair([one, two], "ISOLATED", 60000, 1, 20);
  const refused = "insufficient-margin isolatedLongLeverage";
  assert.equal(leverage(fixture, { isolatedLongLeverage: 19 }), refused);
  assert.equal(leverage(fixture, { isolatedLongLeverage: 25 }), "20 25 20");
  assert.equal(leverage(fixture, { isolatedLongLeverage: 20 }), "20 20 20");
  // A loss of 100 leaves 2900, and 59900 / 20 would be 2995; profit does not count.
  fixture.price("59900");
  assert.equal(leverage(fixture, { isolatedLongLeverage: 21 }), "20 21 20");
  assert.equal(leverage(fixture, { isolatedLongLeverage: 20 }), refused);
  assert.equal(position.leverage, 21);
});

test("lower cross leverage needs it to be available", () => {
  const fixture = fixtureAt60000("10000");
  const [one, two] = users(fixture);
  fixture.pair([one, two], "CROSSED", 60000, 1, 20);
  assert.equal(leverage(fixture, { crossLeverage: 6 }), "6 20 20");
  assert.equal(leverage(fixture, { crossLeverage: 5 }), "insufficient-margin crossLeverage");
  // The other leverages are of no position.
  assert.equal(leverage(fixture, { isolatedLongLeverage: 1 }), "6 1 20");
});

test("margin type and separation change only with nothing open", () => {
  const fixture = fixtureAt60000();
  const [one, two] = users(fixture);
  assert.equal(marginType(fixture, { marginType: "ISOLATED" }), "ok");
  assert.equal(marginType(fixture, { marginType: "ISOLATED", separatedType: "SEPARATED" }), "ok");
  const emitted = fixture.emitted("contract-settings-changed");
  assert.deepEqual(
    emitted.map((settings) => `${settings.marginType} ${settings.separatedType}`),
    ["ISOLATED COMBINED", "ISOLATED SEPARATED"],
  );
  fixture.order(one, "BUY", "LONG", "0.01", "59000");
  assert.equal(marginType(fixture, { marginType: "CROSSED" }), "margin-type-in-use");
  const combined = { marginType: "ISOLATED", separatedType: "COMBINED" } as const;
  assert.equal(marginType(fixture, combined), "margin-type-in-use");
  assert.equal(marginType(fixture, { marginType: "ISOLATED" }), "ok");
  fixture.order(two, "SELL", "SHORT", "0.01", "59000");
  assert.equal(fixture.owner(one).openOrders, 0);
  assert.equal(marginType(fixture, { marginType: "CROSSED" }), "margin-type-in-use");
  assert.deepEqual(fixture.emitted("contract-settings-changed"), []);
});
