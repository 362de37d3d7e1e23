/** Public contract routes: listed markets and market data. */
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
    "All times in responses are exchange time. In a sandbox it may be ahead of the wall " +
    "clock.",
  answer: Type.Object({ serverTime: timeMs("Exchange time") }),
});

const CONTRACT_SYMBOL = Type.Object({
  symbol: Type.String({ description: "Trading pair" }),
  displaySymbol: Type.String({ description: "Display name of the trading pair" }),
  baseAsset: Type.String({ description: "The base asset" }),
  quoteAsset: Type.String({ description: "The quote asset" }),
  marginAsset: Type.String({ description: "The asset of margin, fees and P&L" }),
  pricePrecision: Type.Integer({ description: "Decimal places of prices" }),
  quantityPrecision: Type.Integer({ description: "Decimal places of quantities" }),
  baseAssetPrecision: Type.Integer({ description: "Decimal places of quantities" }),
  quotePrecision: Type.Integer({ description: "Decimal places of quote amounts" }),
  contractVal: decimal("Quantity of one contract in the base asset; 1, as quantities are in it"),
  delivery: Type.Array(Type.String(), { description: "Daily funding times, UTC" }),
  forwardContractFlag: Type.Literal(true, { description: "Margined in the quote asset" }),
  minLeverage: Type.Integer({ description: "Minimum leverage" }),
  maxLeverage: Type.Integer({ description: "Maximum leverage, for the smallest positions" }),
  buyLimitPriceRatio: decimal("A buy price may be at most mark × (1 + ratio)"),
  sellLimitPriceRatio: decimal("A sell price must be at least mark × (1 − ratio)"),
  makerFeeRate: decimal("A fraction: 0.0002 is 0.02 %"),
  takerFeeRate: decimal("A fraction: 0.0008 is 0.08 %"),
  minOrderSize: decimal("Minimum order quantity"),
  maxOrderSize: decimal("Maximum order quantity"),
  maxPositionSize: decimal("Maximum position size per side, open orders included"),
  marketOpenLimitSize: decimal("Maximum quantity of an opening market order"),
  liquidateFeeRate: decimal("Ours: fraction of the notional closed by a liquidation"),
  riskTiers: Type.Array(
    Type.Object({
      maxNotional: decimal("Maximum notional of the tier, at the mark price"),
      maintenanceMarginRate: decimal("Fraction of the notional"),
      maxLeverage: Type.Integer({ description: "Maximum leverage of the tier" }),
    }),
    {
      description:
        "Ours: the margin tiers that determine liquidation prices, by ascending notional",
    },
  ),
});

/** Public clients load the contract markets together with the spot markets. */
export const contractExchangeInfoRoute = route("contract-exchange-info", {
  tag: TAG,
  summary: "Rules of the contract markets",
  description: "Ticks, steps, limits, leverages and fees of one contract or all.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Object({
    assets: Type.Array(
      Type.Object({
        asset: Type.String({ description: "Asset" }),
        marginAvailable: Type.Literal(true, { description: "Whether it can be used as margin" }),
      }),
      {
        description: "Margin assets",
      },
    ),
    rateLimits: Type.Array(
      Type.Object({ rateLimitType: Type.String({ description: "Type of limit" }) }),
      {
        description: "Empty: limits are weights, listed with each call",
      },
    ),
    symbols: Type.Array(CONTRACT_SYMBOL, { description: "The markets" }),
  }),
});

export const contractTradingSymbolsRoute = route("contract-api-trading-symbols", {
  tag: TAG,
  summary: "Contracts that currently accept orders",
  description: "Cancel-only and halted contracts are omitted.",
  answer: Type.Array(Type.String()),
});

export const contractDepthRoute = route("contract-depth", {
  tag: TAG,
  summary: "The order book",
  description:
    "Prices with their total quantities, best first. Use lastUpdateId to compare it with " +
    "a book maintained from the stream.",
  query: Type.Object({ symbol: SYMBOL, limit: Type.Optional(LEVELS) }),
  answer: Type.Object({
    bids: Type.Array(BOOK_LEVEL, { description: "Highest price first" }),
    asks: Type.Array(BOOK_LEVEL, { description: "Lowest price first" }),
    lastUpdateId: Type.Integer({ description: "Grows with every change of this book" }),
  }),
});

export const contractTicker24hrRoute = route("contract-ticker-24hr", {
  tag: TAG,
  summary: "24-hour statistics",
  description: "For one contract or all. The rolling window ends at the time of the response.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      priceChange: decimal("Last price minus the opening price"),
      priceChangePercent: decimal("A fraction: 0.01 is 1 %"),
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
  description: "For one contract or all.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      bidPrice: decimal('"0" if there are no bids'),
      bidQty: decimal("Quantity at the best bid"),
      askPrice: decimal('"0" if there are no asks'),
      askQty: decimal("Quantity at the best ask"),
      time: timeMs("Time of these values"),
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
      isBestMatch: Type.Boolean({ description: "Always true: every match is at the best price" }),
      isBuyerMaker: Type.Boolean({ description: "Whether the taker sold" }),
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
    "There are no gaps after a contract's first trade: an interval without trades " +
    "repeats the previous close.",
  query: LATEST_CANDLES,
  answer: Type.Array(CANDLE),
});

export const indexPriceKlinesRoute = route("contract-index-price-klines", {
  tag: TAG,
  summary: "The latest candles of the index price, oldest first",
  description: "Candles of the index price. Volumes are 0.",
  query: LATEST_CANDLES,
  answer: Type.Array(CANDLE),
});

export const markPriceKlinesRoute = route("contract-mark-price-klines", {
  tag: TAG,
  summary: "The latest candles of the mark price, oldest first",
  description:
    "Candles of the mark price, which determines unrealised P&L and liquidation. Volumes " +
    "are 0.",
  query: LATEST_CANDLES,
  answer: Type.Array(CANDLE),
});

export const historyKlinesRoute = route("contract-history-klines", {
  tag: TAG,
  summary: "Candles of a time range, oldest first",
  description: "The newest candles that open inside the range.",
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
    "The contract follows the index price; the mark price determines unrealised P&L and " +
    "liquidation.",
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
    time: timeMs("Time of these values"),
  }),
});

export const openInterestRoute = route("contract-open-interest", {
  tag: TAG,
  summary: "Open interest",
  description: "Every contract has a long and a short holder; only one side is counted.",
  query: SYMBOL_REQUIRED,
  answer: Type.Object({
    symbol: Type.String({ description: "Trading pair" }),
    openInterest: decimal("Total size of one side, in the base asset"),
    time: timeMs("Time of these values"),
  }),
});

export const premiumIndexRoute = route("contract-premium-index", {
  tag: TAG,
  summary: "Mark price, index price and funding",
  description:
    "For one contract or all: current mark and index price, last and expected funding " +
    "rate, and the time of the next funding.",
  query: SYMBOL_OPTIONAL,
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      markPrice: decimal('"0" before the first index'),
      indexPrice: decimal('"0" before the first'),
      forecastFundingRate: decimal("Expected rate of the next funding, a fraction"),
      lastFundingRate: decimal("Rate of the last funding, a fraction; longs pay if positive"),
      interestRate: decimal("Interest part of the funding rate, a fraction"),
      nextFundingTime: timeMs("Time of the next funding"),
      time: timeMs("Time of these values"),
      collectCycle: Type.Integer({ description: "Minutes between fundings" }),
    }),
  ),
});

export const fundingRateRoute = route("contract-funding-rate", {
  tag: TAG,
  summary: "Past fundings, newest first",
  description: "The time range covers at most 7 days.",
  query: Type.Object({
    symbol: SYMBOL,
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 1000, "Rows at most", 100)),
  }),
  answer: Type.Array(
    Type.Object({
      symbol: Type.String({ description: "Trading pair" }),
      fundingRate: decimal("A fraction; longs paid if positive"),
      fundingTime: timeMs("Funding time"),
      markPrice: decimal("Mark price at the settlement"),
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
