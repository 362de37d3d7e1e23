/** What is asked about spot markets, and the answers of the naive exchange and history. */

import { CANDLE_INTERVALS } from "../../src/queries/index.ts";
import { naiveDepth, naiveTicker } from "../models/naive-views.ts";
import { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { SYMBOL } from "./markets.ts";
import {
  candleRow,
  intervalsIn,
  type Known,
  lengthOf,
  type Question,
  type Readings,
  sentOf,
  sentRange,
  someLimit,
  somePast,
} from "./questions.ts";
import { chosen, someSymbols } from "./symbol-choices.ts";

const SYMBOLS = [SYMBOL, SYMBOL, "ETHUSDT"] as const;

function trades({ history }: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const { limit, sent } = someLimit(random, 100, 1000);
  return {
    sent: sentOf({ symbol, limit: sent }),
    due: () =>
      history.answer("public-spot-trades", { symbol, limit }).map((trade) => ({
        id: String(trade.tradeId),
        price: trade.price,
        qty: trade.quantity,
        quoteQty: trade.quoteQuantity,
        time: trade.timeMs,
        isBuyerMaker: trade.buyerIsMaker,
        isBestMatch: true,
      })),
  };
}

function klines(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const interval = random.pick(CANDLE_INTERVALS);
  const time = somePast(known, random);
  const lengthMs = lengthOf(interval);
  const rows = lengthMs === null ? null : intervalsIn(time, lengthMs);
  const { limit, sent } = someLimit(random, 300, 1000, rows);
  const question = { symbol, interval, time, nowMs: known.nowMs, limit };
  return {
    sent: { ...sentOf({ symbol, interval, limit: sent }), ...sentRange(time) },
    due: () => known.history.answer("spot-candles", question).map((one) => candleRow({ ...one })),
  };
}

function depth({ naive }: Known, random: Random): Question {
  const limit = random.pick([15, 200]);
  return {
    sent: { symbol: SYMBOL, limit },
    due: (said) => {
      const market = naive.markets.get(SYMBOL);
      if (market === undefined) return null;
      const { lastUpdateId } = said as Query;
      const [bids, asks] = (["BUY", "SELL"] as const).map((side) => {
        return naiveDepth(naive, market, side).slice(0, limit);
      });
      return { lastUpdateId, bids, asks };
    },
  };
}

/** Symbols are drawn by themselves: whatever else is asked for stays as it is. */
function ticker({ naive }: Known, random: Random): Question {
  const { sent, symbols } = someSymbols(new Random(random.seed ^ random.draws));
  const markets = chosen([...naive.markets.values()], symbols);
  return {
    sent,
    due: (said) => {
      const { closeTime = 0 } = (said as readonly { readonly closeTime?: number }[])[0] ?? {};
      return markets.map((market) => tickerRow(naiveTicker(naive, market, closeTime)));
    },
  };
}

function tickerRow(row: Readonly<Record<string, unknown>>) {
  return {
    symbol: row.symbol,
    priceChange: row.priceChange,
    priceChangePercent: row.priceChangePercent,
    lastPrice: row.lastPrice,
    bidPrice: row.bidPrice,
    bidQty: row.bidQuantity,
    askPrice: row.askPrice,
    askQty: row.askQuantity,
    openPrice: row.open,
    highPrice: row.high,
    lowPrice: row.low,
    volume: row.baseVolume,
    quoteVolume: row.quoteVolume,
    openTime: row.windowStartMs,
    closeTime: row.windowEndMs,
    count: row.trades,
  };
}

export const SPOT_MARKET_READINGS: Readings = {
  "GET /api/v3/market/trades": trades,
  "GET /api/v3/market/klines": klines,
  "GET /api/v3/market/depth": depth,
  "GET /api/v3/market/ticker/24hr": ticker,
};
