/**
 * Proves that the tape shows each trade once, newest first, whichever of REST and the stream tells
 * it, and that a new trade is written into the one row that leaves.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { PageDocument, type PageElement } from "../../../../test/support/painted-page.ts";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { TapeRenderer } from "./tape-renderer.ts";
import { type TapeTrade, TapeTrades } from "./tape-trades.ts";

const random = seededRandom("tape");
const ROWS = 6;

function trade(id: number): TapeTrade {
  const price = String(90_000 + id);
  return { id: String(id), price, qty: "0.5", time: id * 1_000, isBuyerMaker: id % 2 === 0 };
}

function idsOf(trades: readonly TapeTrade[]): number[] {
  return trades.map(({ id }) => Number(id));
}

test("whatever comes from where, the newest are there once and in order", () => {
  for (let i = 0; i < scaled(200); i++) {
    const tape = new TapeTrades(ROWS);
    const told = new Set<number>();
    let next = 95;
    for (let step = 0; step < 12; step++) {
      next += random.integer(1, 3);
      told.add(next);
      if (random.chance(0.7)) {
        tape.push(trade(next));
        // The stream tells a trade again after a repeated subscription.
        tape.push(trade(next));
      } else {
        const newest = [...told].toReversed().slice(0, ROWS);
        tape.merge(random.shuffle(newest).map(trade));
      }
      const expected = [...told].toReversed().slice(0, ROWS);
      assert.deepEqual(idsOf(tape.newestFirst), expected);
    }
  }
});

interface PaintedTape {
  readonly renderer: TapeRenderer;
  readonly page: PageDocument;
  readonly host: PageElement;
  readonly picked: string[];
}

function rendered(): PaintedTape {
  const page = new PageDocument();
  const host = page.createElement("div");
  const picked: string[] = [];
  const renderer = new TapeRenderer(host as unknown as HTMLElement, {
    symbol: "BTCUSDT",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    priceDecimals: 2,
    quantityDecimals: 3,
    rows: ROWS,
    onPick: (price) => picked.push(price),
  });
  return { renderer, page, host, picked };
}

function shown(host: PageElement): string[] {
  return host
    .parts("row")
    .filter((row) => row.getAttribute("data-empty") === null)
    .map((row) => `${row.parts("price")[0]?.textContent} ${row.getAttribute("data-taker")}`);
}

const range = (newest: number, count: number): TapeTrade[] =>
  Array.from({ length: count }, (_, i) => trade(newest - i));

test("trades are drawn newest first in the colour of the taker", () => {
  const { renderer, host } = rendered();
  renderer.draw(range(3, 3));
  assert.deepEqual(shown(host), ["90,003.00 buy", "90,002.00 sell", "90,001.00 buy"]);
});

test("a new trade costs its own row; no element is made", () => {
  const { renderer, page, host } = rendered();
  renderer.draw(range(20, ROWS));
  const { made } = page;
  const rows = host.parts("row");
  // One row that moves, and its price and time; quantity and side are those of the oldest trade.
  assert.equal(
    page.costOf(() => renderer.draw(range(21, ROWS))),
    3,
  );
  assert.deepEqual(host.parts("row"), [rows.at(-1), ...rows.slice(0, -1)]);
  assert.equal(
    page.costOf(() => renderer.draw(range(21, ROWS))),
    0,
  );
  assert.equal(page.made, made);
});

test("after any number of new trades the page shows what a fresh renderer shows", () => {
  const walked = rendered();
  let newest = ROWS;
  for (let i = 0; i < scaled(100); i++) {
    newest += random.integer(0, ROWS + 2);
    walked.renderer.draw(range(newest, ROWS));
    const fresh = rendered();
    fresh.renderer.draw(range(newest, ROWS));
    assert.deepEqual(shown(walked.host), shown(fresh.host));
  }
});

test("a press picks the plain price of the trade", () => {
  const { renderer, host, picked } = rendered();
  renderer.draw(range(2, 2));
  for (const row of host.parts("row")) row.click();
  assert.deepEqual(picked, ["90002", "90001"]);
});
