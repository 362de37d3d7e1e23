/**
 * Proves the wire shapes of the public v2 endpoints, value for value, what they ask, and their
 * refusals, with an exchange in memory. The single ticker is with the specification's endpoints.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { answerOf, refusalOf } from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { CANDLE, ENGINE, HISTORY } from "../../../test/support/spot-fixture.ts";
import { accept } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  candles,
  currencies,
  depth,
  exchangeInfo,
  products,
  publicFills,
  serverTime,
  tickers,
} from "./market-v2.ts";

type Query = Readonly<Record<string, string>>;

const CONTRACT_PRICES = {
  symbol: "BTCUSDT",
  markPrice: "99001",
  indexPrice: "99002",
  indexMs: DOUBLE_TIME_MS,
  isStale: false,
  isPinned: false,
  lastPrice: "99003",
  openInterest: "12.5",
  forecastFundingRate: "0.0001",
  lastFundingRate: "0",
  interestRate: "0.0001",
  nextFundingMs: DOUBLE_TIME_MS + 1,
  fundingIntervalMinutes: 480,
};

const spot = () =>
  new ExchangeDouble({ ...ENGINE, "contract-prices": () => accept([CONTRACT_PRICES]) }, HISTORY);
const ask = (endpoint: Endpoint, query: Query = {}, exchange = spot()) =>
  answerOf(endpoint, { query }, exchange);
const refusal = (endpoint: Endpoint, query: Query) => refusalOf(endpoint, { query }, spot());

test("time, currencies, products", async () => {
  assert.equal(await ask(serverTime), DOUBLE_TIME_MS);
  assert.deepEqual(await ask(currencies), [
    { coinId: "1", coinName: "BTC", transfer: "true", chains: [] },
    { coinId: "2", coinName: "USDT", transfer: "true", chains: [] },
    { coinId: "3", coinName: "ETH", transfer: "true", chains: [] },
  ]);
  assert.deepEqual(await ask(products), ["BTCUSDT_SPBL"], "one that takes no orders is not there");
});

const BTC_RULES = {
  symbol: "BTCUSDT_SPBL",
  baseCoin: "BTC",
  quoteCoin: "USDT",
  tickSize: "0.01",
  stepSize: "0.00001",
  minTradeAmount: "0.0001",
  maxTradeAmount: "9000",
  takerFeeRate: "0.0012",
  makerFeeRate: "0.001",
  buyLimitPriceRatio: "0.1",
  sellLimitPriceRatio: "0.2",
  marketBuyLimitSize: "9000",
  marketSellLimitSize: "9000",
  marketFallbackPriceRatio: "0.2",
  enableTrade: true,
  enableDisplay: true,
  displayDigitMerge: "0.01,0.1,1,10",
  displayNew: false,
  displayHot: false,
  supportTracing: false,
  supportPlanMarket: false,
};

test("exchangeInfo: 21 names; all, one, or several as the caller spells them", async () => {
  const symbols = async (query: Query): Promise<string[]> =>
    ((await ask(exchangeInfo, query)) as { symbol: string }[]).map(({ symbol }) => symbol);
  assert.equal(Object.keys(BTC_RULES).length, 21);
  const [first] = (await ask(exchangeInfo)) as [object];
  assert.deepEqual(first, BTC_RULES);
  assert.deepEqual(await symbols({}), ["BTCUSDT_SPBL", "ETHUSDT_SPBL"]);
  assert.deepEqual(await ask(exchangeInfo, { symbol: "btcusdt" }), [
    { ...BTC_RULES, symbol: "btcusdt" },
  ]);
  const several = { symbols: "ETHUSDT_SPBL,BTCUSDT" };
  assert.deepEqual(await symbols(several), ["ETHUSDT_SPBL", "BTCUSDT"]);
  assert.deepEqual(await refusal(exchangeInfo, { symbol: "NOPE" }), ["unknown-symbol", "symbol"]);
  for (const list of ["NOPE", "BTCUSDT_SPBL,BTC-USDT", "BTCUSDT,"]) {
    assert.deepEqual(await refusal(exchangeInfo, { symbols: list }), ["unknown-symbol", "symbols"]);
  }
  const both = { symbol: "BTCUSDT", symbols: "BTCUSDT" };
  assert.deepEqual(await refusal(exchangeInfo, both), ["invalid-combination", "symbols"]);
  const many = { symbols: Array.from({ length: 101 }, (_, i) => `A${i}`).join(",") };
  assert.deepEqual(await refusal(exchangeInfo, many), ["parameter-out-of-range", "symbols"]);
});

test("tickers: seventeen names, without mark and index price", async () => {
  const rows = (await ask(tickers)) as object[];
  assert.deepEqual(rows[0], {
    symbol: "BTCUSDT_SPBL",
    priceChange: "-1000",
    priceChangePercent: "-0.01",
    trades: 3,
    size: "1.5",
    value: "149500",
    high: "101000",
    low: "98000",
    open: "100000",
    close: "99000",
    highTime: DOUBLE_TIME_MS - 3_000,
    lowTime: DOUBLE_TIME_MS - 2_000,
    startTime: DOUBLE_TIME_MS - 86_400_000,
    endTime: DOUBLE_TIME_MS,
    lastPrice: "99000",
    openInterest: "12.5",
    ts: DOUBLE_TIME_MS,
  });
  const { symbol, openInterest } = rows[1] as { symbol: string; openInterest: string };
  assert.deepEqual([symbol, openInterest, rows.length], ["ETHUSDT_SPBL", "0", 2]);
});

test("fills: the latest trades", async () => {
  const exchange = spot();
  assert.deepEqual(await ask(publicFills, { symbol: "btcusdt_spbl" }, exchange), [
    {
      symbol: "btcusdt_spbl",
      tradeId: "12",
      fillTime: DOUBLE_TIME_MS - 900,
      fillPrice: "99000",
      fillQuantity: "0.1",
      tradeValue: "9900",
      bestMatch: true,
      buyerMaker: true,
    },
  ]);
  await ask(publicFills, { symbol: "BTCUSDT", limit: "1000" }, exchange);
  const asked = (limit: number) => ({
    name: "public-spot-trades",
    question: { symbol: "BTCUSDT", limit },
    sequence: DOUBLE_SEQUENCE,
  });
  assert.deepEqual(exchange.asked, [asked(100), asked(1000)]);
});

test("candles: seven columns, newest first", async () => {
  const older = { ...CANDLE, openMs: 1, open: "7" };
  const oldestFirst = { ...HISTORY, "spot-candles": () => [older, CANDLE] };
  const exchange = new ExchangeDouble(ENGINE, oldestFirst);
  const rows = await ask(candles, { symbol: "BTCUSDT_SPBL", period: "1m" }, exchange);
  assert.deepEqual(rows, [
    [DOUBLE_TIME_MS - 20_000, "99500", "99600", "98900", "99000", "0.3", "29700"],
    [1, "7", "99600", "98900", "99000", "0.3", "29700"],
  ]);
  const question = {
    symbol: "BTCUSDT",
    interval: "1m",
    time: { fromMs: null, toMs: null },
    nowMs: DOUBLE_TIME_MS,
    limit: 300,
  };
  assert.deepEqual(exchange.asked, [{ name: "spot-candles", question, sequence: DOUBLE_SEQUENCE }]);
});

test("depth: by price, and by steps from a deeper look at the book", async () => {
  const exchange = spot();
  const timestamp = String(DOUBLE_TIME_MS);
  const bids = [
    ["98999.99", "0.25"],
    ["98000", "0.3"],
  ];
  const plain = { asks: [["99000.01", "0.5"]], bids, timestamp };
  for (const query of [{}, { type: "", limit: "" }, { type: "step0", limit: "15" }]) {
    assert.deepEqual(await ask(depth, { symbol: "BTCUSDT_SPBL", ...query }, exchange), plain);
  }
  const step5 = { symbol: "btcusdt", type: "step5", limit: "200" };
  assert.deepEqual(await ask(depth, step5, exchange), {
    asks: [["100000", "0.5"]],
    bids: [["98000", "0.55"]],
    timestamp,
  });
  const levels = exchange.queries.flatMap((asked) =>
    asked.type === "spot-depth" ? [asked.levels] : [],
  );
  assert.deepEqual(levels, [15, 15, 15, 1_000]);
});

test("refusals of what a market did", async () => {
  const period = { period: "1h" };
  const cases: readonly (readonly [Endpoint, Query, reason: string, field: string])[] = [
    [publicFills, {}, "missing-parameter", "symbol"],
    [publicFills, { symbol: "BTC/USDT" }, "unknown-symbol", "symbol"],
    [publicFills, { symbol: "NOPE" }, "unknown-symbol", "symbol"],
    [publicFills, { symbol: "BTCUSDT", limit: "0" }, "parameter-out-of-range", "limit"],
    [publicFills, { symbol: "BTCUSDT", limit: "1001" }, "parameter-out-of-range", "limit"],
    [candles, period, "missing-parameter", "symbol"],
    [candles, { symbol: "BTCUSDT" }, "missing-parameter", "period"],
    [candles, { symbol: "BTCUSDT", period: "3m" }, "invalid-parameter", "period"],
    [candles, { symbol: "NOPE", ...period }, "unknown-symbol", "symbol"],
    [candles, { symbol: "BTCUSDT", ...period, limit: "1001" }, "parameter-out-of-range", "limit"],
    [depth, {}, "missing-parameter", "symbol"],
    [depth, { symbol: "NOPE" }, "unknown-symbol", "symbol"],
    [depth, { symbol: "NOPE", type: "step1" }, "unknown-symbol", "symbol"],
    [depth, { symbol: "BTCUSDT", type: "step6" }, "invalid-parameter", "type"],
    [depth, { symbol: "BTCUSDT", limit: "20" }, "parameter-out-of-range", "limit"],
  ];
  for (const [endpoint, query, reason, field] of cases) {
    const refused = await refusal(endpoint, query);
    assert.deepEqual(refused, [reason, field], JSON.stringify(query));
  }
});
