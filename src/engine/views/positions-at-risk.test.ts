/**
 * Proves the operator's look at risk: every open position of everybody, nearest to its liquidation
 * first, with the distance that mark and liquidation price give; what nothing liquidates is last.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { SYMBOL, TradingFixture } from "../../../test/support/engine/trading-fixture.ts";
import { answerQuery } from "./answer.ts";

/** What these questions do not ask for. */
const UNASKED = { stateHash: () => "", lastEvents: () => new Uint8Array() };

function look(fixture: TradingFixture, symbol: string | null, limit: number) {
  const answer = answerQuery(
    fixture.state,
    { type: "positions-at-risk", symbol, limit },
    0,
    UNASKED,
  );
  assert.ok(answer.ok);
  return answer.value as readonly {
    readonly uid: number;
    readonly side: string;
    readonly markPrice: string;
    readonly liquidatePrice: string;
    readonly distance: string | null;
  }[];
}

function trade(fixture: TradingFixture): TradingFixture {
  const rich = fixture.addUser(2, "1000000");
  const isolated = fixture.addUser(3, "10000", "ISOLATED");
  const hedged = fixture.addUser(4, "100000");
  fixture.setMark("60000");
  for (const [who, intent, quantity] of [
    [rich, "SELL SHORT", "2"],
    [isolated, "BUY LONG", "1"],
    [hedged, "BUY LONG", "1"],
    [rich, "BUY LONG", "1"],
    [hedged, "SELL SHORT", "1"],
  ] as const) {
    const placed = fixture.place(who, intent, quantity, "60000");
    assert.ok(placed.ok, JSON.stringify(placed));
  }
  fixture.setMark("59000");
  return fixture;
}

test("the nearest is first, what no price liquidates is last", () => {
  const rows = look(trade(new TradingFixture()), null, 10);
  assert.deepEqual(
    rows.map(({ uid, side }) => `${uid} ${side}`),
    ["3 LONG", "2 SHORT", "2 LONG", "4 LONG", "4 SHORT"],
  );
  for (const { distance, markPrice, liquidatePrice } of rows.slice(0, 3)) {
    const apart = Math.abs(Number(markPrice) - Number(liquidatePrice)) / Number(markPrice);
    assert.ok(Math.abs(Number(distance) - apart) < 1e-8, `${distance} is not ${apart}`);
  }
  assert.deepEqual(
    rows.slice(3).map(({ liquidatePrice, distance }) => [liquidatePrice, distance]),
    [
      ["0", null],
      ["0", null],
    ],
  );
});

test("one market, no more than asked for", () => {
  const fixture = trade(new TradingFixture());
  assert.deepEqual(look(fixture, SYMBOL, 2), look(fixture, null, 10).slice(0, 2));
  const query = { type: "positions-at-risk", symbol: "NONE", limit: 1 } as const;
  const answer = answerQuery(fixture.state, query, 0, UNASKED);
  assert.ok(!answer.ok && answer.reason === "unknown-symbol");
});
