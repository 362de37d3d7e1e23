/** Spot v2: exchange time, assets, markets, tickers, trades, candles and books. */
import { refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import { symbolFromV2, symbolToV2 } from "../../api/symbols.ts";
import {
  candlesRoute,
  currenciesRoute,
  depthRoute,
  exchangeInfoRoute,
  GROUPED_LEVELS_MAX,
  productsRoute,
  publicFillsRoute,
  serverTimeRoute,
  tickerRoute,
  tickersRoute,
} from "../../api/v2/market.ts";
import { accept, invariant, parseGrid } from "../../domain/index.ts";
import type { SpotMarketView, SpotTickerView } from "../../protocol/index.ts";
import type { Candle } from "../../queries/history-port.ts";
import { type Endpoint, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { tradingSymbols } from "../market-answers.ts";
import { readSymbols } from "../parameters.ts";
import { groupLevels, type Level, type PriceStep } from "./book-step.ts";
import { knownMarket, marketRules, queryCandles, queryLatestTrades } from "./markets.ts";
import { readSymbol } from "./parameters-v2.ts";

export const serverTime = endpoint(serverTimeRoute, async (_request, { engine }) => {
  const status = await engine.query({ type: "status" });
  return status.ok ? accept(status.timestampMs) : status;
});

/** All of it is text in this family. */
export const currencies = endpoint(currenciesRoute, async (_request, { engine }) => {
  const assets = await engine.query({ type: "assets" });
  if (!assets.ok) return assets;
  return accept(
    assets.value.map(({ asset, coinId }) => ({
      coinId: String(coinId),
      coinName: asset,
      transfer: "true" as const,
      chains: [],
    })),
  );
});

export const products = endpoint(productsRoute, async (_request, { engine }) => {
  const markets = await engine.query({ type: "spot-markets", symbol: null });
  return markets.ok ? accept(tradingSymbols(markets.value).map(symbolToV2)) : markets;
});

export const exchangeInfo = endpoint(exchangeInfoRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const markets = await engine.query({ type: "spot-markets", symbol: null });
  if (!markets.ok) return markets;
  if (chosen.value === null) {
    return accept(markets.value.map((market) => toSymbol(market, symbolToV2(market.symbol))));
  }
  const bySymbol = new Map(markets.value.map((market) => [market.symbol, market]));
  const rows = [];
  for (const spelling of chosen.value) {
    const market = bySymbol.get(symbolFromV2(spelling) ?? "");
    if (market === undefined) {
      return query.symbol === undefined
        ? refuse("unknown-symbol", "symbols", spelling.slice(0, 40))
        : refuse("unknown-symbol", "symbol");
    }
    rows.push(toSymbol(market, spelling));
  }
  return accept(rows);
});

function toSymbol(market: SpotMarketView, symbol: string) {
  return {
    symbol,
    baseCoin: market.baseAsset,
    quoteCoin: market.quoteAsset,
    ...marketRules(market),
  };
}

/** Where there is no contract of the same name. */
const NO_CONTRACT = { markPrice: "0", indexPrice: "0", openInterest: "0" };

const ticker = endpoint(tickerRoute, async ({ query }, { engine }) => {
  const read = readSymbol(query.symbol);
  if (!read.ok) return read;
  const symbol = read.value;
  const [reply, contract] = await Promise.all([
    engine.query({ type: "spot-tickers", symbol }),
    engine.query({ type: "contract-prices", symbol }),
  ]);
  if (!reply.ok) return reply;
  const [day] = reply.value;
  invariant(day !== undefined, "a known market has a ticker");
  if (!contract.ok && "unavailable" in contract) return contract;
  const { markPrice, indexPrice, openInterest } =
    (contract.ok ? contract.value[0] : undefined) ?? NO_CONTRACT;
  return accept({
    symbol: query.symbol,
    ...dayAnswer(day),
    markPrice,
    indexPrice,
    openInterest,
    ts: reply.timestampMs,
  });
});

export const tickers = endpoint(tickersRoute, async (_request, { engine }) => {
  const [days, contracts] = await Promise.all([
    engine.query({ type: "spot-tickers", symbol: null }),
    engine.query({ type: "contract-prices", symbol: null }),
  ]);
  if (!days.ok) return days;
  if (!contracts.ok) return contracts;
  const openInterests = new Map(
    contracts.value.map(({ symbol, openInterest }) => [symbol, openInterest]),
  );
  return accept(
    days.value.map((day) => ({
      symbol: symbolToV2(day.symbol),
      ...dayAnswer(day),
      openInterest: openInterests.get(day.symbol) ?? NO_CONTRACT.openInterest,
      ts: days.timestampMs,
    })),
  );
});

/** The rolling 24 hours of a market. */
function dayAnswer(day: SpotTickerView) {
  return {
    priceChange: day.priceChange,
    priceChangePercent: day.priceChangePercent,
    trades: day.trades,
    size: day.baseVolume,
    value: day.quoteVolume,
    high: day.high,
    low: day.low,
    open: day.open,
    close: day.close,
    highTime: day.highMs,
    lowTime: day.lowMs,
    startTime: day.windowStartMs,
    endTime: day.windowEndMs,
    lastPrice: day.lastPrice,
  };
}

export const publicFills = endpoint(publicFillsRoute, async ({ query }, exchange) => {
  const symbol = readSymbol(query.symbol);
  if (!symbol.ok) return symbol;
  const latest = await queryLatestTrades(exchange, symbol.value, query.limit);
  if (!latest.ok) return latest;
  return accept(
    latest.value.map((trade) => ({
      symbol: query.symbol,
      tradeId: String(trade.tradeId),
      fillTime: trade.timeMs,
      fillPrice: trade.price,
      fillQuantity: trade.quantity,
      tradeValue: trade.quoteQuantity,
      bestMatch: true,
      buyerMaker: trade.buyerIsMaker,
    })),
  );
});

const ANY_TIME = { fromMs: null, toMs: null };

export const candles = endpoint(candlesRoute, async ({ query }, exchange) => {
  const symbol = readSymbol(query.symbol);
  if (!symbol.ok) return symbol;
  const found = await queryCandles(exchange, symbol.value, query.period, ANY_TIME, query.limit);
  return found.ok ? accept(found.value.map(toRow).reverse()) : found;
});

function toRow(candle: Candle): AnswerOf<typeof candlesRoute>[number] {
  const { openMs, open, high, low, close, baseVolume, quoteVolume } = candle;
  return [openMs, open, high, low, close, baseVolume, quoteVolume];
}

export const depth = endpoint(depthRoute, async ({ query }, exchange) => {
  const symbol = readSymbol(query.symbol);
  if (!symbol.ok) return symbol;
  const { limit, type } = query;
  const step = await readStep(exchange, symbol.value, type);
  if (!step.ok) return step;
  const levels = step.value === null ? limit : GROUPED_LEVELS_MAX;
  const book = await exchange.engine.query({ type: "spot-depth", symbol: symbol.value, levels });
  if (!book.ok) return book;
  const grouped = (side: readonly Level[], direction: "down" | "up") =>
    step.value === null
      ? side.map(([price, quantity]): [string, string] => [price, quantity])
      : groupLevels(side, direction, step.value, limit);
  return accept({
    asks: grouped(book.value.asks, "up"),
    bids: grouped(book.value.bids, "down"),
    timestamp: String(book.timestampMs),
  });
});

/** Null: every price by itself. */
async function readStep(
  exchange: Exchange,
  symbol: string,
  type: string,
): Promise<Outcome<PriceStep | null>> {
  const power = Number(type.slice("step".length));
  if (power === 0) return accept(null);
  const known = await knownMarket(exchange, symbol);
  return known.ok ? accept(toStep(known.value.market, power)) : known;
}

function toStep({ tickSize, baseScale }: SpotMarketView, power: number): PriceStep {
  const tick = parseGrid(tickSize);
  invariant(tick !== null, "a listed market has a tick size");
  const width = BigInt(tick.step) * 10n ** BigInt(power);
  return { width, priceScale: tick.scale, quantityScale: baseScale };
}

export const V2_MARKET_ENDPOINTS: readonly Endpoint[] = [
  serverTime,
  currencies,
  products,
  exchangeInfo,
  ticker,
  tickers,
  publicFills,
  candles,
  depth,
];
