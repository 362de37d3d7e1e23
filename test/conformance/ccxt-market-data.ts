/** Markets and market data through ccxt, against the trades that `ccxt-orders.ts` made. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { OHLCV } from "ccxt";
import { BTC, type CcxtFixture, ETH } from "./ccxt-client.ts";

/** Price, quantity and taker's side of every BTC trade so far, oldest first. */
const TRADES: readonly (readonly [price: number, quantity: number, side: "buy" | "sell"])[] = [
  [50_000, 0.2, "buy"],
  [50_000, 0.3, "buy"],
  [50_000, 0.1, "buy"],
  [50_000, 0.1, "buy"],
  [50_000, 0.1, "buy"],
  [50_010, 0.05, "buy"],
  [49_990, 0.05, "sell"],
  [49_990, 0.15, "sell"],
];
const BASE_VOLUME = 1.05;
const QUOTE_VOLUME = 52_498.5;
const TIMEFRAMES = [
  "1m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "8h",
  "12h",
  "1d",
  "1w",
  "1M",
];

function close(actual: number | undefined, expected: number, what: string): void {
  const difference = Math.abs((actual ?? Number.NaN) - expected);
  assert.ok(difference < 1e-6, `${what}: ${actual} is not ${expected}`);
}

async function configuration(t: TestContext, { anonymous, exchange }: CcxtFixture): Promise<void> {
  await t.test("status, time, currencies, markets", async () => {
    assert.equal((await anonymous.fetchStatus()).status, "ok");
    const time = (await anonymous.fetchTime()) as number;
    assert.ok(Math.abs(time - Date.now()) < 24 * 3_600_000, `server time ${time}`);

    const currencies = (await anonymous.fetchCurrencies()) as Record<string, { name?: string }>;
    assert.deepEqual(Object.keys(currencies).sort(), ["BTC", "ETH", "USDT"]);
    assert.equal(currencies.ETH?.name, "Ether");

    const list = await anonymous.fetchMarkets();
    assert.deepEqual(list.map((market) => market?.symbol).sort(), [BTC, ETH]);
    const markets = await anonymous.loadMarkets();
    const btc = markets[BTC];
    assert.ok(btc !== undefined);
    assert.equal(btc.id, "BTCUSDT");
    assert.equal(btc.active, true);
    assert.equal(btc.spot, true);
    assert.deepEqual(
      { amount: btc.precision.amount, price: btc.precision.price },
      { amount: 0.00001, price: 0.01 },
    );
    assert.equal(btc.limits.amount?.min, 0.0001);
    assert.equal(btc.limits.amount?.max, 9000);
    assert.equal(btc.maker, 0.001);
    assert.equal(btc.taker, 0.001);
    assert.equal(markets[ETH]?.maker, 0.0008);
    assert.equal(markets[ETH]?.taker, 0.0012);

    await exchange.operator.call("PATCH", "/operator/v1/markets/spot/ETHUSDT", { state: "halted" });
    assert.equal((await anonymous.loadMarkets(true))[ETH]?.active, false);
    await exchange.operator.call("PATCH", "/operator/v1/markets/spot/ETHUSDT", {
      state: "trading",
    });
    assert.equal((await anonymous.loadMarkets(true))[ETH]?.active, true);
  });
}

async function book(t: TestContext, { anonymous, alice, bob }: CcxtFixture): Promise<void> {
  await t.test("order book, best bid and ask, last prices", async () => {
    for (const [price, amount] of [
      [49_900, 0.1],
      [49_900, 0.2],
      [49_800, 0.5],
    ] as const) {
      await alice.ccxt.createOrder(BTC, "limit", "buy", amount, price);
    }
    for (let i = 0; i < 20; i++) {
      await bob.ccxt.createOrder(BTC, "limit", "sell", 0.01, 50_100 + i);
    }
    const depth = await anonymous.fetchOrderBook(BTC);
    assert.deepEqual(depth.bids, [
      [49_900, 0.3],
      [49_800, 0.5],
    ]);
    assert.equal(depth.asks.length, 15);
    assert.deepEqual(depth.asks[0], [50_100, 0.01]);
    assert.deepEqual(depth.asks[14], [50_114, 0.01]);
    assert.ok((depth.nonce ?? 0) > 0);
    const deep = await anonymous.fetchOrderBook(BTC, 100);
    assert.equal(deep.asks.length, 20);

    const bidsAsks = await anonymous.fetchBidsAsks([BTC]);
    assert.equal(bidsAsks[BTC]?.bid, 49_900);
    assert.equal(bidsAsks[BTC]?.bidVolume, 0.3);
    assert.equal(bidsAsks[BTC]?.ask, 50_100);
    assert.equal(bidsAsks[BTC]?.askVolume, 0.01);
    const last = await anonymous.fetchLastPrices();
    assert.equal(last[BTC]?.price, 49_990);

    await alice.ccxt.cancelAllOrders(BTC);
    const moved = await anonymous.fetchOrderBook(BTC);
    assert.deepEqual(moved.bids, []);
    assert.ok((moved.nonce ?? 0) > (deep.nonce ?? 0));
    await bob.ccxt.cancelAllOrders(BTC);
  });
}

async function tickers(t: TestContext, { anonymous }: CcxtFixture): Promise<void> {
  await t.test("ticker of a market with trades and of one without", async () => {
    const ticker = await anonymous.fetchTicker(BTC);
    assert.equal(ticker.open, 50_000);
    assert.equal(ticker.high, 50_010);
    assert.equal(ticker.low, 49_990);
    assert.equal(ticker.last, 49_990);
    assert.equal(ticker.close, 49_990);
    assert.equal(ticker.change, -10);
    close(ticker.percentage, -0.02, "percentage");
    close(ticker.baseVolume, BASE_VOLUME, "base volume");
    close(ticker.quoteVolume, QUOTE_VOLUME, "quote volume");
    assert.equal(ticker.info.count, TRADES.length);
    const all = await anonymous.fetchTickers();
    assert.deepEqual(Object.keys(all).sort(), [BTC, ETH]);
    assert.equal(all[BTC]?.last, 49_990);
    assert.equal(all[ETH]?.info.count, 0);
    assert.equal(all[ETH]?.info.lastPrice, "0");
  });
}

async function tradesAndCandles(
  t: TestContext,
  { anonymous, exchange, alice, bob }: CcxtFixture,
): Promise<void> {
  await t.test("public trades", async () => {
    const trades = await anonymous.fetchTrades(BTC);
    assert.deepEqual(
      trades.map(({ price, amount, side }) => [price, amount, side]),
      TRADES,
    );
    assert.equal(new Set(trades.map(({ id }) => id)).size, TRADES.length);
    close(trades[5]?.cost, 2500.5, "cost");
    const two = await anonymous.fetchTrades(BTC, undefined, 2);
    assert.deepEqual(
      two.map(({ price, amount, side }) => [price, amount, side]),
      TRADES.slice(-2),
    );
  });

  await t.test("candles of every interval, without gaps", async () => {
    for (const timeframe of TIMEFRAMES) {
      const candles = await anonymous.fetchOHLCV(BTC, timeframe);
      const volume = candles.reduce((total, row) => total + Number(row[5]), 0);
      close(volume, BASE_VOLUME, `volume of ${timeframe}`);
      assert.equal(candles[0]?.[1], 50_000, timeframe);
      assert.equal(candles.at(-1)?.[4], 49_990, timeframe);
      assert.equal(Math.max(...candles.map((row) => Number(row[2]))), 50_010, timeframe);
      assert.equal(Math.min(...candles.map((row) => Number(row[3]))), 49_990, timeframe);
    }
    await exchange.operator.advanceClock(5 * 60_000);
    await bob.ccxt.createOrder(BTC, "limit", "sell", 0.001, 49_000);
    await alice.ccxt.createOrder(BTC, "limit", "buy", 0.001, 49_000);
    const candles = (await anonymous.fetchOHLCV(BTC, "1m")) as OHLCV[];
    assert.ok(candles.length >= 6);
    candles.forEach((candle, i) => {
      const before = candles[i - 1];
      if (before === undefined) return;
      assert.equal(Number(candle[0]) - Number(before[0]), 60_000);
      if (candle[5] === 0) assert.deepEqual(candle.slice(1, 5), Array(4).fill(before[4]));
    });
    assert.deepEqual(candles.at(-1)?.slice(1), [49_000, 49_000, 49_000, 49_000, 0.001]);
    assert.equal(candles.filter((candle) => candle[5] === 0).length >= 3, true);
  });
}

export async function marketDataTests(t: TestContext, fixture: CcxtFixture): Promise<void> {
  await configuration(t, fixture);
  await tickers(t, fixture);
  await book(t, fixture);
  await tradesAndCandles(t, fixture);
}
