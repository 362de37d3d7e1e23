/** Spot markets for both versions: their rules, latest trades and candles. */
import {
  accept,
  type CandleInterval,
  formatDecimal,
  invariant,
  parseDecimal,
  parseGrid,
  RATE_SCALE,
} from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import type { Candle, PublicTrade, TimeRange } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { queryHistory } from "../history.ts";

export interface KnownMarket {
  readonly market: SpotMarketView;
  /** The sequence that the history must have reached. */
  readonly sequence: number;
  readonly timestampMs: number;
}

/** The market as the engine knows it, before a query to the history. */
export async function knownMarket(
  { engine }: Exchange,
  symbol: string,
): Promise<Outcome<KnownMarket>> {
  const markets = await engine.query({ type: "spot-markets", symbol });
  if (!markets.ok) return markets;
  const { sequence, timestampMs } = markets;
  const [market] = markets.value;
  invariant(market !== undefined, "a known market has its rules");
  return accept({ market, sequence, timestampMs });
}

/** Newest first. */
export async function queryLatestTrades(
  exchange: Exchange,
  symbol: string,
  limit: number,
): Promise<Outcome<readonly PublicTrade[]>> {
  const known = await knownMarket(exchange, symbol);
  if (!known.ok) return known;
  return queryHistory(exchange, "public-spot-trades", { symbol, limit }, known.value.sequence);
}

/** The newest that open inside the range, oldest first. */
export async function queryCandles(
  exchange: Exchange,
  symbol: string,
  interval: CandleInterval,
  time: TimeRange,
  limit: number,
): Promise<Outcome<readonly Candle[]>> {
  const known = await knownMarket(exchange, symbol);
  if (!known.ok) return known;
  const { sequence, timestampMs: nowMs } = known.value;
  const question = { symbol, interval, time, nowMs, limit };
  return queryHistory(exchange, "spot-candles", question, sequence);
}

/** The rules of a market that both versions show under the same names. */
export function marketRules(market: SpotMarketView) {
  return {
    tickSize: market.tickSize,
    stepSize: market.stepSize,
    minTradeAmount: market.minTradeAmount,
    maxTradeAmount: market.maxTradeAmount,
    takerFeeRate: market.takerFeeRate,
    makerFeeRate: market.makerFeeRate,
    buyLimitPriceRatio: market.buyLimitPriceRatio,
    sellLimitPriceRatio: market.sellLimitPriceRatio,
    marketBuyLimitSize: market.maxTradeAmount,
    marketSellLimitSize: market.maxTradeAmount,
    marketFallbackPriceRatio: higherRate(market.buyLimitPriceRatio, market.sellLimitPriceRatio),
    enableTrade: market.state === "trading",
    enableDisplay: true,
    displayDigitMerge: bookSteps(market.tickSize),
    displayNew: false,
    displayHot: false,
    supportTracing: false,
    supportPlanMarket: false,
  };
}

/** The higher of two rates; the first when they are equal. */
export function higherRate(a: string, b: string): string {
  return toRateE8(a) < toRateE8(b) ? b : a;
}

/** A whole number of 10^-8; the text is one that the engine answered. */
export function toRateE8(rate: string): bigint {
  const rateE8 = parseDecimal(rate, RATE_SCALE);
  invariant(typeof rateE8 === "bigint", "a rate in force is a decimal");
  return rateE8;
}

/** The tick and three coarser steps, for grouping a book on a screen. */
function bookSteps(tickSize: string): string {
  const grid = parseGrid(tickSize);
  invariant(grid !== null, "a listed market has a tick size");
  const steps = [1n, 10n, 100n, 1000n].map((factor) =>
    formatDecimal(BigInt(grid.step) * factor, grid.scale),
  );
  return steps.join(",");
}
