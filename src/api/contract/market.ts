/** Public contract routes: what is listed, and what its markets did. */
import Type from "typebox";
import { type CandleInterval, PRICE_TYPES } from "../../domain/index.ts";
import { withDefault } from "../defaults.ts";
import { route } from "../route.ts";
import { count, decimal, END_TIME, START_TIME, SYMBOL, timeMs } from "../v3/fields.ts";
import { BOOK_LEVEL, CANDLE, LEVELS } from "../v3/market.ts";
import { SYMBOL_OPTIONAL, SYMBOL_REQUIRED, MARKET_TAG as TAG } from "./fields.ts";

const CONTRACT_CANDLE_INTERVALS = [
  "1m",
  "5m",
  "15m",
  "30m",
  "1h",
  "4h",
  "12h",
  "1d",
  "1w",
] as const satisfies readonly CandleInterval[];

export const contractTimeRoute = route("contract-time", {
  tag: TAG,
  summary: "Exchange time",
  description:
    "Every time in an answer is exchange time. In a sandbox it may be ahead of the clock on the " +
    "wall.",
  answer: Type.Object({ serverTime: timeMs("Exchange time") }),
});

const CONTRACT_SYMBOL = Type.Object({
  symbol: Type.String({ description: "Trading pair" }),
  displaySymbol: Type.String({ description: "Trading pair, for people" }),
  baseAsset: Type.String({ description: "What is traded" }),
  quoteAsset: Type.String({ description: "What it is paid with" }),
  marginAsset: Type.String({ description: "What margin, fees and profit are in" }),
  pricePrecision: Type.Integer({ description: "Decimals of a price" }),
  quantityPrecision: Type.Integer({ description: "Decimals of a quantity" }),
  baseAssetPrecision: Type.Integer({ description: "Decimals of a quantity" }),
  quotePrecision: Type.Integer({ description: "Decimals of a quote amount" }),
  contractVal: decimal("Smallest step of a quantity that is meant by one contract"),
  delivery: Type.Array(Type.String(), { description: "Funding times of a day, UTC" }),
  forwardContractFlag: Type.Literal(true, { description: "Margined in the quote asset" }),
  minLeverage: Type.Integer({ description: "Least leverage" }),
  maxLeverage: Type.Integer({ description: "Of the smallest positions" }),
  buyLimitPriceRatio: decimal("A buy may cost at most mark × (1 + ratio)"),
  sellLimitPriceRatio: decimal("A sell may ask at least mark × (1 − ratio)"),
  makerFeeRate: decimal("A fraction: 0.0002 is 0.02 %"),
  takerFeeRate: decimal("A fraction: 0.0008 is 0.08 %"),
  minOrderSize: decimal("Least quantity of an order"),
  maxOrderSize: decimal("Greatest quantity of an order"),
  maxPositionSize: decimal("Greatest size of a side, open orders included"),
  marketOpenLimitSize: decimal("Greatest quantity of a market order that opens"),
  liquidateFeeRate: decimal("Ours: of the value that a liquidation closes"),
  riskTiers: Type.Array(
    Type.Object({
      maxNotional: decimal("Greatest value of the tier, at mark"),
      maintenanceMarginRate: decimal("A fraction of the value"),
      maxLeverage: Type.Integer({ description: "Greatest leverage of the tier" }),
    }),
    { description: "Ours: what a liquidation price follows from, by ascending value" },
  ),
});

/** Public clients load the contract markets together with the spot markets. */
export const contractExchangeInfoRoute = route("contract-exchange-info", {
  tag: TAG,
  summary: "Rules of the contract markets",
  description: "Ticks, steps, bounds, leverages and fees of one contract or of all.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Object({
    assets: Type.Array(
      Type.Object({
        asset: Type.String({ description: "Asset" }),
        marginAvailable: Type.Literal(true, { description: "It can be margin" }),
      }),
      {
        description: "Margin assets",
      },
    ),
    rateLimits: Type.Array(
      Type.Object({ rateLimitType: Type.String({ description: "Kind of limit" }) }),
      {
        description: "Empty: limits are weights, named at each call",
      },
    ),
    symbols: Type.Array(CONTRACT_SYMBOL, { description: "The markets" }),
  }),
});

export const contractTradingSymbolsRoute = route("contract-api-trading-symbols", {
  tag: TAG,
  summary: "The contracts that take orders now",
  description: "Contracts that are cancel-only or halted are left out.",
  answer: Type.Array(Type.String()),
});

export const contractDepthRoute = route("contract-depth", {
  tag: TAG,
  summary: "The order book",
  description:
    "Prices with their total quantities, best first. With lastUpdateId a book that is kept from " +
    "the stream can be compared.",
  query: Type.Object({ symbol: SYMBOL, limit: Type.Optional(LEVELS) }),
  answer: Type.Object({
    bids: Type.Array(BOOK_LEVEL, { description: "Highest price first" }),
    asks: Type.Array(BOOK_LEVEL, { description: "Lowest price first" }),
    lastUpdateId: Type.Integer({ description: "Grows with every change of this book" }),
  }),
});

export const contractTicker24hrRoute = route("contract-ticker-24hr", {
  tag: TAG,
  summary: "The rolling 24 hours",
  description: "Of one contract or of all. The window ends with the answer and moves with it.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      priceChange: decimal("Last price less the opening price"),
      priceChangePercent: decimal("A fraction: 0.01 is one percent"),
      lastPrice: decimal('"0" before the first trade'),
      openPrice: decimal("Price at the start of the window"),
      highPrice: decimal("Highest price"),
      lowPrice: decimal("Lowest price"),
      volume: decimal("Traded base asset"),
      quoteVolume: decimal("Traded quote asset"),
      markPrice: decimal('"0" before the first index'),
      indexPrice: decimal('"0" before the first'),
      openTime: timeMs("Start of the window"),
      closeTime: timeMs("End of the window"),
    }),
  ),
});

export const contractBookTickerRoute = route("contract-book-ticker", {
  tag: TAG,
  summary: "Best bid and ask",
  description: "Of one contract or of all.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      bidPrice: decimal('"0" without bids'),
      bidQty: decimal("Quantity at the best bid"),
      askPrice: decimal('"0" without asks'),
      askQty: decimal("Quantity at the best ask"),
      time: timeMs("When this was true"),
    }),
  ),
});

export const contractTradesRoute = route("contract-trades", {
  tag: TAG,
  summary: "The latest trades, newest first",
  description: "Public trades of a contract, liquidations included.",
  query: Type.Object({
    symbol: SYMBOL,
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      id: Type.String({ description: "Trade id" }),
      time: timeMs("Traded at"),
      price: decimal("Price"),
      qty: decimal("Quantity in the base asset"),
      quoteQty: decimal("Price × quantity"),
      isBestMatch: Type.Boolean({ description: "Always true: a match is at the best price" }),
      isBuyerMaker: Type.Boolean({ description: "The taker sold" }),
    }),
  ),
});

const INTERVAL = Type.Enum(CONTRACT_CANDLE_INTERVALS, {
  description: "Weeks begin on Monday; all in UTC.",
});
const LATEST_CANDLES = Type.Object({
  symbol: SYMBOL,
  interval: INTERVAL,
  limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
});

export const contractKlinesRoute = route("contract-klines", {
  tag: TAG,
  summary: "The latest candles of trades, oldest first",
  description:
    "After a contract's first trade there are no gaps: an interval without trades repeats the " +
    "close before it.",
  query: LATEST_CANDLES,
  answer: Type.Array(CANDLE),
});

export const indexPriceKlinesRoute = route("contract-index-price-klines", {
  tag: TAG,
  summary: "The latest candles of the index price, oldest first",
  description: "Of the price that the contract follows. Volumes are 0.",
  query: LATEST_CANDLES,
  answer: Type.Array(CANDLE),
});

export const markPriceKlinesRoute = route("contract-mark-price-klines", {
  tag: TAG,
  summary: "The latest candles of the mark price, oldest first",
  description: "Of the price that profit and liquidation are reckoned with. Volumes are 0.",
  query: LATEST_CANDLES,
  answer: Type.Array(CANDLE),
});

export const historyKlinesRoute = route("contract-history-klines", {
  tag: TAG,
  summary: "Candles of a time range, oldest first",
  description: "The newest that open inside the range.",
  query: Type.Object({
    symbol: SYMBOL,
    interval: INTERVAL,
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 100, "Rows at most", 100)),
    priceType: Type.Optional(
      withDefault(
        Type.Enum(PRICE_TYPES, {
          description: "Of trades (LAST), index or mark",
          "x-empty-is-absent": true,
        }),
        "LAST",
      ),
    ),
  }),
  answer: Type.Array(CANDLE),
});

export const symbolPriceRoute = route("contract-symbol-price", {
  tag: TAG,
  summary: "Index or mark price",
  description:
    "The index is what the contract follows; the mark is what profit and liquidation are " +
    "reckoned with.",
  query: Type.Object({
    symbol: SYMBOL,
    priceType: Type.Optional(
      withDefault(
        Type.Enum(["INDEX", "MARK"], {
          description: "Which of the two",
          "x-empty-is-absent": true,
        }),
        "INDEX",
      ),
    ),
  }),
  answer: Type.Object({
    symbol: Type.String({ description: "Trading pair" }),
    price: decimal('"0" before the first'),
    time: timeMs("When this was true"),
  }),
});

export const openInterestRoute = route("contract-open-interest", {
  tag: TAG,
  summary: "Size of all open positions",
  description: "Every contract has a long and a short holder, so one side is counted.",
  query: SYMBOL_REQUIRED,
  answer: Type.Object({
    symbol: Type.String({ description: "Trading pair" }),
    openInterest: decimal("Size of one side, which is that of the other, in the base asset"),
    time: timeMs("When this was true"),
  }),
});

export const premiumIndexRoute = route("contract-premium-index", {
  tag: TAG,
  summary: "Mark, index and funding",
  description:
    "Of one contract or of all: the present mark and index, the last and the expected funding " +
    "rate, and when funding is next exchanged.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      markPrice: decimal('"0" before the first index'),
      indexPrice: decimal('"0" before the first'),
      forecastFundingRate: decimal("What the next funding would be at present, a fraction"),
      lastFundingRate: decimal("Of the last funding, a fraction; longs pay when it is positive"),
      interestRate: decimal("Part of the funding rate, a fraction"),
      nextFundingTime: timeMs("Next funding at"),
      time: timeMs("When this was true"),
      collectCycle: Type.Integer({ description: "Minutes between fundings" }),
    }),
  ),
});

export const fundingRateRoute = route("contract-funding-rate", {
  tag: TAG,
  summary: "Past fundings, newest first",
  description: "The range of times is at most 7 days.",
  query: Type.Object({
    symbol: SYMBOL,
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      fundingRate: decimal("A fraction; longs paid when it is positive"),
      fundingTime: timeMs("Settled for"),
      markPrice: decimal("Mark price of the settlement"),
    }),
  ),
});

export const CONTRACT_MARKET_ROUTES = [
  contractTimeRoute,
  contractExchangeInfoRoute,
  contractTradingSymbolsRoute,
  contractDepthRoute,
  contractTicker24hrRoute,
  contractBookTickerRoute,
  contractTradesRoute,
  contractKlinesRoute,
  indexPriceKlinesRoute,
  markPriceKlinesRoute,
  historyKlinesRoute,
  symbolPriceRoute,
  openInterestRoute,
  premiumIndexRoute,
  fundingRateRoute,
] as const;
