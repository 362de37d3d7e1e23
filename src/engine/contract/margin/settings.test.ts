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

function leverage(venue: RiskFixture, changes: Leverage, uid = 1): string {
  const result = setLeverage(venue, {
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

function marginType(venue: RiskFixture, changes: Margin, uid = 1): string {
  const result = setMarginType(venue, {
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
function venueAt60000(funds = "10000"): RiskFixture {
  const venue = new RiskFixture();
  venue.user(1, funds);
  venue.user(2, "10000000");
  venue.price("60000");
  venue.events = [];
  return venue;
}

function users(venue: RiskFixture) {
  const [one, two] = [...venue.state.users.values()];
  assert.ok(one !== undefined && two !== undefined);
  return [one, two] as const;
}

test("a flat account sets each leverage by itself", () => {
  const venue = venueAt60000();
  assert.equal(leverage(venue, { crossLeverage: 50 }), "50 20 20");
  assert.equal(leverage(venue, { isolatedLongLeverage: 1 }), "50 1 20");
  assert.equal(leverage(venue, { isolatedShortLeverage: 100, crossLeverage: 7 }), "7 1 100");
  const told = venue.told("contract-settings-changed");
  assert.deepEqual(
    told.map(({ crossLeverage, isolatedLongLeverage, isolatedShortLeverage }) => [
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
  const venue = venueAt60000();
  venue.state.contract.accounts.clear();
  for (const [changes, expected] of [
    [{}, "malformed null"],
    [{ crossLeverage: 0 }, "out-of-range crossLeverage"],
    [{ crossLeverage: 101 }, "leverage-above-maximum crossLeverage"],
    [{ crossLeverage: 10, marginType: "ISOLATED" }, "out-of-range marginType"],
    [{ crossLeverage: 20, isolatedShortLeverage: 20 }, "20 20 20"],
    [{ crossLeverage: 10, symbol: "NOUSDT" }, "unknown-symbol symbol"],
    [{ crossLeverage: 10, uid: 77 }, "unknown-user uid"],
  ] as const) {
    assert.equal(leverage(venue, changes), expected);
  }
  assert.equal(marginType(venue, { marginType: "CROSSED", separatedType: "COMBINED" }), "ok");
  assert.equal(marginType(venue, { symbol: "NOUSDT" }), "unknown-symbol");
  assert.deepEqual(venue.events, []);
  assert.equal(findSymbolAccount(venue.state, users(venue)[0], venue.market), null);
});

test("resting orders that open hold the leverage, those that close do not", () => {
  const venue = venueAt60000();
  const [one, two] = users(venue);
  venue.pair([one, two], "CROSSED", 60000, 0.1, 20);
  venue.order(one, "SELL", "LONG", "0.05", "61000");
  assert.equal(leverage(venue, { crossLeverage: 30 }), "30 20 20");
  venue.order(one, "SELL", "SHORT", "0.05", "61000");
  for (const field of ["crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage"] as const) {
    assert.equal(leverage(venue, { [field]: 25 }), "leverage-in-use symbol", field);
  }
  assert.equal(leverage(venue, { crossLeverage: 30 }), "30 20 20");
});

test("the tier of what is held bounds the leverage, the edge of a tier belongs to it", () => {
  for (const [quantity, most] of [
    [16.666, 100],
    [16.667, 50],
  ] as const) {
    const venue = venueAt60000("2000000");
    const [one, two] = users(venue);
    venue.pair([one, two], "ISOLATED", 60000, quantity, 20);
    assert.equal(leverage(venue, { isolatedLongLeverage: most }), `20 ${most} 20`);
    if (most === 100) continue;
    const refused = "leverage-above-maximum isolatedLongLeverage";
    assert.equal(leverage(venue, { isolatedLongLeverage: 51 }), refused);
    assert.equal(leverage(venue, { isolatedShortLeverage: 100 }), `20 ${most} 100`);
  }
});

test("lower isolated leverage needs margin that the position has already", () => {
  const venue = venueAt60000();
  const [one, two] = users(venue);
  const [position] = venue.pair([one, two], "ISOLATED", 60000, 1, 20);
  const refused = "insufficient-margin isolatedLongLeverage";
  assert.equal(leverage(venue, { isolatedLongLeverage: 19 }), refused);
  assert.equal(leverage(venue, { isolatedLongLeverage: 25 }), "20 25 20");
  assert.equal(leverage(venue, { isolatedLongLeverage: 20 }), "20 20 20");
  // A loss of 100 leaves 2900, and 59900 / 20 would be 2995; profit does not count.
  venue.price("59900");
  assert.equal(leverage(venue, { isolatedLongLeverage: 21 }), "20 21 20");
  assert.equal(leverage(venue, { isolatedLongLeverage: 20 }), refused);
  assert.equal(position.leverage, 21);
});

test("lower cross leverage needs it to be available", () => {
  const venue = venueAt60000("10000");
  const [one, two] = users(venue);
  venue.pair([one, two], "CROSSED", 60000, 1, 20);
  assert.equal(leverage(venue, { crossLeverage: 6 }), "6 20 20");
  assert.equal(leverage(venue, { crossLeverage: 5 }), "insufficient-margin crossLeverage");
  // The other leverages are of no position.
  assert.equal(leverage(venue, { isolatedLongLeverage: 1 }), "6 1 20");
});

test("margin type and separation change only with nothing open", () => {
  const venue = venueAt60000();
  const [one, two] = users(venue);
  assert.equal(marginType(venue, { marginType: "ISOLATED" }), "ok");
  assert.equal(marginType(venue, { marginType: "ISOLATED", separatedType: "SEPARATED" }), "ok");
  const told = venue.told("contract-settings-changed");
  assert.deepEqual(
    told.map((settings) => `${settings.marginType} ${settings.separatedType}`),
    ["ISOLATED COMBINED", "ISOLATED SEPARATED"],
  );
  venue.order(one, "BUY", "LONG", "0.01", "59000");
  assert.equal(marginType(venue, { marginType: "CROSSED" }), "margin-type-in-use");
  const combined = { marginType: "ISOLATED", separatedType: "COMBINED" } as const;
  assert.equal(marginType(venue, combined), "margin-type-in-use");
  assert.equal(marginType(venue, { marginType: "ISOLATED" }), "ok");
  venue.order(two, "SELL", "SHORT", "0.01", "59000");
  assert.equal(venue.owner(one).openOrders, 0);
  assert.equal(marginType(venue, { marginType: "CROSSED" }), "margin-type-in-use");
  assert.deepEqual(venue.told("contract-settings-changed"), []);
});
