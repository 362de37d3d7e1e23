/** Contract markets, their prices, books and tickers as callers see them, in decimal text. */
import { formatDecimal, formatSteps, RATE_SCALE } from "../../domain/index.ts";
import type {
  ContractMarketView,
  ContractPricesView,
  ContractTickerView,
  SpotBookTickerView,
  SpotDepthView,
} from "../../protocol/index.ts";
import { contractMarketTexts } from "../contract/markets.ts";
import { forecastRateE8 } from "../contract/prices/funding.ts";
import { indexSourceName } from "../contract/prices/index-market.ts";
import { indexAtMs, isFresh } from "../contract/prices/prices.ts";
import {
  type ContractMarket,
  contractBookVersion,
  LONG,
} from "../contract/state/contract-market.ts";
import { WINDOW_MS } from "../market-data/rolling-ticker.ts";
import { BUY, SELL } from "../matching/slot.ts";
import type { State } from "../state.ts";
import { bestLevel, depthRows, formatFraction } from "./market-data.ts";

export function contractMarketView(
  state: State,
  market: ContractMarket,
  nowMs: number,
): ContractMarketView {
  const { indexPrice, rules } = market;
  const ageMs = Math.max(0, nowMs - indexAtMs(state, market, nowMs));
  return {
    ...contractMarketTexts(market),
    quoteScale: rules.quoteAsset.scale,
    indexSource: indexSourceName(state, market),
    indexAgeMs: indexPrice.ticks === 0 ? null : ageMs,
  };
}

export function contractPricesView(
  state: State,
  market: ContractMarket,
  nowMs: number,
): ContractPricesView {
  const { rules, mark, indexPrice, funding, openLots } = market;
  const { tick, step } = rules;
  const rate = (rateE8: number): string => formatDecimal(BigInt(rateE8), RATE_SCALE);
  return {
    symbol: market.symbol,
    markPrice: formatSteps(mark.ticks, tick),
    indexPrice: formatSteps(indexPrice.ticks, tick),
    indexMs: indexPrice.ticks === 0 ? 0 : indexAtMs(state, market, nowMs),
    isStale: !isFresh(state, market, nowMs),
    isPinned: mark.pinnedTicks !== 0,
    lastPrice: formatSteps(market.lastTicks, tick),
    openInterest: formatDecimal(openLots[LONG] * BigInt(step.step), step.scale),
    forecastFundingRate: rate(forecastRateE8(state, market, nowMs)),
    lastFundingRate: rate(funding.lastRateE8),
    interestRate: rate(rules.interestRateE8),
    nextFundingMs: funding.nextSlotMs,
    fundingIntervalMinutes: rules.fundingIntervalMs / 60_000,
  };
}

export function contractDepthView(market: ContractMarket, levels: number): SpotDepthView {
  return {
    symbol: market.symbol,
    version: contractBookVersion(market),
    bids: depthRows(market, BUY, levels),
    asks: depthRows(market, SELL, levels),
  };
}

export function contractBookTickerView(market: ContractMarket): SpotBookTickerView {
  const [bidPrice, bidQuantity] = bestLevel(market, BUY);
  const [askPrice, askQuantity] = bestLevel(market, SELL);
  const lastPrice = formatSteps(market.lastTicks, market.rules.tick);
  return { symbol: market.symbol, bidPrice, bidQuantity, askPrice, askQuantity, lastPrice };
}

export function contractTickerView(market: ContractMarket, nowMs: number): ContractTickerView {
  const { tick, baseAsset, quoteAsset } = market.rules;
  const window = market.ticker.window(nowMs);
  const last = market.lastTicks;
  const openTicks = window?.openPrice ?? last;
  const closeTicks = window?.closePrice ?? last;
  const price = (ticks: number): string => formatSteps(ticks, tick);
  return {
    ...contractBookTickerView(market),
    priceChange: price(closeTicks - openTicks),
    priceChangePercent: formatFraction(closeTicks - openTicks, openTicks),
    trades: window?.trades ?? 0,
    baseVolume: formatDecimal(window?.baseMinor ?? 0n, baseAsset.scale),
    quoteVolume: formatDecimal(window?.quoteMinor ?? 0n, quoteAsset.scale),
    high: price(window?.highPrice ?? last),
    low: price(window?.lowPrice ?? last),
    open: price(openTicks),
    close: price(closeTicks),
    highMs: window?.highMs ?? 0,
    lowMs: window?.lowMs ?? 0,
    windowStartMs: nowMs - WINDOW_MS,
    windowEndMs: nowMs,
    markPrice: price(market.mark.ticks),
    indexPrice: price(market.indexPrice.ticks),
  };
}
