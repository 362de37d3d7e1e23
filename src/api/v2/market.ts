/**
 * Public v2 routes: listed markets and market data. Properties are checked in their order: of
 * several missing or wrong parameters the first one is named.
 */
import Type from "typebox";
import { CANDLE_INTERVALS } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { route } from "../route.ts";
import { count } from "../v3/fields.ts";
import { BOOK_LEVEL, LEVELS } from "../v3/market.ts";
import {
  ANSWERED_SYMBOL,
  amount,
  LISTED_SYMBOL,
  longMs,
  SYMBOL,
  MARKET_TAG as TAG,
  textMs,
} from "./fields.ts";

export const serverTimeRoute = route("v2-server-time", {
  tag: TAG,
  summary: "Get Server Time",
  description:
    "Exchange time; all times in responses are exchange time. In a sandbox it may be " +
    "ahead of the wall clock.",
  answer: longMs("Exchange time"),
});

export const currenciesRoute = route("v2-currencies", {
  tag: TAG,
  summary: "Basic Crypto Information",
  description:
    "Every listed asset. The operator handles deposits and withdrawals; there is no " +
    "blockchain, so `chains` is empty.",
  answer: Type.Array(
    Type.Object({
      coinId: Type.String({ description: "Crypto id" }),
      coinName: Type.String({ description: "Name of the crypto" }),
      transfer: Type.Literal("true", {
        description: "Whether it can be moved between the wallets",
      }),
      chains: Type.Array(Type.Object({ chain: Type.String({ description: "Name of a chain" }) }), {
        description: "Always empty",
      }),
    }),
  ),
});

export const productsRoute = route("v2-products", {
  tag: TAG,
  summary: "API Default Symbol",
  description: "Pairs that currently accept orders.",
  answer: Type.Array(LISTED_SYMBOL),
});

const SYMBOLS_LENGTH_MAX = 8_000;

export const exchangeInfoRoute = route("v2-exchange-info", {
  tag: TAG,
  summary: "Get Symbol Info",
  description: "For one pair, several, or all.",
  query: Type.Object({
    symbol: Type.Optional(SYMBOL),
    symbols: Type.Optional(
      Type.String({
        maxLength: SYMBOLS_LENGTH_MAX,
        description: "Up to 100 trading pairs, comma-separated: BTCUSDT_SPBL,ETHUSDT_SPBL",
      }),
    ),
  }),
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "As sent by the caller, otherwise e.g. BTCUSDT_SPBL" }),
      baseCoin: Type.String({ description: "The base asset" }),
      quoteCoin: Type.String({ description: "The quote asset" }),
      tickSize: amount("Prices are multiples of this"),
      stepSize: amount("Quantities are multiples of this"),
      minTradeAmount: amount("Minimum order quantity, in the base asset"),
      maxTradeAmount: amount("Maximum order quantity, in the base asset"),
      takerFeeRate: amount("A fraction: 0.001 is 0.1 %"),
      makerFeeRate: amount("A fraction: 0.001 is 0.1 %"),
      buyLimitPriceRatio: amount("A buy price may be at most last × (1 + ratio)"),
      sellLimitPriceRatio: amount("A sell price must be at least last × (1 − ratio)"),
      marketBuyLimitSize: amount("Maximum quantity of a market buy, in the base asset"),
      marketSellLimitSize: amount("Maximum quantity of a market sell, in the base asset"),
      marketFallbackPriceRatio: amount("How far from the last price a market order may trade"),
      enableTrade: Type.Boolean({ description: "Whether it currently accepts orders" }),
      enableDisplay: Type.Boolean({ description: "Shown in lists" }),
      displayDigitMerge: Type.String({ description: "Price steps for grouping the book" }),
      displayNew: Type.Boolean({ description: "Not used" }),
      displayHot: Type.Boolean({ description: "Not used" }),
      supportTracing: Type.Boolean({ description: "Copy trading" }),
      supportPlanMarket: Type.Boolean({ description: "Conditional orders" }),
    }),
  ),
});

/** What tickers say of the rolling 24 hours. */
const DAY = {
  priceChange: amount("Price change"),
  priceChangePercent: amount("Price change as a fraction of the opening price"),
  trades: Type.Integer({ description: "Trades in the window" }),
  size: amount("Traded quantity, base asset"),
  value: amount("Traded amount, quote asset"),
  high: amount("Highest price"),
  low: amount("Lowest price"),
  open: amount("Opening price"),
  close: amount("Closing price"),
  highTime: longMs("Time of the high"),
  lowTime: longMs("Time of the low"),
  startTime: longMs("Start of the window"),
  endTime: longMs("End of the window"),
  lastPrice: amount("Last traded price"),
};
const OPEN_INTEREST = amount("Open interest of the contract with the same name, otherwise 0");

export const tickerRoute = route("v2-ticker", {
  tag: TAG,
  summary: "Get Single Ticker",
  description:
    "24-hour statistics; the rolling window ends at the time of the response. No " +
    "signature needed.",
  query: Type.Object({ symbol: SYMBOL }),
  answer: Type.Object({
    symbol: ANSWERED_SYMBOL,
    ...DAY,
    markPrice: amount("Mark price of the contract with the same name, otherwise 0"),
    indexPrice: amount("Index price of the contract with the same name, otherwise 0"),
    openInterest: OPEN_INTEREST,
    ts: longMs("System time"),
  }),
});

export const tickersRoute = route("v2-tickers", {
  tag: TAG,
  summary: "Get All Ticker",
  description: "24-hour statistics of every market.",
  answer: Type.Array(
    Type.Object({
      symbol: LISTED_SYMBOL,
      ...DAY,
      openInterest: OPEN_INTEREST,
      ts: longMs("System time"),
    }),
  ),
});

export const publicFillsRoute = route("v2-public-fills", {
  tag: TAG,
  summary: "Get Trades",
  description: "The latest trades of a market, newest first.",
  query: Type.Object({
    symbol: SYMBOL,
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      symbol: ANSWERED_SYMBOL,
      tradeId: Type.String({ description: "Trade id" }),
      fillTime: longMs("Traded at"),
      fillPrice: amount("Price"),
      fillQuantity: amount("Quantity in the base asset"),
      tradeValue: amount("Price × quantity"),
      bestMatch: Type.Boolean({ description: "Always true: every match is at the best price" }),
      buyerMaker: Type.Boolean({ description: "Whether the taker sold" }),
    }),
  ),
});

export const candlesRoute = route("v2-candles", {
  tag: TAG,
  summary: "Get Candlestick Data",
  description:
    "The newest candles, newest first. There are no gaps after a market's first trade: " +
    "an interval without trades repeats the previous close.",
  query: Type.Object({
    symbol: SYMBOL,
    period: Type.Enum(CANDLE_INTERVALS, { description: "Weeks begin on Monday; all in UTC." }),
    limit: Type.Optional(count(1, 1000, "Rows at most", 300)),
  }),
  answer: Type.Array(
    Type.Tuple(
      [
        longMs("Opens at"),
        amount("Open"),
        amount("High"),
        amount("Low"),
        amount("Close"),
        amount("Traded base asset"),
        amount("Traded quote asset"),
      ],
      { description: "[open time, open, high, low, close, volume, quote volume]" },
    ),
  ),
});

const BOOK_STEPS = ["step0", "step1", "step2", "step3", "step4", "step5"] as const;
/** The most prices that one group may merge: a book can have any number inside a step. */
export const GROUPED_LEVELS_MAX = 1_000;

export const depthRoute = route("v2-depth", {
  tag: TAG,
  summary: "Get OrderBook Depth",
  description:
    "step1 to step5 aggregate levels of 10, 100, … 100,000 ticks, bids at the lower and " +
    `asks at the upper end of a step, from the best ${GROUPED_LEVELS_MAX} prices of each ` +
    "side.",
  query: Type.Object({
    symbol: SYMBOL,
    type: Type.Optional(
      withDefault(
        Type.Enum(BOOK_STEPS, {
          description: "How prices are added up; step0 is every price by itself",
          "x-empty-is-absent": true,
        }),
        "step0",
      ),
    ),
    limit: Type.Optional(LEVELS),
  }),
  answer: Type.Object({
    asks: Type.Array(BOOK_LEVEL, { description: "Lowest price first" }),
    bids: Type.Array(BOOK_LEVEL, { description: "Highest price first" }),
    timestamp: textMs("Exchange time"),
  }),
});

export const V2_MARKET_ROUTES = [
  serverTimeRoute,
  currenciesRoute,
  productsRoute,
  exchangeInfoRoute,
  tickerRoute,
  tickersRoute,
  publicFillsRoute,
  candlesRoute,
  depthRoute,
] as const;
