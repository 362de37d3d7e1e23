/**
 * Proves the live ladder: as tight as a venue's main pairs and many levels deep in each market of
 * the demo, never crossed, and whole again in one turn after the price has moved.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { DEMO_CONTRACTS, DEMO_MARKETS } from "./demo-profile.ts";
import { changeQuotes, FINE_LADDER, type Quote, type QuotedMarket } from "./quotes.ts";
import { SeededRandom } from "./random.ts";

const SIDES = ["BUY", "SELL"] as const;
/** Of a watched market in a second, as the traders have it. */
const COMMANDS = 16;
/** A day's volatility of 6% in a second, three times over. */
const MOVE = 0.0006;

function quoted(market: QuotedMarket, price: number, open: readonly Quote[], most: number) {
  const random = new SeededRandom(5);
  const changes = SIDES.map((side) =>
    changeQuotes(market, FINE_LADDER, side, price, 0, open, most, random),
  );
  const cancelled = new Set(changes.flatMap(({ cancel }) => cancel));
  const book = [
    ...open.filter((quote) => !cancelled.has(quote)),
    ...changes.flatMap(({ place }) => place),
  ];
  const prices = (side: Quote["side"]) =>
    book.filter((quote) => quote.side === side).map((quote) => Number(quote.price));
  return { book, bid: Math.max(...prices("BUY")), ask: Math.min(...prices("SELL")) };
}

const MARKETS = [
  ...DEMO_MARKETS.map((market) => ({ market, price: market.referencePrice })),
  ...DEMO_CONTRACTS.map((market) => {
    const spot = DEMO_MARKETS.find(({ symbol }) => symbol === market.symbol);
    return { market, price: spot?.referencePrice ?? 0 };
  }),
];

for (const { market, price } of MARKETS) {
  test(`${market.symbol} in ticks of ${market.tickSize} is tight and deep`, () => {
    const { book, bid, ask } = quoted(market, price, [], FINE_LADDER.levels);
    const tick = Number(market.tickSize);
    assert.ok(bid < ask, `${bid} and ${ask}`);
    assert.ok(ask - bid <= Math.max(price * 0.00006, 3.001 * tick), `${bid} and ${ask}`);
    assert.equal(book.length, 2 * FINE_LADDER.levels);
    for (const { price: text, quantity } of book) {
      assert.ok(Math.abs(Number(text) / price - 1) < 0.015, text);
      assert.ok(Number(quantity) > 0);
    }
  });

  test(`${market.symbol} in ticks of ${market.tickSize} follows the price`, () => {
    const { book } = quoted(market, price, [], FINE_LADDER.levels);
    const moved = price * (1 + MOVE);
    let now = quoted(market, moved, book, COMMANDS / 2);
    for (let turn = 0; turn < 3; turn++) now = quoted(market, moved, now.book, COMMANDS / 2);
    assert.ok(now.bid < now.ask, `${now.bid} and ${now.ask}`);
    const most = Math.max(moved * 0.0001, 4 * Number(market.tickSize));
    assert.ok(now.ask - now.bid <= most, `${now.bid} and ${now.ask} at ${moved}`);
  });
}
