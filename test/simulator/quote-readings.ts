/** What is asked about books, tickers and candles, and the answers of the naive exchange. */
import { CANDLE_INTERVALS } from "../../src/queries/index.ts";
import { naiveContractPrices } from "../models/contract/naive-contract-views.ts";
import { naiveBookTicker, naiveDay, naiveDepth, naiveTicker } from "../models/naive-views.ts";
import { exact, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import { SYMBOL } from "./markets.ts";
import {
  CONTRACT_INTERVALS,
  candleRow,
  type Known,
  maybe,
  type Question,
  type Range,
  type Readings,
  sentOf,
  someLimit,
} from "./questions.ts";
import { chosen, someSymbols } from "./symbol-choices.ts";

type Row = Readonly<Record<string, unknown>>;
type Level = readonly [price: string, quantity: string];

const ALL = Number.POSITIVE_INFINITY;
const ALWAYS: Range = { fromMs: null, toMs: null };
const NOTHING: Level = ["0", "0"];
/** Most is traded in one of them. */
const SYMBOLS = [SYMBOL, SYMBOL, SYMBOL, "ETHUSDT"] as const;

/** As a caller may spell it; some answers repeat it. */
function someSpelling(random: Random): { readonly symbol: string; readonly spelt: string } {
  const symbol = random.pick(SYMBOLS);
  const suffix = random.pick(["_SPBL", "_SPBL", "_spbl", ""]);
  const name = random.chance(0.2) ? symbol.toLowerCase() : symbol;
  return { symbol, spelt: `${name}${suffix}` };
}

function lastPrices({ naive }: Known, random: Random): Question {
  const { sent, symbols } = someSymbols(random);
  return {
    sent,
    due: () =>
      chosen([...naive.markets.values()], symbols).map(({ lastPrice, symbol }) => {
        return { symbol, price: text(lastPrice ?? 0n) };
      }),
  };
}

function spotBookTickers({ naive }: Known, random: Random): Question {
  const { sent, symbols } = someSymbols(random);
  return {
    sent,
    due: () =>
      chosen([...naive.markets.values()], symbols).map((market) => {
        const row = naiveBookTicker(naive, market);
        return {
          symbol: row.symbol,
          bidPrice: row.bidPrice,
          bidQty: row.bidQuantity,
          askPrice: row.askPrice,
          askQty: row.askQuantity,
        };
      }),
  };
}

function dayOfV2({ naive }: Known, symbol: string, nowMs: number) {
  const market = naive.markets.get(symbol);
  if (market === undefined) throw new Error(`${symbol} is not listed`);
  const day = naiveTicker(naive, market, nowMs);
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
    endTime: nowMs,
    lastPrice: day.lastPrice,
    ts: nowMs,
  };
}

function pricesOf({ naive, nowMs }: Known, symbol: string): Row {
  const rows = naiveContractPrices(naive, nowMs) as readonly Row[];
  const none = { markPrice: "0", indexPrice: "0", openInterest: "0" };
  return rows.find((row) => row.symbol === symbol) ?? none;
}

function tickerOfV2(known: Known, random: Random): Question {
  const { spelt, symbol } = someSpelling(random);
  const { indexPrice, markPrice, openInterest } = pricesOf(known, symbol);
  const more = { symbol: spelt, markPrice, indexPrice, openInterest };
  return {
    sent: { symbol: spelt },
    isOfNow: true,
    due: (_, nowMs) => ({ ...dayOfV2(known, symbol, nowMs), ...more }),
  };
}

function tickersOfV2(known: Known): Question {
  const symbols = [...known.naive.markets.keys()];
  return {
    sent: {},
    isOfNow: true,
    due: (_, nowMs) =>
      symbols.map((symbol) => ({
        ...dayOfV2(known, symbol, nowMs),
        symbol: `${symbol}_SPBL`,
        openInterest: pricesOf(known, symbol).openInterest,
      })),
  };
}

function fillsOfV2({ history }: Known, random: Random): Question {
  const { spelt, symbol } = someSpelling(random);
  const { limit, sent } = someLimit(random, 100, 1000);
  return {
    sent: sentOf({ symbol: spelt, limit: sent }),
    due: () =>
      history.answer("public-spot-trades", { symbol, limit }).map((trade) => ({
        symbol: spelt,
        tradeId: String(trade.tradeId),
        fillTime: trade.timeMs,
        fillPrice: trade.price,
        fillQuantity: trade.quantity,
        tradeValue: trade.quoteQuantity,
        bestMatch: true,
        buyerMaker: trade.buyerIsMaker,
      })),
  };
}

function candlesOfV2({ history }: Known, random: Random): Question {
  const { spelt, symbol } = someSpelling(random);
  const interval = random.pick(CANDLE_INTERVALS);
  const { limit, sent } = someLimit(random, 300, 1000);
  return {
    sent: sentOf({ symbol: spelt, period: interval, limit: sent }),
    isOfNow: true,
    due: (_, nowMs) =>
      history
        .answer("spot-candles", { symbol, interval, time: ALWAYS, nowMs, limit })
        .toReversed()
        .map(({ openMs, open, high, low, close, baseVolume, quoteVolume }) => {
          return [openMs, open, high, low, close, baseVolume, quoteVolume];
        }),
  };
}

/** Each price stands for those that are no worse than it by less than a width. */
function grouped(levels: readonly Level[], isUp: boolean, width: bigint): Level[] {
  const groups = new Map<bigint, bigint>();
  for (const [price, quantity] of levels) {
    const above = exact(price) + (isUp ? width - 1n : 0n);
    const edge = above - (above % width);
    groups.set(edge, (groups.get(edge) ?? 0n) + exact(quantity));
  }
  return [...groups].map(([price, quantity]) => [text(price), text(quantity)]);
}

function depthOfV2({ naive }: Known, random: Random): Question {
  const { spelt, symbol } = someSpelling(random);
  const power = random.integer(0, 5);
  const limit = random.pick([undefined, 15, 200]);
  const type = power === 0 && random.chance(0.5) ? undefined : `step${power}`;
  const market = naive.markets.get(symbol);
  if (market === undefined) throw new Error(`${symbol} is not listed`);
  const width = market.rules.tick * 10n ** BigInt(power);
  const [bids, asks] = (["BUY", "SELL"] as const).map((side) =>
    grouped(naiveDepth(naive, market, side), side === "SELL", width).slice(0, limit ?? 15),
  );
  return {
    sent: sentOf({ symbol: spelt, type, limit }),
    isOfNow: true,
    due: (_, nowMs) => ({ asks, bids, timestamp: String(nowMs) }),
  };
}

/** Best first. */
function contractLevels({ naive }: Known, symbol: string, side: "BUY" | "SELL"): Level[] {
  const levels = new Map<bigint, bigint>();
  for (const order of naive.contracts.get(symbol)?.resting ?? []) {
    if (order.side !== side) continue;
    const rest = order.quantity - order.filled;
    levels.set(order.price, (levels.get(order.price) ?? 0n) + rest);
  }
  const sign = side === "BUY" ? -1n : 1n;
  return [...levels]
    .sort(([one], [other]) => Number(sign * (one - other)))
    .map(([price, quantity]) => [text(price), text(quantity)]);
}

function contractDepth(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const limit = random.pick([undefined, 15, 200]);
  const [bids, asks] = (["BUY", "SELL"] as const).map((side) =>
    contractLevels(known, symbol, side).slice(0, limit ?? 15),
  );
  return {
    sent: sentOf({ symbol, limit }),
    due: (said) => ({ bids, asks, lastUpdateId: (said as Row).lastUpdateId }),
  };
}

function someContracts(known: Known, random: Random) {
  const symbol = maybe(random, SYMBOLS);
  const markets = [...known.naive.contracts.values()];
  return {
    sent: sentOf({ symbol: symbol ?? undefined }),
    markets: chosen(markets, symbol === null ? null : [symbol]),
  };
}

function contractTickers(known: Known, random: Random): Question {
  const { markets, sent } = someContracts(known, random);
  const rows = markets.map(({ indexPrice, last, mark, symbol }) => {
    const trades = known.history.answer("public-contract-trades", { symbol, limit: ALL });
    const tape = trades.toReversed().map(({ price, quantity, quoteQuantity, timeMs: ms }) => {
      return { ms, price: exact(price), base: exact(quantity), quote: exact(quoteQuantity) };
    });
    return { symbol, last, tape, prices: { markPrice: text(mark), indexPrice: text(indexPrice) } };
  });
  return {
    sent,
    isOfNow: true,
    due: (_, nowMs) =>
      rows.map(({ last, prices, symbol, tape }) => {
        const day = naiveDay(tape, last, nowMs);
        return {
          symbol,
          priceChange: day.priceChange,
          priceChangePercent: day.priceChangePercent,
          lastPrice: text(last),
          openPrice: day.open,
          highPrice: day.high,
          lowPrice: day.low,
          volume: day.baseVolume,
          quoteVolume: day.quoteVolume,
          ...prices,
          openTime: day.windowStartMs,
          closeTime: nowMs,
        };
      }),
  };
}

function contractBookTickers(known: Known, random: Random): Question {
  const { markets, sent } = someContracts(known, random);
  const rows = markets.map(({ symbol }) => {
    const [bidPrice, bidQty] = contractLevels(known, symbol, "BUY")[0] ?? NOTHING;
    const [askPrice, askQty] = contractLevels(known, symbol, "SELL")[0] ?? NOTHING;
    return { symbol, bidPrice, bidQty, askPrice, askQty };
  });
  const due = (_: unknown, time: number) => rows.map((row) => ({ ...row, time }));
  return { sent, isOfNow: true, due };
}

function symbolPrice(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const priceType = random.pick([undefined, "INDEX", "MARK"]);
  const { indexPrice, markPrice } = pricesOf(known, symbol);
  const price = priceType === "MARK" ? markPrice : indexPrice;
  return {
    sent: sentOf({ symbol, priceType }),
    isOfNow: true,
    due: (_, time) => ({ symbol, price, time }),
  };
}

const latestKlines =
  (priceType: "INDEX" | "LAST" | "MARK") =>
  ({ history }: Known, random: Random): Question => {
    const symbol = random.pick(SYMBOLS);
    const interval = random.pick(CONTRACT_INTERVALS);
    const { limit, sent } = someLimit(random, 100, 1000);
    const question = { symbol, priceType, interval, time: ALWAYS, limit };
    return {
      sent: sentOf({ symbol, interval, limit: sent }),
      isOfNow: true,
      due: (_, nowMs) =>
        history
          .answer("contract-candles", { ...question, nowMs })
          .map((one) => candleRow({ ...one })),
    };
  };

export const SPOT_QUOTE_READINGS: Readings = {
  "GET /api/v3/market/ticker/price": lastPrices,
  "GET /api/v3/market/ticker/bookTicker": spotBookTickers,
  "GET /api/v2/market/ticker": tickerOfV2,
  "GET /api/v2/market/tickers": tickersOfV2,
  "GET /api/v2/market/fills": fillsOfV2,
  "GET /api/v2/market/candles": candlesOfV2,
  "GET /api/v2/market/depth": depthOfV2,
};

export const CONTRACT_QUOTE_READINGS: Readings = {
  "GET /capi/v3/market/depth": contractDepth,
  "GET /capi/v3/market/ticker/24hr": contractTickers,
  "GET /capi/v3/market/ticker/bookTicker": contractBookTickers,
  "GET /capi/v3/market/symbolPrice": symbolPrice,
  "GET /capi/v3/market/klines": latestKlines("LAST"),
  "GET /capi/v3/market/indexPriceKlines": latestKlines("INDEX"),
  "GET /capi/v3/market/markPriceKlines": latestKlines("MARK"),
};
