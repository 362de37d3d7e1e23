/**
 * Proves what the renderer of the book promises: it shows the book, makes rows once, and writes to
 * the page only what differs. On a page that counts writes, against a fresh renderer as the oracle.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { PageDocument, type PageElement } from "../../../../test/support/painted-page.ts";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { type BookData, BookRenderer } from "./book-renderer.ts";
import type { Level } from "./book-rows.ts";

const random = seededRandom("book-painter");

interface Painted {
  readonly renderer: BookRenderer;
  readonly page: PageDocument;
  readonly host: PageElement;
  readonly picked: string[];
}

function rendered(rows = 5): Painted {
  const page = new PageDocument();
  const host = page.createElement("div");
  const picked: string[] = [];
  const renderer = new BookRenderer(host as unknown as HTMLElement, {
    symbol: "BTCUSDT",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    priceDecimals: 2,
    quantityDecimals: 3,
    levelsMax: 200,
    onPick: (price) => picked.push(price),
  });
  renderer.resize({ asks: rows, bids: rows });
  return { renderer, page, host, picked };
}

const BOOK: BookData = {
  asks: [
    ["1000.5", "1"],
    ["1001", "0.25"],
    ["1010", "3"],
  ],
  bids: [
    ["999.99", "0.5"],
    ["999.5", "1.5"],
  ],
  step: "0.01",
  lastPrice: "1000.5",
  direction: "up",
  markPrice: null,
  ownPrices: { bids: ["999.5"], asks: [] },
};

/** Every shown row as its cells, from the top of the page to its end. */
function shown(host: PageElement): string[] {
  return host
    .parts("row")
    .filter((row) => row.getAttribute("data-empty") === null)
    .map((row) => {
      const [bar] = row.parts("bar");
      const cells = ["price", "quantity", "total"].map((part) => row.parts(part)[0]?.textContent);
      const own = row.getAttribute("data-own") === null ? "" : " own";
      return `${cells.join(" ")} ${bar?.style.transform}${own}`;
    });
}

test("asks stand above with the best lowest, bids below with the best first", () => {
  const { renderer, host } = rendered();
  renderer.draw(BOOK);
  assert.deepEqual(shown(host), [
    "1,010.00 3.000 4.250 scaleX(1)",
    "1,001.00 0.250 1.250 scaleX(0.292)",
    "1,000.50 1.000 1.000 scaleX(0.232)",
    "999.99 0.500 0.500 scaleX(0.116)",
    "999.50 1.500 2.000 scaleX(0.468) own",
  ]);
  const [middle] = host.parts("middle");
  assert.equal(middle?.textContent, "1,000.50↑Spread 0.51 (0.050%)");
  renderer.draw({ ...BOOK, step: "10" });
  assert.deepEqual(shown(host), [
    "1,010 4.250 4.250 scaleX(1)",
    "990 2.000 2.000 scaleX(0.468) own",
  ]);
});

test("the same book again writes nothing; one quantity writes its row alone", () => {
  const { renderer, page } = rendered();
  renderer.draw(BOOK);
  assert.equal(
    page.costOf(() => renderer.draw({ ...BOOK })),
    0,
  );
  const last: Level = ["1010", "3.001"];
  const next = { ...BOOK, asks: [...BOOK.asks.slice(0, 2), last] };
  // Quantity and total of that row; the bars keep their widths.
  assert.equal(
    page.costOf(() => renderer.draw(next)),
    2,
  );
});

test("after any walk the page shows what a fresh renderer shows; no element is made", () => {
  const walked = rendered();
  walked.renderer.draw(BOOK);
  const { made } = walked.page;
  for (let i = 0; i < scaled(200); i++) {
    const book = randomBook();
    walked.renderer.draw(book);
    const fresh = rendered();
    fresh.renderer.draw(book);
    assert.deepEqual(shown(walked.host), shown(fresh.host));
  }
  assert.equal(walked.page.made, made);
});

function randomBook(): BookData {
  const level = (cents: number): Level => [
    (cents / 100).toString(),
    (random.integer(1, 9_999) / 1000).toString(),
  ];
  const count = random.integer(0, 9);
  const asks = Array.from({ length: count }, (_, i) => level(100_000 + i * random.integer(1, 3)));
  const bids = Array.from({ length: count }, (_, i) => level(99_990 - i * 7));
  const step = random.pick(["0.01", "0.1", "1"]);
  return { ...BOOK, asks: unique(asks), bids, step };
}

function unique(levels: readonly Level[]): readonly Level[] {
  const byPrice = new Map(levels.map((level) => [level[0], level]));
  return [...byPrice.values()].sort(([a], [b]) => Number(a) - Number(b));
}

test("a spread that is nothing in percent has its zero", () => {
  const { renderer, host } = rendered();
  renderer.draw({ ...BOOK, asks: [["91000.01", "1"]], bids: [["91000", "1"]] });
  assert.equal(host.parts("spread")[0]?.textContent, "Spread 0.01 (0.000%)");
});

test("fewer rows leave the best, more rows are empty until they are drawn", () => {
  const { renderer, host } = rendered();
  renderer.draw(BOOK);
  renderer.resize({ asks: 1, bids: 1 });
  assert.deepEqual(shown(host).map(priceOf), ["1,000.50", "999.99"]);
  renderer.resize({ asks: 2, bids: 0 });
  renderer.draw(BOOK);
  assert.deepEqual(shown(host).map(priceOf), ["1,001.00", "1,000.50"]);
});

function priceOf(row: string): string | undefined {
  return row.split(" ")[0];
}

test("a press anywhere in a row picks its plain price; empty rows pick nothing", () => {
  const { renderer, host, picked } = rendered();
  renderer.draw(BOOK);
  for (const row of host.parts("row")) row.parts("total")[0]?.click();
  assert.deepEqual(picked, ["1010", "1001", "1000.5", "999.99", "999.5"]);
  renderer.draw({ ...BOOK, asks: [] });
  picked.length = 0;
  for (const row of host.parts("row")) row.click();
  assert.deepEqual(picked, ["999.99", "999.5"]);
});

test("one price of the book is reached by Tab, whatever rows come and go", () => {
  const { renderer, host } = rendered();
  const reached = (): number =>
    host.parts("price").flatMap(({ children }) => children.filter(({ tabIndex }) => tabIndex === 0))
      .length;
  assert.equal(reached(), 1);
  renderer.resize({ asks: 5, bids: 0 });
  assert.equal(reached(), 1);
  renderer.resize({ asks: 0, bids: 4 });
  assert.equal(reached(), 1);
});
