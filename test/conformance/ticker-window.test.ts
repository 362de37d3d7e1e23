/**
 * Proves the rolling 24 hours of the ticker, with exchange time driven through the sandbox clock:
 * trades are made at known distances, the same figures are worked out here from the public trades,
 * and compared after every jump, so that trades enter and leave the window while it is watched.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { exact, greatest, least, sum, text, times } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";

const DAY_MS = 24 * 3_600_000;
/** The window is counted in buckets of a second: a trade this near its edge may be in or out. */
const EDGE_MS = 1000;
const random = seededRandom("conformance/ticker-window");

interface PublicTrade {
  readonly id: number | string;
  readonly price: string;
  readonly qty: string;
  readonly quoteQty: string;
  readonly time: number;
}

type Ticker = Record<string, string | number>;

class Market {
  readonly #maker: Account;
  readonly #taker: Account;
  #orders = 0;

  constructor(maker: Account, taker: Account) {
    this.#maker = maker;
    this.#taker = taker;
  }

  async trade(price: string, quantity: string): Promise<void> {
    for (const [account, side] of [
      [this.#maker, "sell"],
      [this.#taker, "buy"],
    ] as const) {
      this.#orders++;
      await account.client.placed({
        symbol: "BTCUSDT",
        side,
        orderType: "limit",
        force: "normal",
        price,
        quantity,
        clientOrderId: `trade-${this.#orders}`,
      });
    }
  }

  trades(): Promise<PublicTrade[]> {
    return this.#maker.client.v3("/api/v3/market/trades", { symbol: "BTCUSDT", limit: 1000 });
  }

  ticker(): Promise<Ticker> {
    return this.#maker.client.ticker("BTCUSDT");
  }
}

function byTime(a: PublicTrade, b: PublicTrade): number {
  return a.time - b.time || Number(a.id) - Number(b.id);
}

/** The ticker's figures from the trades inside the window that the ticker itself names. */
function expected(trades: readonly PublicTrade[], ticker: Ticker): Ticker | "on the edge" {
  const start = Number(ticker.startTime);
  const end = Number(ticker.endTime);
  if (trades.some(({ time }) => Math.abs(time - start) <= EDGE_MS)) return "on the edge";
  const ordered = [...trades].sort(byTime);
  const inside = ordered.filter(({ time }) => time > start && time <= end);
  const last = ordered.at(-1)?.price ?? "0";
  const prices = inside.map(({ price }) => exact(price));
  const high = text(prices.reduce(greatest, exact(inside[0]?.price ?? last)));
  const low = text(prices.reduce(least, exact(inside[0]?.price ?? last)));
  const open = inside[0]?.price ?? last;
  return {
    trades: inside.length,
    size: text(sum(inside.map(({ qty }) => exact(qty)))),
    value: text(sum(inside.map(({ price, qty }) => times(exact(price), exact(qty))))),
    high,
    low,
    open: text(exact(open)),
    close: text(exact(last)),
    lastPrice: text(exact(last)),
    priceChange: text(exact(last) - exact(open)),
    highTime: inside.find(({ price }) => exact(price) === exact(high))?.time ?? 0,
    lowTime: inside.find(({ price }) => exact(price) === exact(low))?.time ?? 0,
  };
}

/** A fraction, right to its own last digit and to at least four digits. */
function checkPercent(ticker: Ticker): void {
  const open = exact(String(ticker.open));
  const percent = String(ticker.priceChangePercent);
  const shown = exact(percent);
  if (open === 0n) {
    assert.equal(percent, "0");
    return;
  }
  const digits = Math.max(4, percent.split(".")[1]?.length ?? 0);
  const change = exact(String(ticker.close)) - open;
  const error = shown * open - change * 10n ** 18n;
  const tolerance = open * 10n ** BigInt(18 - digits);
  assert.ok((error < 0n ? -error : error) <= tolerance, `${percent} of ${ticker.open}`);
}

async function compare(market: Market, step: string): Promise<boolean> {
  const trades = await market.trades();
  const ticker = await market.ticker();
  assert.equal(Number(ticker.endTime) - Number(ticker.startTime), DAY_MS, step);
  const figures = expected(trades, ticker);
  if (figures === "on the edge") return false;
  const actual = Object.fromEntries(Object.keys(figures).map((name) => [name, ticker[name]]));
  assert.deepEqual(actual, figures, step);
  checkPercent(ticker);
  return true;
}

async function fixedCourse(market: Market, exchange: ExchangeProcess): Promise<void> {
  const hours = (count: number): Promise<unknown> =>
    exchange.operator.advanceClock(count * 3_600_000);
  await market.trade("100", "1");
  await hours(1);
  await market.trade("110", "2");
  await market.trade("90", "0.5");
  await hours(1);
  await market.trade("110", "0.25");
  await market.trade("101.5", "0.1");
  const [first, second, third] = (await market.trades()).sort(byTime);
  const ticker = await market.ticker();
  assert.deepEqual(
    [ticker.open, ticker.high, ticker.low, ticker.close, ticker.trades],
    ["100", "110", "90", "101.5", 5],
  );
  assert.deepEqual([ticker.size, ticker.value], ["3.85", "402.65"]);
  assert.deepEqual([ticker.priceChange, ticker.priceChangePercent], ["1.5", "0.015"]);
  assert.equal(ticker.highTime, second?.time, "the earlier of two equal highs");
  assert.equal(ticker.lowTime, third?.time);
  assert.deepEqual([ticker.markPrice, ticker.indexPrice, ticker.openInterest], ["0", "0", "0"]);
  assert.equal(Number(ticker.endTime) - DAY_MS, ticker.startTime);
  assert.ok(Number(first?.time) > Number(ticker.startTime));

  await hours(22.5);
  const without = await market.ticker();
  assert.deepEqual(
    [without.open, without.high, without.low, without.close, without.trades],
    ["110", "110", "90", "101.5", 4],
  );
  await hours(1);
  const two = await market.ticker();
  assert.deepEqual([two.open, two.low, two.trades], ["110", "101.5", 2]);
  await hours(1);
  const none = await market.ticker();
  assert.deepEqual(
    [none.open, none.high, none.low, none.close, none.lastPrice],
    ["101.5", "101.5", "101.5", "101.5", "101.5"],
  );
  assert.deepEqual(
    [none.trades, none.size, none.value, none.priceChange, none.priceChangePercent],
    [0, "0", "0", "0", "0"],
  );
}

async function randomCourse(
  market: Market,
  exchange: ExchangeProcess,
  dice: Random,
): Promise<number> {
  let compared = 0;
  for (let step = 0; step < scaled(60); step++) {
    const minutes = dice.chance(0.1) ? dice.integer(600, 2000) : dice.integer(0, 240);
    await exchange.operator.advanceClock(minutes * 60_000 + dice.integer(2, 59_000));
    const burst = dice.chance(0.8) ? dice.integer(1, 3) : 0;
    for (let i = 0; i < burst; i++) {
      const price = `${dice.integer(90, 110)}.${dice.pick(["0", "25", "5", "75"])}`;
      await market.trade(price, `0.${dice.integer(10, 99)}`);
    }
    if (await compare(market, `step ${step}`)) compared++;
  }
  return compared;
}

test("the ticker's rolling 24 hours", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const market = new Market(
    await openAccount(exchange, { BTC: "1000" }),
    await openAccount(exchange, { USDT: "10000000" }),
  );

  await t.test("before the first trade every figure is zero", async () => {
    const ticker = await market.ticker();
    for (const name of ["open", "high", "low", "close", "lastPrice", "size", "value"]) {
      assert.equal(ticker[name], "0", name);
    }
    assert.deepEqual([ticker.trades, ticker.priceChange, ticker.priceChangePercent], [0, "0", "0"]);
  });
  await t.test("a course of trades with figures worked out by hand", () =>
    fixedCourse(market, exchange),
  );
  await t.test("random courses, against the public trades", async () => {
    const compared = await randomCourse(market, exchange, random);
    t.diagnostic(`${compared} comparisons`);
    assert.ok(compared > scaled(60) / 2);
  });
  await t.test("the same window after a restart", async () => {
    const before = await market.ticker();
    await exchange.restart();
    const reader = await openAccount(exchange);
    const after = await reader.client.ticker("BTCUSDT");
    for (const name of ["open", "high", "low", "close", "size", "value", "trades", "highTime"]) {
      assert.deepEqual(after[name], before[name], name);
    }
  });
});
