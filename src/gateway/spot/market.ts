/** Spot v3: exchange time, assets, markets, tickers, books, candles and trades. */
import {
  apiTradingSymbolsRoute,
  bookTickerRoute,
  coinsRoute,
  depthRoute,
  exchangeInfoRoute,
  klinesRoute,
  pingRoute,
  serverTimeRoute,
  ticker24hrRoute,
  tickerPriceRoute,
  tradesRoute,
} from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type {
  EngineClient,
  SpotBookTickerView,
  SpotMarketView,
  SpotTickerView,
} from "../../protocol/index.ts";
import type { PublicTrade } from "../../queries/history-port.ts";
import { type Endpoint, endpoint, type Outcome } from "../endpoint.ts";
import { bookSides, candleRow, tradingSymbols } from "../market-answers.ts";
import { pickSymbols, readStartAndEnd, readSymbols, type SymbolChoice } from "../parameters.ts";
import { marketRules, queryCandles, queryLatestTrades } from "./markets.ts";

/** Ahead of the wall clock in a sandbox that was advanced. */
export const serverTime = endpoint(serverTimeRoute, async (_request, { engine }) => {
  const status = await engine.query({ type: "status" });
  return status.ok ? accept({ serverTime: status.timestampMs }) : status;
});

export const ping = endpoint(pingRoute, async () => accept({}));

/** Nothing moves over a chain here, so there are no networks. */
export const coins = endpoint(coinsRoute, async (_request, { engine }) => {
  const assets = await engine.query({ type: "assets" });
  if (!assets.ok) return assets;
  const rows = assets.value.map(({ asset, coinId, name }) => ({
    coin: asset,
    coinId,
    name,
    depositAllEnable: false,
    withdrawAllEnable: false,
    networkList: [],
  }));
  return accept(rows);
});

export const exchangeInfo = endpoint(exchangeInfoRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const markets = await engine.query({ type: "spot-markets", symbol: query.symbol ?? null });
  if (!markets.ok) return markets;
  const picked = pickSymbols(markets.value, chosen.value);
  if (!picked.ok) return picked;
  const symbols = picked.value.map(toSymbol);
  return accept({
    timezone: "UTC",
    serverTime: markets.timestampMs,
    symbols:
      query.symbolStatus === undefined
        ? symbols
        : symbols.filter(({ status }) => status === query.symbolStatus),
  });
});

function toSymbol(market: SpotMarketView) {
  const trading = market.state === "trading";
  return {
    symbol: market.symbol,
    status: trading ? ("TRADING" as const) : ("BREAK" as const),
    baseAsset: market.baseAsset,
    baseAssetPrecision: market.baseScale,
    quoteAsset: market.quoteAsset,
    quoteAssetPrecision: market.quoteScale,
    minNotional: market.minNotional,
    ...marketRules(market),
  };
}

export const apiTradingSymbols = endpoint(apiTradingSymbolsRoute, async (_request, { engine }) => {
  const markets = await engine.query({ type: "spot-markets", symbol: null });
  return markets.ok ? accept(tradingSymbols(markets.value)) : markets;
});

export const tickerPrice = endpoint(tickerPriceRoute, async ({ query }, { engine }) => {
  const tickers = await queryBookTickers(query, engine);
  if (!tickers.ok) return tickers;
  return accept(tickers.value.map(({ symbol, lastPrice }) => ({ symbol, price: lastPrice })));
});

export const bookTicker = endpoint(bookTickerRoute, async ({ query }, { engine }) => {
  const tickers = await queryBookTickers(query, engine);
  if (!tickers.ok) return tickers;
  return accept(
    tickers.value.map((ticker) => ({
      symbol: ticker.symbol,
      bidPrice: ticker.bidPrice,
      bidQty: ticker.bidQuantity,
      askPrice: ticker.askPrice,
      askQty: ticker.askQuantity,
    })),
  );
});

async function queryBookTickers(
  query: SymbolChoice,
  engine: EngineClient,
): Promise<Outcome<readonly SpotBookTickerView[]>> {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const { symbol = null } = query;
  const tickers = await engine.query({ type: "spot-book-tickers", symbol });
  return tickers.ok ? pickSymbols(tickers.value, chosen.value) : tickers;
}

export const ticker24hr = endpoint(ticker24hrRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const tickers = await engine.query({ type: "spot-tickers", symbol: query.symbol ?? null });
  if (!tickers.ok) return tickers;
  const picked = pickSymbols(tickers.value, chosen.value);
  return picked.ok ? accept(picked.value.map(toTicker)) : picked;
});

/** Without `markPrice`: public clients take a row that has it for a contract. */
function toTicker(ticker: SpotTickerView) {
  return {
    symbol: ticker.symbol,
    priceChange: ticker.priceChange,
    priceChangePercent: ticker.priceChangePercent,
    lastPrice: ticker.lastPrice,
    bidPrice: ticker.bidPrice,
    bidQty: ticker.bidQuantity,
    askPrice: ticker.askPrice,
    askQty: ticker.askQuantity,
    openPrice: ticker.open,
    highPrice: ticker.high,
    lowPrice: ticker.low,
    volume: ticker.baseVolume,
    quoteVolume: ticker.quoteVolume,
    openTime: ticker.windowStartMs,
    closeTime: ticker.windowEndMs,
    count: ticker.trades,
  };
}

export const depth = endpoint(depthRoute, async ({ query }, { engine }) => {
  const { symbol, limit: levels } = query;
  const book = await engine.query({ type: "spot-depth", symbol, levels });
  if (!book.ok) return book;
  return accept({ lastUpdateId: book.value.version, ...bookSides(book.value) });
});

export const klines = endpoint(klinesRoute, async ({ query }, exchange) => {
  const time = readStartAndEnd(query);
  if (!time.ok) return time;
  const { symbol, interval, limit } = query;
  const candles = await queryCandles(exchange, symbol, interval, time.value, limit);
  return candles.ok ? accept(candles.value.map(candleRow)) : candles;
});

export const trades = endpoint(tradesRoute, async ({ query }, exchange) => {
  const latest = await queryLatestTrades(exchange, query.symbol, query.limit);
  return latest.ok ? accept(latest.value.map(toTrade)) : latest;
});

function toTrade(trade: PublicTrade) {
  return {
    id: String(trade.tradeId),
    price: trade.price,
    qty: trade.quantity,
    quoteQty: trade.quoteQuantity,
    time: trade.timeMs,
    isBuyerMaker: trade.buyerIsMaker,
    isBestMatch: true,
  };
}

export const MARKET_ENDPOINTS: readonly Endpoint[] = [
  serverTime,
  ping,
  coins,
  exchangeInfo,
  apiTradingSymbols,
  tickerPrice,
  ticker24hr,
  bookTicker,
  depth,
  klines,
  trades,
];
