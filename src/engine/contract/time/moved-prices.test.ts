/**
 * Nobody moves mark or index for less than it costs: small quotes in a thin contract book, far ones
 * behind a thin side, and next to nothing in an empty spot book, each with a position that a wrong
 * price would liquidate.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { openPair } from "../../../../test/support/engine/paired-positions.ts";
import type { Quote } from "../../../../test/support/engine/quoted-book.ts";
import { TimedFixture } from "../../../../test/support/engine/timed-fixture.ts";
import type { User } from "../../state.ts";
import { indexAtMs } from "../prices/prices.ts";
import type { ContractMarket, Position } from "../state/contract-market.ts";

const INDEX = 600_000;

/** A long and a short of 1 BTC at 60,000. */
function hold(clock: TimedFixture, market: ContractMarket, leverage: number): Position {
  const users = [1, 2].map((uid) => clock.user(uid, market, 10n ** 14n));
  const [, short] = openPair(clock.state, {
    market,
    holders: users as [User, User],
    marginType: "ISOLATED",
    priceTicks: INDEX,
    lots: 1000,
    leverage,
    positionId: 1,
  });
  return short;
}

function seconds(clock: TimedFixture, count: number): void {
  for (let second = 0; second < count; second++) clock.advance(clock.nowMs + 1000);
}

test("small quotes around another price do not move the mark", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.command(clock.nowMs + 1, () => clock.setIndex(market, "60000"));
  const short = hold(clock, market, 100);
  const bids: Quote[] = [[602_999, 1]];
  clock.command(clock.nowMs + 1, () => clock.quote(market, bids, [[603_001, 1]]));
  seconds(clock, 1);
  const soon = market.mark.ticks;
  seconds(clock, 2);
  assert.deepEqual([soon, market.mark.ticks], [INDEX, INDEX]);
  assert.ok(market.positions.has(short), "nobody is liquidated");
});

test("next to nothing in an empty spot book does not move the index", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.listSpot(market.symbol, "BTC");
  const book = (price: number, lots: number) => () =>
    clock.quoteSpot(market, [[price - 1, lots]], [[price + 1, lots]]);
  clock.command(clock.nowMs + 1, book(120_000, 1000));
  seconds(clock, 20);
  assert.equal(market.indexPrice.ticks, INDEX);
  const short = hold(clock, market, 10);
  clock.command(clock.nowMs + 1, () => clock.quoteSpot(market, [], []));
  seconds(clock, 35);
  clock.command(clock.nowMs + 1, book(134_400, 1));
  seconds(clock, 2);
  assert.deepEqual([market.indexPrice.ticks, market.mark.ticks], [INDEX, INDEX]);
  assert.ok(market.positions.has(short), "nobody is liquidated");
});

test("an order far behind a thin side moves neither mark nor index, for it costs nothing", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.listSpot(market.symbol, "BTC");
  const [bids, deep] = [[[119_999, 1000]], [[120_001, 1000]]] as const;
  clock.command(clock.nowMs + 1, () => clock.quoteSpot(market, bids, deep));
  seconds(clock, 20);
  // An honest ask of half the notional, and behind it one at twice the price.
  const thin = [
    [120_001, 80],
    [240_000, 1000],
  ] as const;
  clock.command(clock.nowMs + 1, () => clock.quoteSpot(market, bids, thin));
  const contractBids: Quote[] = [[599_999, 1000]];
  const contractAsks: Quote[] = [
    [600_001, 80],
    [1_200_000, 1000],
  ];
  clock.command(clock.nowMs + 1, () => clock.quote(market, contractBids, contractAsks));
  seconds(clock, 40);
  assert.deepEqual([market.indexPrice.ticks, market.mark.ticks], [INDEX, INDEX]);
  assert.ok(indexAtMs(clock.state, market, clock.nowMs) < clock.nowMs - 30_000, "it ages");
});

test("whoever quotes the whole notional moves the mark slowly, and to its bound", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.command(clock.nowMs + 1, () => clock.setIndex(market, "60000"));
  const short = hold(clock, market, 100);
  clock.command(clock.nowMs + 1, () => clock.quote(market, [[602_999, 1000]], [[603_001, 1000]]));
  seconds(clock, 3);
  assert.equal(market.mark.ticks, INDEX + 300, "3,000 for three of thirty seconds");
  seconds(clock, 40);
  assert.equal(market.mark.ticks, INDEX + 1_260, "0.21 %");
  assert.ok(market.positions.has(short), "what was opened at the index survives the bound");
});
