/** Contracts: exchange time, markets, books, tickers, trades and candles. */
import {
  contractBookTickerRoute,
  contractDepthRoute,
  contractExchangeInfoRoute,
  contractKlinesRoute,
  contractTicker24hrRoute,
  contractTimeRoute,
  contractTradesRoute,
  contractTradingSymbolsRoute,
  historyKlinesRoute,
  indexPriceKlinesRoute,
  markPriceKlinesRoute,
} from "../../api/contract/market.ts";
import type { AnswerOf } from "../../api/route.ts";
import { accept, type CandleInterval, type PriceType } from "../../domain/index.ts";
import type { ContractMarketView, QueryAnswers } from "../../protocol/index.ts";
import type { PublicTrade, TimeRange } from "../../queries/history-port.ts";
import { type Endpoint, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { bookSides, candleRow, tradingSymbols } from "../market-answers.ts";
import { readStartAndEnd } from "../parameters.ts";
import { lookUpSymbol, querySymbolHistory } from "./symbol-history.ts";

type Candles = AnswerOf<typeof contractKlinesRoute>;

const MINUTES_PER_DAY = 24 * 60;
const ALWAYS: TimeRange = { fromMs: null, toMs: null };

export const serverTime = endpoint(contractTimeRoute, async (_request, { engine }) => {
  const status = await engine.query({ type: "status" });
  return status.ok ? accept({ serverTime: status.timestampMs }) : status;
});

export const exchangeInfo = endpoint(contractExchangeInfoRoute, async ({ query }, { engine }) => {
  const symbol = query.symbol ?? null;
  const markets = await engine.query({ type: "contract-markets", symbol });
  if (!markets.ok) return markets;
  const assets = [...new Set(markets.value.map(({ marginAsset }) => marginAsset))];
  return accept({
    assets: assets.map((asset) => ({ asset, marginAvailable: true as const })),
    rateLimits: [],
    symbols: markets.value.map(toSymbol),
  });
});

function toSymbol(market: ContractMarketView) {
  return {
    symbol: market.symbol,
    displaySymbol: market.symbol,
    baseAsset: market.baseAsset,
    quoteAsset: market.quoteAsset,
    marginAsset: market.marginAsset,
    pricePrecision: market.pricePrecision,
    quantityPrecision: market.quantityPrecision,
    baseAssetPrecision: market.quantityPrecision,
    quotePrecision: market.quoteScale,
    contractVal: market.contractVal,
    delivery: fundingTimes(market.fundingIntervalMinutes),
    forwardContractFlag: true as const,
    minLeverage: market.minLeverage,
    maxLeverage: market.maxLeverage,
    buyLimitPriceRatio: market.buyLimitPriceRatio,
    sellLimitPriceRatio: market.sellLimitPriceRatio,
    makerFeeRate: market.makerFeeRate,
    takerFeeRate: market.takerFeeRate,
    minOrderSize: market.minOrderSize,
    maxOrderSize: market.maxOrderSize,
    maxPositionSize: market.maxPositionSize,
    marketOpenLimitSize: market.marketOpenLimitSize,
    liquidateFeeRate: market.liquidateFeeRate,
    riskTiers: [...market.tiers],
  };
}

/** Of one day in UTC, as clock times; the interval divides the day. */
function fundingTimes(intervalMinutes: number): string[] {
  return Array.from({ length: Math.floor(MINUTES_PER_DAY / intervalMinutes) }, (_, slot) => {
    const minutes = slot * intervalMinutes;
    const hours = String(Math.floor(minutes / 60)).padStart(2, "0");
    return `${hours}:${String(minutes % 60).padStart(2, "0")}:00`;
  });
}

export const tradingContracts = endpoint(
  contractTradingSymbolsRoute,
  async (_request, { engine }) => {
    const markets = await engine.query({ type: "contract-markets", symbol: null });
    return markets.ok ? accept(tradingSymbols(markets.value)) : markets;
  },
);

export const depth = endpoint(contractDepthRoute, async ({ query }, { engine }) => {
  const { symbol, limit: levels } = query;
  const book = await engine.query({ type: "contract-depth", symbol, levels });
  if (!book.ok) return book;
  return accept({ ...bookSides(book.value), lastUpdateId: book.value.version });
});

export const ticker24hr = endpoint(contractTicker24hrRoute, async ({ query }, { engine }) => {
  const symbol = query.symbol ?? null;
  const tickers = await engine.query({ type: "contract-tickers", symbol });
  return tickers.ok ? accept(tickers.value.map(toTicker)) : tickers;
});

/** Public clients take a row with `markPrice` for a contract. */
function toTicker(ticker: QueryAnswers["contract-tickers"][number]) {
  return {
    symbol: ticker.symbol,
    priceChange: ticker.priceChange,
    priceChangePercent: ticker.priceChangePercent,
    lastPrice: ticker.lastPrice,
    openPrice: ticker.open,
    highPrice: ticker.high,
    lowPrice: ticker.low,
    volume: ticker.baseVolume,
    quoteVolume: ticker.quoteVolume,
    markPrice: ticker.markPrice,
    indexPrice: ticker.indexPrice,
    openTime: ticker.windowStartMs,
    closeTime: ticker.windowEndMs,
  };
}

export const bookTicker = endpoint(contractBookTickerRoute, async ({ query }, { engine }) => {
  const symbol = query.symbol ?? null;
  const tickers = await engine.query({ type: "contract-book-tickers", symbol });
  if (!tickers.ok) return tickers;
  return accept(
    tickers.value.map((ticker) => ({
      symbol: ticker.symbol,
      bidPrice: ticker.bidPrice,
      bidQty: ticker.bidQuantity,
      askPrice: ticker.askPrice,
      askQty: ticker.askQuantity,
      time: tickers.timestampMs,
    })),
  );
});

/** Newest first. */
export const trades = endpoint(contractTradesRoute, async ({ query }, exchange) => {
  const { symbol, limit } = query;
  const question = { symbol, limit };
  const latest = await querySymbolHistory(exchange, "public-contract-trades", symbol, question);
  return latest.ok ? accept(latest.value.map(toTrade)) : latest;
});

function toTrade(trade: PublicTrade) {
  return {
    id: String(trade.tradeId),
    time: trade.timeMs,
    price: trade.price,
    qty: trade.quantity,
    quoteQty: trade.quoteQuantity,
    isBestMatch: true,
    isBuyerMaker: trade.buyerIsMaker,
  };
}

/** Candles of trades, of the index and of the mark, oldest first. */
export const klines = latestCandles(contractKlinesRoute, "LAST");
export const indexPriceKlines = latestCandles(indexPriceKlinesRoute, "INDEX");
export const markPriceKlines = latestCandles(markPriceKlinesRoute, "MARK");

export const historyKlines = endpoint(historyKlinesRoute, async ({ query }, exchange) => {
  const time = readStartAndEnd(query);
  return time.ok ? queryCandles(exchange, query, query.priceType, time.value) : time;
});

type LatestRoute =
  | typeof contractKlinesRoute
  | typeof indexPriceKlinesRoute
  | typeof markPriceKlinesRoute;

function latestCandles<R extends LatestRoute>(
  route: R,
  priceType: PriceType,
): Endpoint<LatestRoute> {
  return endpoint<LatestRoute>(route, async ({ query }, exchange) =>
    queryCandles(exchange, query, priceType, ALWAYS),
  );
}

interface CandlesQuery {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly limit: number;
}

/** Nothing begins after the present, so an end in the future is the present. */
async function queryCandles(
  exchange: Exchange,
  { symbol, interval, limit }: CandlesQuery,
  priceType: PriceType,
  time: TimeRange,
): Promise<Outcome<Candles>> {
  const known = await lookUpSymbol(exchange.engine, symbol);
  if (!known.ok) return known;
  const nowMs = known.timestampMs;
  const toMs = time.toMs === null ? null : Math.min(time.toMs, nowMs);
  const question = { symbol, priceType, interval, time: { ...time, toMs }, nowMs, limit };
  const candles = await queryHistory(exchange, "contract-candles", question, known.sequence);
  return candles.ok ? accept(candles.value.map(candleRow)) : candles;
}

export const CONTRACT_MARKET_ENDPOINTS: readonly Endpoint[] = [
  serverTime,
  exchangeInfo,
  tradingContracts,
  depth,
  ticker24hr,
  bookTicker,
  trades,
  klines,
  indexPriceKlines,
  markPriceKlines,
  historyKlines,
];
