/** What anybody may ask of a contract's book and prices; asked by name, behind what moves them. */
import { naiveContractPrices } from "../models/contract/naive-contract-views.ts";
import { naiveDay } from "../models/naive-views.ts";
import { exact, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { TWO_SYMBOLS } from "./markets.ts";
import type { Known, Question, Readings } from "./questions.ts";

type Row = Readonly<Record<string, unknown>>;

function priceOf({ naive, nowMs }: Known, symbol: string): Row {
  const rows = naiveContractPrices(naive, nowMs) as Row[];
  return rows.find((row) => row.symbol === symbol) ?? {};
}

function symbolPrice(known: Known, random: Random): Question {
  const symbol = random.pick(TWO_SYMBOLS);
  const priceType = random.pick(["MARK", "INDEX", undefined] as const);
  const { indexPrice, markPrice } = priceOf(known, symbol);
  const price = priceType === "MARK" ? markPrice : indexPrice;
  return {
    sent: { symbol, ...(priceType === undefined ? {} : { priceType }) },
    due: (said) => ({ symbol, price, time: (said as Query).time }),
  };
}

function levelsOf({ naive }: Known, symbol: string): readonly (readonly [string, string])[][] {
  const market = naive.contracts.get(symbol);
  if (market === undefined) return [[], []];
  return (["BUY", "SELL"] as const).map((side) => {
    const levels = new Map<bigint, bigint>();
    for (const { filled, price, quantity } of naive.contractSide(market, side)) {
      levels.set(price, (levels.get(price) ?? 0n) + quantity - filled);
    }
    return [...levels].map(([price, quantity]) => [text(price), text(quantity)] as const);
  });
}

function depth(known: Known, random: Random): Question {
  const symbol = random.pick(TWO_SYMBOLS);
  const limit = random.pick([15, 200]);
  const [bids = [], asks = []] = levelsOf(known, symbol);
  const few = (levels: typeof bids) => levels.slice(0, limit).map((level) => [...level]);
  return {
    sent: { symbol, limit },
    due: (said) => {
      const { lastUpdateId } = said as Query;
      return { asks: few(asks), bids: few(bids), lastUpdateId };
    },
  };
}

function bookTicker(known: Known, random: Random): Question {
  const symbol = random.pick(TWO_SYMBOLS);
  const [bids = [], asks = []] = levelsOf(known, symbol);
  const [bidPrice, bidQty] = bids[0] ?? ["0", "0"];
  const [askPrice, askQty] = asks[0] ?? ["0", "0"];
  return {
    sent: { symbol },
    due: (said) => {
      const { time } = (said as readonly Query[])[0] ?? {};
      return [{ symbol, bidPrice, bidQty, askPrice, askQty, time }];
    },
  };
}

function ticker(known: Known, random: Random): Question {
  const symbol = random.pick(TWO_SYMBOLS);
  const { indexPrice, lastPrice, markPrice } = priceOf(known, symbol);
  const question = { symbol, limit: Number.POSITIVE_INFINITY };
  const trades = known.history
    .answer("public-contract-trades", question)
    .map(({ price, quantity, quoteQuantity, timeMs }) => {
      const [base, quote] = [exact(quantity), exact(quoteQuantity)];
      return { price: exact(price), base, quote, ms: timeMs };
    })
    .reverse();
  return {
    sent: { symbol },
    due: (said) => {
      const { closeTime = 0 } = (said as readonly { readonly closeTime?: number }[])[0] ?? {};
      const day = naiveDay(trades, exact(String(lastPrice)), closeTime);
      const { priceChange, priceChangePercent } = day;
      return [
        {
          ...{ symbol, priceChange, priceChangePercent, lastPrice, markPrice, indexPrice },
          ...{ openPrice: day.open, highPrice: day.high, lowPrice: day.low },
          ...{ volume: day.baseVolume, quoteVolume: day.quoteVolume },
          ...{ openTime: day.windowStartMs, closeTime: day.windowEndMs },
        },
      ];
    },
  };
}

export const CONTRACT_MARKET_READINGS: Readings = {
  "GET /capi/v3/market/symbolPrice": symbolPrice,
  "GET /capi/v3/market/depth": depth,
  "GET /capi/v3/market/ticker/bookTicker": bookTicker,
  "GET /capi/v3/market/ticker/24hr": ticker,
};
