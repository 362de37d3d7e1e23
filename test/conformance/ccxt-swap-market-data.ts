/** Contract markets and market data through ccxt, against the trades of `ccxt-swap-orders.ts`. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { OHLCV } from "ccxt";
import { pinMark, setIndex } from "../support/contract-setup.ts";
import { BTC, BTC_SWAP, ETH_SWAP } from "./ccxt-client.ts";
import { positionOf, type SwapFixture } from "./ccxt-swap-fixture.ts";

/** Price, quantity and taker's side of every BTC trade so far, oldest first. */
const TRADES: readonly (readonly [price: number, quantity: number, side: "buy" | "sell"])[] = [
  [60_000, 0.2, "buy"],
  [60_000, 0.3, "buy"],
  [60_000, 0.1, "buy"],
  [60_000, 0.1, "buy"],
  [60_000, 0.1, "buy"],
  [60_010, 0.05, "buy"],
  [59_990, 0.05, "sell"],
  [59_990, 0.15, "sell"],
  [60_000, 0.3, "buy"],
];
const BASE_VOLUME = 1.35;
const QUOTE_VOLUME = 80_998.5;
const TIMEFRAMES = ["1m", "5m", "15m", "30m", "1h", "4h", "12h", "1d", "1w"];

function close(actual: number | undefined, expected: number, what: string): void {
  const difference = Math.abs((actual ?? Number.NaN) - expected);
  assert.ok(difference < 1e-6, `${what}: ${actual} is not ${expected}`);
}

async function configuration(t: TestContext, { anonymous }: SwapFixture): Promise<void> {
  await t.test("time and markets, contracts beside spot markets of the same id", async () => {
    const time = (await anonymous.fetchTime()) as number;
    assert.ok(Math.abs(time - Date.now()) < 24 * 3_600_000, `server time ${time}`);
    const list = await anonymous.fetchMarkets();
    const contracts = list.filter((market) => market?.swap === true);
    assert.deepEqual(contracts.map((market) => market?.symbol).sort(), [BTC_SWAP, ETH_SWAP]);
    const markets = await anonymous.loadMarkets();
    const btc = markets[BTC_SWAP];
    assert.ok(btc !== undefined);
    assert.equal(btc.id, "BTCUSDT");
    assert.equal(markets[BTC]?.id, "BTCUSDT");
    assert.equal(btc.linear, true);
    assert.equal(btc.settle, "USDT");
    assert.equal(btc.contractSize, 1);
    const { amount, price } = btc.precision;
    assert.deepEqual({ amount, price }, { amount: 0.001, price: 0.1 });
    assert.equal(btc.limits.amount?.min, 0.001);
    assert.equal(btc.limits.amount?.max, 1000);
    assert.equal(btc.limits.leverage?.min, 1);
    assert.equal(btc.limits.leverage?.max, 100);
    assert.equal(btc.maker, 0.0002);
    assert.equal(btc.taker, 0.0008);
    assert.deepEqual(btc.info.delivery, ["00:00:00", "08:00:00", "16:00:00"]);
  });
}

async function book(t: TestContext, { anonymous, alice, bob }: SwapFixture): Promise<void> {
  await t.test("order book, best bid and ask", async () => {
    for (const [price, amount] of [
      [59_900, 0.1],
      [59_900, 0.2],
      [59_800, 0.5],
    ] as const) {
      await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", amount, price);
    }
    for (let i = 0; i < 20; i++) {
      await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.01, 60_100 + i);
    }
    const depth = await anonymous.fetchOrderBook(BTC_SWAP);
    assert.deepEqual(depth.bids, [
      [59_900, 0.3],
      [59_800, 0.5],
    ]);
    assert.equal(depth.asks.length, 15);
    assert.deepEqual(depth.asks[0], [60_100, 0.01]);
    assert.ok((depth.nonce ?? 0) > 0);
    assert.equal((await anonymous.fetchOrderBook(BTC_SWAP, 200)).asks.length, 20);
    assert.deepEqual((await anonymous.fetchOrderBook(BTC)).bids, []);

    const bidsAsks = await anonymous.fetchBidsAsks([BTC_SWAP]);
    assert.equal(bidsAsks[BTC_SWAP]?.bid, 59_900);
    assert.equal(bidsAsks[BTC_SWAP]?.bidVolume, 0.3);
    assert.equal(bidsAsks[BTC_SWAP]?.ask, 60_100);
    assert.equal(bidsAsks[BTC_SWAP]?.askVolume, 0.01);
    await alice.ccxt.cancelAllOrders(BTC_SWAP);
    await bob.ccxt.cancelAllOrders(BTC_SWAP);
    const moved = await anonymous.fetchOrderBook(BTC_SWAP);
    assert.deepEqual([moved.bids, moved.asks], [[], []]);
    assert.ok((moved.nonce ?? 0) > (depth.nonce ?? 0));
  });
}

async function tickers(t: TestContext, { anonymous }: SwapFixture): Promise<void> {
  await t.test("ticker of a contract with trades and of one without", async () => {
    const ticker = await anonymous.fetchTicker(BTC_SWAP);
    assert.equal(ticker.symbol, BTC_SWAP);
    assert.equal(ticker.open, 60_000);
    assert.equal(ticker.high, 60_010);
    assert.equal(ticker.low, 59_990);
    assert.equal(ticker.last, 60_000);
    assert.equal(ticker.change, 0);
    close(ticker.baseVolume, BASE_VOLUME, "base volume");
    close(ticker.quoteVolume, QUOTE_VOLUME, "quote volume");
    assert.equal(ticker.indexPrice, 60_000);
    assert.ok(Number(ticker.markPrice) > 0);
    const all = await anonymous.fetchTickers();
    assert.deepEqual(Object.keys(all).sort(), [BTC_SWAP, ETH_SWAP]);
    assert.equal(all[ETH_SWAP]?.info.lastPrice, "0");
    assert.equal(all[ETH_SWAP]?.markPrice, 3000);
  });
}

async function prices(t: TestContext, { anonymous, exchange, alice }: SwapFixture): Promise<void> {
  await t.test("mark price, open interest, funding rates", async () => {
    await pinMark(exchange, "BTCUSDT", "60123.4");
    assert.equal((await anonymous.fetchMarkPrice(BTC_SWAP)).markPrice, 60_123.4);
    const index = await anonymous.fetchMarkPrice(BTC_SWAP, { priceType: "INDEX" });
    assert.equal(index.indexPrice, 60_000);
    const marks = await anonymous.fetchMarkPrices([BTC_SWAP, ETH_SWAP]);
    assert.equal(marks[BTC_SWAP]?.markPrice, 60_123.4);
    assert.equal(marks[ETH_SWAP]?.markPrice, 3000);
    assert.equal((await positionOf(alice, "long"))?.markPrice, undefined);

    const interest = await anonymous.fetchOpenInterest(BTC_SWAP);
    assert.equal(interest.symbol, BTC_SWAP);
    close(interest.openInterestAmount, 0.75, "open interest");

    const rate = await anonymous.fetchFundingRate(BTC_SWAP);
    assert.equal(rate.markPrice, 60_123.4);
    assert.equal(rate.interval, "8h");
    assert.ok(Number(rate.nextFundingTimestamp) > Number(rate.timestamp));
    const rates = await anonymous.fetchFundingRates();
    assert.deepEqual(Object.keys(rates).sort(), [BTC_SWAP, ETH_SWAP]);
    await pinMark(exchange, "BTCUSDT", null);
  });
}

async function candles(t: TestContext, fixture: SwapFixture): Promise<void> {
  const { anonymous, exchange } = fixture;
  await t.test("public trades", async () => {
    const trades = await anonymous.fetchTrades(BTC_SWAP);
    assert.deepEqual(
      trades.map(({ price, amount, side }) => [price, amount, side]),
      TRADES,
    );
    assert.equal(new Set(trades.map(({ id }) => id)).size, TRADES.length);
    const two = await anonymous.fetchTrades(BTC_SWAP, undefined, 2);
    assert.deepEqual(
      two.map(({ price, amount, side }) => [price, amount, side]),
      TRADES.slice(-2),
    );
  });

  await t.test("candles of every interval", async () => {
    for (const timeframe of TIMEFRAMES) {
      const rows = await anonymous.fetchOHLCV(BTC_SWAP, timeframe);
      const volume = rows.reduce((total, row) => total + Number(row[5]), 0);
      close(volume, BASE_VOLUME, `volume of ${timeframe}`);
      assert.equal(rows[0]?.[1], 60_000, timeframe);
      assert.equal(rows.at(-1)?.[4], 60_000, timeframe);
      assert.equal(Math.max(...rows.map((row) => Number(row[2]))), 60_010, timeframe);
      assert.equal(Math.min(...rows.map((row) => Number(row[3]))), 59_990, timeframe);
    }
    const past = await anonymous.fetchOHLCV(BTC_SWAP, "1m", undefined, 100, { historical: true });
    const volume = past.reduce((total, row) => total + Number(row[5]), 0);
    close(volume, BASE_VOLUME, "volume of historical candles");
  });

  await t.test("candles of the index and of the mark", async () => {
    // Five seconds into a minute, so that all prices fall into one candle.
    const time = (await anonymous.fetchTime()) as number;
    await exchange.operator.advanceClock(125_000 - (time % 60_000));
    for (const price of ["60100", "59900", "60050"]) await setIndex(exchange, "BTCUSDT", price);
    const index = (await anonymous.fetchIndexOHLCV(BTC_SWAP, "1m")) as OHLCV[];
    assert.deepEqual(index.at(-1)?.slice(2, 6), [60_100, 59_900, 60_050, 0]);
    const mark = (await anonymous.fetchMarkOHLCV(BTC_SWAP, "1m")) as OHLCV[];
    assert.deepEqual(mark.at(-1)?.slice(2, 6), [60_100, 59_900, 60_050, 0]);
    await setIndex(exchange, "BTCUSDT", "60000");
  });
}

export async function swapMarketDataTests(t: TestContext, fixture: SwapFixture): Promise<void> {
  await configuration(t, fixture);
  await tickers(t, fixture);
  await candles(t, fixture);
  await book(t, fixture);
  await prices(t, fixture);
}
