/**
 * Proves the wire shapes of the public v3 endpoints, value for value, and their refusals. The
 * endpoints are called with an exchange in memory; every golden also has to satisfy the route's own
 * answer schema.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { answerOf, callEndpoint, refusalOf } from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { ASSETS, BTC_MARKET, ENGINE, HISTORY } from "../../../test/support/spot-fixture.ts";
import { accept } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  apiTradingSymbols,
  bookTicker,
  coins,
  depth,
  exchangeInfo,
  klines,
  ping,
  serverTime,
  ticker24hr,
  tickerPrice,
  trades,
} from "./market.ts";

type Query = Readonly<Record<string, string>>;

const ask = (endpoint: Endpoint, query: Query = {}, exchange = spot()) =>
  answerOf(endpoint, { query }, exchange);
const refusal = (endpoint: Endpoint, query: Query) => refusalOf(endpoint, { query }, spot());
const spot = () => new ExchangeDouble(ENGINE, HISTORY);

const BTC_SYMBOL = {
  symbol: "BTCUSDT",
  status: "TRADING",
  baseAsset: "BTC",
  baseAssetPrecision: 8,
  quoteAsset: "USDT",
  quoteAssetPrecision: 6,
  tickSize: "0.01",
  stepSize: "0.00001",
  minTradeAmount: "0.0001",
  maxTradeAmount: "9000",
  minNotional: "1",
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

const ETH_SYMBOL = {
  ...BTC_SYMBOL,
  symbol: "ETHUSDT",
  status: "BREAK",
  baseAsset: "ETH",
  tickSize: "0.05",
  stepSize: "0.001",
  takerFeeRate: "0.001",
  makerFeeRate: "0.0008",
  sellLimitPriceRatio: "0.1",
  marketFallbackPriceRatio: "0.1",
  enableTrade: false,
  displayDigitMerge: "0.05,0.5,5,50",
};

test("time, ping and coins", async () => {
  assert.deepEqual(await ask(serverTime), { serverTime: DOUBLE_TIME_MS });
  assert.deepEqual(await ask(ping), {});
  const listed = (await ask(coins)) as unknown[];
  assert.equal(listed.length, ASSETS.length);
  assert.deepEqual(listed[0], {
    coin: "BTC",
    coinId: 1,
    name: "Bitcoin",
    depositAllEnable: false,
    withdrawAllEnable: false,
    networkList: [],
  });
});

test("exchangeInfo lists every market, one, or those of a list", async () => {
  const answer = (symbols: unknown[]) => ({
    timezone: "UTC",
    serverTime: DOUBLE_TIME_MS,
    symbols,
  });
  assert.deepEqual(await ask(exchangeInfo), answer([BTC_SYMBOL, ETH_SYMBOL]));
  const one = await ask(exchangeInfo, { symbol: "BTCUSDT" });
  assert.deepEqual(one, answer([BTC_SYMBOL]));
  for (const symbols of ["ETHUSDT,BTCUSDT", '["ETHUSDT","BTCUSDT","ETHUSDT"]']) {
    const both = await ask(exchangeInfo, { symbols });
    assert.deepEqual(both, answer([ETH_SYMBOL, BTC_SYMBOL]));
  }
  const halted = await ask(exchangeInfo, { symbolStatus: "BREAK" });
  assert.deepEqual(halted, answer([ETH_SYMBOL]));
});

test("symbols are exact, and chosen in one way", async () => {
  for (const endpoint of [exchangeInfo, tickerPrice, ticker24hr, bookTicker]) {
    const unknown = ["unknown-symbol", "symbol"];
    assert.deepEqual(await refusal(endpoint, { symbol: "btcusdt" }), unknown);
    assert.deepEqual(await refusal(endpoint, { symbol: "" }), unknown);
    assert.deepEqual(await refusal(endpoint, { symbol: "__proto__" }), unknown);
    for (const symbols of ["BTCUSDT,ethusdt", "ethusdt"]) {
      assert.deepEqual(await refusal(endpoint, { symbols }), ["unknown-symbol", "symbols"]);
    }
    const both = await refusal(endpoint, { symbol: "BTCUSDT", symbols: "BTCUSDT" });
    assert.deepEqual(both, ["invalid-combination", "symbols"]);
    for (const symbols of ["[]", '["BTCUSDT"', "[1]", "[null]"]) {
      assert.deepEqual(await refusal(endpoint, { symbols }), ["invalid-parameter", "symbols"]);
    }
    const many = Array.from({ length: 101 }, (_, i) => `S${i}`).join(",");
    const refused = await refusal(endpoint, { symbols: many });
    assert.deepEqual(refused, ["parameter-out-of-range", "symbols"]);
  }
});

test("apiTradingSymbols leaves out what takes no orders", async () => {
  assert.deepEqual(await ask(apiTradingSymbols), ["BTCUSDT"]);
});

test("the tickers", async () => {
  assert.deepEqual(await ask(tickerPrice), [
    { symbol: "BTCUSDT", price: "99000" },
    { symbol: "ETHUSDT", price: "0" },
  ]);
  assert.deepEqual(await ask(ticker24hr, { symbol: "BTCUSDT" }), [
    {
      symbol: "BTCUSDT",
      priceChange: "-1000",
      priceChangePercent: "-0.01",
      lastPrice: "99000",
      bidPrice: "98999.99",
      bidQty: "0.25",
      askPrice: "99000.01",
      askQty: "0.5",
      openPrice: "100000",
      highPrice: "101000",
      lowPrice: "98000",
      volume: "1.5",
      quoteVolume: "149500",
      openTime: DOUBLE_TIME_MS - 86_400_000,
      closeTime: DOUBLE_TIME_MS,
      count: 3,
    },
  ]);
  assert.deepEqual(await ask(bookTicker, { symbols: "BTCUSDT" }), [
    {
      symbol: "BTCUSDT",
      bidPrice: "98999.99",
      bidQty: "0.25",
      askPrice: "99000.01",
      askQty: "0.5",
    },
  ]);
});

test("depth takes 15 or 200 levels", async () => {
  for (const [limit, levels] of [
    [undefined, 15],
    ["15", 15],
    ["200", 200],
  ] as const) {
    const exchange = spot();
    const query = limit === undefined ? {} : { limit };
    assert.deepEqual(await ask(depth, { symbol: "BTCUSDT", ...query }, exchange), {
      lastUpdateId: 31,
      bids: [
        ["98999.99", "0.25"],
        ["98000", "0.3"],
      ],
      asks: [["99000.01", "0.5"]],
    });
    assert.deepEqual(exchange.queries, [{ type: "spot-depth", symbol: "BTCUSDT", levels }]);
  }
  for (const limit of ["16", "0", "15.0", "all"]) {
    const refused = await refusal(depth, { symbol: "BTCUSDT", limit });
    assert.deepEqual(refused, ["parameter-out-of-range", "limit"]);
  }
});

test("klines asks the store for a range that ends at exchange time", async () => {
  const exchange = spot();
  const query = { symbol: "BTCUSDT", interval: "1m", limit: "2", startTime: "5", endTime: "5" };
  assert.deepEqual(await ask(klines, query, exchange), [
    [
      DOUBLE_TIME_MS - 20_000,
      "99500",
      "99600",
      "98900",
      "99000",
      "0.3",
      DOUBLE_TIME_MS + 39_999,
      "29700",
      2,
      "0.2",
      "19800",
    ],
  ]);
  const question = {
    symbol: "BTCUSDT",
    interval: "1m",
    time: { fromMs: 5, toMs: 5 },
    nowMs: DOUBLE_TIME_MS,
    limit: 2,
  };
  assert.deepEqual(exchange.asked, [{ name: "spot-candles", question, sequence: DOUBLE_SEQUENCE }]);
  const backwards = { symbol: "BTCUSDT", interval: "1m", startTime: "6", endTime: "5" };
  assert.deepEqual(await refusal(klines, backwards), ["start-after-end", "startTime"]);
});

test("trades, and the bounds of every limit", async () => {
  assert.deepEqual(await ask(trades, { symbol: "BTCUSDT" }), [
    {
      id: "12",
      price: "99000",
      qty: "0.1",
      quoteQty: "9900",
      time: DOUBLE_TIME_MS - 900,
      isBuyerMaker: true,
      isBestMatch: true,
    },
  ]);
  for (const endpoint of [trades, klines]) {
    for (const limit of ["0", "1001", "999999999999999", "-1", "1e2", "ten"]) {
      const refused = await refusal(endpoint, { symbol: "BTCUSDT", interval: "1d", limit });
      assert.deepEqual(refused, ["parameter-out-of-range", "limit"]);
    }
    const unknown = await refusal(endpoint, { symbol: "BTCUSD", interval: "1d" });
    assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
  }
});

test("what cannot be answered now is said, not hidden", async () => {
  const overloaded = new ExchangeDouble({ "spot-markets": () => ({ unavailable: "overloaded" }) });
  const query = { symbol: "BTCUSDT" };
  assert.deepEqual(await callEndpoint(trades, { query }, overloaded), {
    ok: false,
    unavailable: "overloaded",
  });
  const behind = new ExchangeDouble(
    { "spot-markets": () => accept([BTC_MARKET]) },
    { "public-spot-trades": () => ({ unavailable: "history-behind" }) },
  );
  assert.deepEqual(await callEndpoint(trades, { query }, behind), {
    ok: false,
    unavailable: "history-behind",
  });
});
