/**
 * Proves the public contract routes, value for value: what they ask of the engine and the store,
 * what they answer, and the bounds of their parameters.
 */
import assert from "node:assert/strict";
import test from "node:test";
import * as shapes from "../../../test/support/contract-answers.ts";
import {
  CONTRACT_ENGINE,
  CONTRACT_HISTORY,
  FUNDING,
} from "../../../test/support/contract-fixture.ts";
import { answerOf, callEndpoint, refusalOf } from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { assertShape } from "../../../test/support/wire-shape.ts";
import { accept } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  bookTicker,
  depth,
  exchangeInfo,
  historyKlines,
  indexPriceKlines,
  klines,
  markPriceKlines,
  serverTime,
  ticker24hr,
  trades,
  tradingContracts,
} from "./market.ts";
import { fundingRate, openInterest, premiumIndex, symbolPrice } from "./prices.ts";

type Query = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

const contracts = () => new ExchangeDouble(CONTRACT_ENGINE, CONTRACT_HISTORY);
const ask = (endpoint: Endpoint, query: Query = {}, exchange = contracts()) =>
  answerOf(endpoint, { query }, exchange);
const refusal = (endpoint: Endpoint, query: Query) => refusalOf(endpoint, { query }, contracts());

const BTC = { symbol: "BTCUSDT" };

test("time", async () => {
  assert.deepEqual(await ask(serverTime), { serverTime: DOUBLE_TIME_MS });
});

test("exchangeInfo: every market or one, margin assets once, funding times", async () => {
  const all = (await ask(exchangeInfo)) as { readonly symbols: readonly Row[] };
  assertShape(all.symbols, [shapes.CONTRACT_SYMBOL]);
  assert.deepEqual(all, {
    assets: [{ asset: "USDT", marginAvailable: true }],
    rateLimits: [],
    symbols: all.symbols,
  });
  assert.deepEqual(all.symbols[0], {
    symbol: "BTCUSDT",
    displaySymbol: "BTCUSDT",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    marginAsset: "USDT",
    pricePrecision: 1,
    quantityPrecision: 3,
    baseAssetPrecision: 3,
    quotePrecision: 8,
    contractVal: "1",
    delivery: ["00:00:00", "08:00:00", "16:00:00"],
    forwardContractFlag: true,
    minLeverage: 1,
    maxLeverage: 100,
    buyLimitPriceRatio: "0.05",
    sellLimitPriceRatio: "0.04",
    makerFeeRate: "0.0002",
    takerFeeRate: "0.0008",
    minOrderSize: "0.001",
    maxOrderSize: "1000",
    maxPositionSize: "5000",
    marketOpenLimitSize: "500",
    liquidateFeeRate: "0.01",
    riskTiers: [{ maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
  });
  const delivery = all.symbols[1]?.delivery as readonly string[];
  assert.deepEqual([delivery.length, delivery[1], delivery.at(-1)], [16, "01:30:00", "22:30:00"]);
  const one = (await ask(exchangeInfo, BTC)) as typeof all;
  assert.deepEqual(one.symbols, [all.symbols[0]]);
  const unknown = await refusal(exchangeInfo, { symbol: "btcusdt" });
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
  const none = new ExchangeDouble({ "contract-markets": () => accept([]) });
  assert.deepEqual(await ask(exchangeInfo, {}, none), {
    assets: [],
    rateLimits: [],
    symbols: [],
  });
});

test("apiTradingSymbols leaves out what takes no orders", async () => {
  assert.deepEqual(await ask(tradingContracts), ["BTCUSDT"]);
});

test("the book: 15 levels unless 200 are asked for", async () => {
  const exchange = contracts();
  assert.deepEqual(await ask(depth, BTC, exchange), {
    bids: [
      ["98999.9", "0.25"],
      ["98000", "0.3"],
    ],
    asks: [["99000.1", "0.5"]],
    lastUpdateId: 31,
  });
  await ask(depth, { ...BTC, limit: "200" }, exchange);
  assert.deepEqual(exchange.queries, [
    { type: "contract-depth", symbol: "BTCUSDT", levels: 15 },
    { type: "contract-depth", symbol: "BTCUSDT", levels: 200 },
  ]);
  for (const limit of ["16", "0", "1000", "x"]) {
    const refused = await refusal(depth, { ...BTC, limit });
    assert.deepEqual(refused, ["parameter-out-of-range", "limit"]);
  }
});

test("tickers are arrays, with mark and index beside the last price", async () => {
  const day = (await ask(ticker24hr, BTC)) as Row[];
  assertShape(day, [shapes.TICKER_24HR]);
  assert.deepEqual(day, [
    {
      symbol: "BTCUSDT",
      priceChange: "-1000",
      priceChangePercent: "-0.01",
      lastPrice: "99000",
      openPrice: "100000",
      highPrice: "101000",
      lowPrice: "98000",
      volume: "1.5",
      quoteVolume: "149500",
      markPrice: "61000.5",
      indexPrice: "60990",
      openTime: DOUBLE_TIME_MS - 86_400_000,
      closeTime: DOUBLE_TIME_MS,
    },
  ]);
  const best = (await ask(bookTicker)) as Row[];
  assertShape(best, [shapes.BOOK_TICKER]);
  assert.deepEqual(best, [
    {
      symbol: "BTCUSDT",
      bidPrice: "98999.9",
      bidQty: "0.25",
      askPrice: "99000.1",
      askQty: "0.5",
      time: DOUBLE_TIME_MS,
    },
  ]);
});

test("trades, newest first; their ids are text", async () => {
  const exchange = contracts();
  const rows = await ask(trades, { ...BTC, limit: "7" }, exchange);
  assertShape(rows, [shapes.PUBLIC_TRADE]);
  assert.deepEqual(rows, [
    {
      id: "12",
      time: DOUBLE_TIME_MS - 890,
      price: "61500",
      qty: "0.4",
      quoteQty: "24600",
      isBestMatch: true,
      isBuyerMaker: true,
    },
  ]);
  assert.deepEqual(exchange.asked, [
    {
      name: "public-contract-trades",
      question: { symbol: "BTCUSDT", limit: 7 },
      sequence: DOUBLE_SEQUENCE,
    },
  ]);
  for (const limit of ["0", "1001"]) {
    const refused = await refusal(trades, { ...BTC, limit });
    assert.deepEqual(refused, ["parameter-out-of-range", "limit"]);
  }
});

const ROW = [
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
];

test("the latest candles of trades, index and mark", async () => {
  for (const [endpoint, priceType] of [
    [klines, "LAST"],
    [indexPriceKlines, "INDEX"],
    [markPriceKlines, "MARK"],
  ] as const) {
    const exchange = contracts();
    assert.deepEqual(await ask(endpoint, { ...BTC, interval: "4h" }, exchange), [ROW]);
    assert.deepEqual(exchange.asked, [
      {
        name: "contract-candles",
        question: {
          symbol: "BTCUSDT",
          priceType,
          interval: "4h",
          time: { fromMs: null, toMs: null },
          nowMs: DOUBLE_TIME_MS,
          limit: 100,
        },
        sequence: DOUBLE_SEQUENCE,
      },
    ]);
    const query = { ...BTC, interval: "1m", limit: "1000" };
    assert.ok((await callEndpoint(endpoint, { query }, contracts())).ok);
    const many = await refusal(endpoint, { ...query, limit: "1001" });
    assert.deepEqual(many, ["parameter-out-of-range", "limit"]);
  }
  assert.equal(ROW.length, shapes.CANDLE.length);
});

test("nine intervals, and no others", async () => {
  for (const interval of ["1m", "5m", "15m", "30m", "1h", "4h", "12h", "1d", "1w"]) {
    const query = { ...BTC, interval };
    assert.ok((await callEndpoint(klines, { query }, contracts())).ok, interval);
  }
  for (const interval of ["2h", "6h", "8h", "1M", "1H", "60", "1s"]) {
    const refused = await refusal(klines, { ...BTC, interval });
    assert.deepEqual(refused, ["invalid-parameter", "interval"], interval);
  }
  const missing = await refusal(klines, BTC);
  assert.deepEqual(missing, ["missing-parameter", "interval"]);
});

test("candles of a time range: an end that lies ahead is the present", async () => {
  const cases: readonly (readonly [query: Query, question: object])[] = [
    [{}, { priceType: "LAST", time: { fromMs: null, toMs: null }, limit: 100 }],
    [
      { priceType: "MARK", limit: "1" },
      { priceType: "MARK", limit: 1 },
    ],
    [{ startTime: "5", endTime: "9" }, { time: { fromMs: 5, toMs: 9 } }],
    [{ endTime: String(DOUBLE_TIME_MS + 1) }, { time: { fromMs: null, toMs: DOUBLE_TIME_MS } }],
  ];
  for (const [query, question] of cases) {
    const exchange = contracts();
    await ask(historyKlines, { ...BTC, interval: "1d", ...query }, exchange);
    assert.partialDeepStrictEqual(exchange.asked[0]?.question as object, question);
  }
  for (const [query, refused] of [
    [{ limit: "101" }, ["parameter-out-of-range", "limit"]],
    [{ startTime: "2", endTime: "1" }, ["start-after-end", "startTime"]],
    [{ priceType: "FAIR" }, ["invalid-parameter", "priceType"]],
  ] as const) {
    const sent = { ...BTC, interval: "1d", ...query };
    assert.deepEqual(await refusal(historyKlines, sent), refused);
  }
});

test("index or mark, open interest", async () => {
  const time = DOUBLE_TIME_MS;
  for (const [query, price] of [
    [BTC, "60990"],
    [{ ...BTC, priceType: "INDEX" }, "60990"],
    [{ ...BTC, priceType: "MARK" }, "61000.5"],
    [{ symbol: "ETHUSDT", priceType: "MARK" }, "0"],
  ] as const) {
    const answer = await ask(symbolPrice, query);
    assert.deepEqual(answer, { symbol: query.symbol, price, time });
  }
  const last = await refusal(symbolPrice, { ...BTC, priceType: "LAST" });
  assert.deepEqual(last, ["invalid-parameter", "priceType"]);
  const interest = { symbol: "BTCUSDT", openInterest: "12.5", time };
  assert.deepEqual(await ask(openInterest, BTC), interest);
  assert.deepEqual(await refusal(openInterest, {}), ["missing-parameter", "symbol"]);
});

test("premiumIndex: an array of one market or all", async () => {
  const rows = (await ask(premiumIndex)) as Row[];
  assertShape(rows, [shapes.PREMIUM_INDEX]);
  assert.equal(rows.length, 2);
  assert.deepEqual(await ask(premiumIndex, BTC), [
    {
      symbol: "BTCUSDT",
      markPrice: "61000.5",
      indexPrice: "60990",
      forecastFundingRate: "0.00012",
      lastFundingRate: "-0.0001",
      interestRate: "0.0001",
      nextFundingTime: DOUBLE_TIME_MS + 3_600_000,
      time: DOUBLE_TIME_MS,
      collectCycle: 480,
    },
  ]);
});

test("past fundings: at most 7 days at a time", async () => {
  const exchange = contracts();
  const week = 7 * 86_400_000;
  const query = { ...BTC, startTime: "0", endTime: String(week), limit: "1000" };
  const rows = await ask(fundingRate, query, exchange);
  assertShape(rows, [shapes.FUNDING_RATE]);
  assert.deepEqual(rows, [
    {
      symbol: "BTCUSDT",
      fundingRate: "-0.0001",
      fundingTime: FUNDING.slotMs,
      markPrice: "60510.5",
    },
  ]);
  assert.deepEqual(exchange.asked[0]?.question, {
    symbol: "BTCUSDT",
    time: { fromMs: 0, toMs: week },
    limit: 1000,
  });
  for (const [change, refused] of [
    [{ endTime: String(week + 1) }, ["time-range-too-long", "endTime"]],
    [{ limit: "1001" }, ["parameter-out-of-range", "limit"]],
    [{ symbol: "NOPE" }, ["unknown-symbol", "symbol"]],
    [{ symbol: "" }, ["missing-parameter", "symbol"]],
  ] as const) {
    assert.deepEqual(await refusal(fundingRate, { ...query, ...change }), refused);
  }
});
