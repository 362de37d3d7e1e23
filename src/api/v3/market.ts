/** Public v3 routes: listed markets and market data. */
import Type from "typebox";
import { CANDLE_INTERVALS } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { route } from "../route.ts";
import {
  count,
  decimal,
  END_TIME,
  START_TIME,
  SYMBOL,
  SYMBOL_CHOICE,
  SYMBOLS,
  timeMs,
} from "./fields.ts";

export const serverTimeRoute = route("v3-server-time", {
  tag: "Spot v3: market data",
  summary: "Exchange time",
  description:
    "All times in responses are exchange time. In a sandbox it may be ahead of the wall " +
    "clock.",
  answer: Type.Object({ serverTime: timeMs("Exchange time") }),
});

export const pingRoute = route("v3-ping", {
  tag: "Spot v3: market data",
  summary: "Connectivity test",
  description:
    "Returns an empty object if the API is reachable. It says nothing about the markets.",
  answer: Type.Object({}),
});

export const coinsRoute = route("v3-coins", {
  tag: "Spot v3: market data",
  summary: "Every listed asset",
  description:
    "The operator handles deposits and withdrawals; there is no blockchain, so " +
    "`networkList` is empty.",
  answer: Type.Array(
    Type.Object({
      coin: Type.String({ description: "Asset" }),
      coinId: Type.Integer({ description: "Number of the asset in bills and transfer records" }),
      name: Type.String({ description: "Full name of the asset" }),
      depositAllEnable: Type.Boolean({ description: "Whether it can be deposited" }),
      withdrawAllEnable: Type.Boolean({ description: "Whether it can be withdrawn" }),
      networkList: Type.Array(
        Type.Object({ network: Type.String({ description: "Name of a chain" }) }),
        { description: "Always empty" },
      ),
    }),
  ),
});

const SYMBOL_STATUSES = ["TRADING", "BREAK"] as const;

const SPOT_SYMBOL = Type.Object({
  symbol: Type.String({ description: "Trading pair" }),
  status: Type.Enum(SYMBOL_STATUSES, { description: "BREAK: currently accepts no orders" }),
  baseAsset: Type.String({ description: "The base asset" }),
  baseAssetPrecision: Type.Integer({ description: "Decimal places of base balances" }),
  quoteAsset: Type.String({ description: "The quote asset" }),
  quoteAssetPrecision: Type.Integer({ description: "Decimal places of quote balances" }),
  tickSize: decimal("Prices are multiples of this"),
  stepSize: decimal("Quantities are multiples of this"),
  minTradeAmount: decimal("Minimum order quantity, in the base asset"),
  maxTradeAmount: decimal("Maximum order quantity, in the base asset"),
  minNotional: decimal("Minimum notional of an order, in the quote asset"),
  takerFeeRate: decimal("A fraction: 0.001 is 0.1 %"),
  makerFeeRate: decimal("A fraction: 0.001 is 0.1 %"),
  buyLimitPriceRatio: decimal("A buy price may be at most last × (1 + ratio)"),
  sellLimitPriceRatio: decimal("A sell price must be at least last × (1 − ratio)"),
  marketBuyLimitSize: decimal("Maximum quantity of a market buy, in the base asset"),
  marketSellLimitSize: decimal("Maximum quantity of a market sell, in the base asset"),
  marketFallbackPriceRatio: decimal("How far from the last price a market order may trade"),
  enableTrade: Type.Boolean({ description: "Whether it currently accepts orders" }),
  enableDisplay: Type.Boolean({ description: "Shown in lists" }),
  displayDigitMerge: Type.String({ description: "Price steps for grouping the book" }),
  displayNew: Type.Boolean({ description: "Not used" }),
  displayHot: Type.Boolean({ description: "Not used" }),
  supportTracing: Type.Boolean({ description: "Copy trading" }),
  supportPlanMarket: Type.Boolean({ description: "Conditional orders" }),
});

export const exchangeInfoRoute = route("v3-exchange-info", {
  tag: "Spot v3: market data",
  summary: "Rules of the spot markets",
  description: "Ticks, steps, limits, fees and state of one market, several, or all.",
  query: Type.Object({
    symbol: Type.Optional(SYMBOL),
    symbols: Type.Optional(SYMBOLS),
    symbolStatus: Type.Optional(
      Type.Enum(SYMBOL_STATUSES, { description: "Only markets in this state." }),
    ),
  }),
  answer: Type.Object({
    timezone: Type.String({ description: "Time zone of the server" }),
    serverTime: timeMs("Exchange time"),
    symbols: Type.Array(SPOT_SYMBOL, { description: "The markets" }),
  }),
});

export const apiTradingSymbolsRoute = route("v3-api-trading-symbols", {
  tag: "Spot v3: market data",
  summary: "Pairs that currently accept orders",
  description: "Cancel-only and halted markets are omitted.",
  answer: Type.Array(Type.String()),
});

export const tickerPriceRoute = route("v3-ticker-price", {
  tag: "Spot v3: market data",
  summary: "Last prices",
  description: "For one market, several, or all.",
  query: SYMBOL_CHOICE,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      price: decimal('"0" before the first trade'),
    }),
  ),
});

export const ticker24hrRoute = route("v3-ticker-24hr", {
  tag: "Spot v3: market data",
  summary: "24-hour statistics",
  description:
    "For one market, several, or all. The rolling window ends at the time of the " +
    "response; if it contains no trade, the four prices are the last price.",
  query: SYMBOL_CHOICE,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      priceChange: decimal("Last price minus the opening price"),
      priceChangePercent: decimal("A fraction: 0.01 is 1 %"),
      lastPrice: decimal('"0" before the first trade'),
      bidPrice: decimal('"0" if there are no bids'),
      bidQty: decimal("Quantity at the best bid"),
      askPrice: decimal('"0" if there are no asks'),
      askQty: decimal("Quantity at the best ask"),
      openPrice: decimal("Price at the start of the window"),
      highPrice: decimal("Highest price"),
      lowPrice: decimal("Lowest price"),
      volume: decimal("Traded base asset"),
      quoteVolume: decimal("Traded quote asset"),
      openTime: timeMs("Start of the window"),
      closeTime: timeMs("End of the window"),
      count: Type.Integer({ description: "Trades" }),
    }),
  ),
});

export const bookTickerRoute = route("v3-book-ticker", {
  tag: "Spot v3: market data",
  summary: "Best bid and ask",
  description: "For one market, several, or all.",
  query: SYMBOL_CHOICE,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      bidPrice: decimal('"0" if there are no bids'),
      bidQty: decimal("Quantity at the best bid"),
      askPrice: decimal('"0" if there are no asks'),
      askQty: decimal("Quantity at the best ask"),
    }),
  ),
});

export const LEVELS = withDefault(
  Type.Integer({
    enum: [15, 200],
    description: "Levels on each side",
    "x-refusal": "parameter-out-of-range",
    "x-empty-is-absent": true,
  }),
  15,
);

export const BOOK_LEVEL = Type.Tuple([Type.String(), Type.String()], {
  description: "Price and total quantity",
});

export const depthRoute = route("v3-depth", {
  tag: "Spot v3: market data",
  summary: "The order book",
  description:
    "Prices with their total quantities, best first. Use lastUpdateId to compare it with " +
    "a book maintained from the stream.",
  query: Type.Object({
    symbol: SYMBOL,
    limit: Type.Optional(LEVELS),
  }),
  answer: Type.Object({
    lastUpdateId: Type.Integer({ description: "Grows with every change of this book" }),
    bids: Type.Array(BOOK_LEVEL, { description: "Highest price first" }),
    asks: Type.Array(BOOK_LEVEL, { description: "Lowest price first" }),
  }),
});

export const CANDLE = Type.Tuple(
  [
    timeMs("Opens at"),
    decimal("Open"),
    decimal("High"),
    decimal("Low"),
    decimal("Close"),
    decimal("Traded base asset"),
    timeMs("Last millisecond"),
    decimal("Traded quote asset"),
    Type.Integer({ description: "Trades" }),
    decimal("Base asset bought by takers"),
    decimal("Quote asset spent by takers who bought"),
  ],
  {
    description:
      "[open time, open, high, low, close, volume, close time, quote volume, trades, " +
      "taker buy volume, taker buy quote volume]",
  },
);

export const klinesRoute = route("v3-klines", {
  tag: "Spot v3: market data",
  summary: "Candles",
  description:
    "The newest candles that open inside the time range, oldest first. There are no gaps " +
    "after a market's first trade: an interval without trades repeats the previous close.",
  query: Type.Object({
    symbol: SYMBOL,
    interval: Type.Enum(CANDLE_INTERVALS, { description: "Weeks begin on Monday; all in UTC." }),
    limit: Type.Optional(count(1, 1000, "Rows at most", 300)),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
  }),
  answer: Type.Array(CANDLE),
});

export const tradesRoute = route("v3-trades", {
  tag: "Spot v3: market data",
  summary: "The latest trades, newest first",
  description: "Public trades of a market. Ids match the stream and the caller's fills.",
  query: Type.Object({
    symbol: SYMBOL,
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      id: Type.String({ description: "Trade id" }),
      price: decimal("Price"),
      qty: decimal("Quantity in the base asset"),
      quoteQty: decimal("Price × quantity"),
      time: timeMs("Traded at"),
      isBuyerMaker: Type.Boolean({ description: "Whether the taker sold" }),
      isBestMatch: Type.Boolean({ description: "Always true: every match is at the best price" }),
    }),
  ),
});

export const V3_MARKET_ROUTES = [
  serverTimeRoute,
  pingRoute,
  coinsRoute,
  exchangeInfoRoute,
  apiTradingSymbolsRoute,
  tickerPriceRoute,
  ticker24hrRoute,
  bookTickerRoute,
  depthRoute,
  klinesRoute,
  tradesRoute,
] as const;
