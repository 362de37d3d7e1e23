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
import type { State } from "../state.ts";
import { bookTickerView, depthView, type PriceFormat, tickerView } from "./market-data.ts";

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
  return depthView(market, contractBookVersion(market), levels);
}

export function contractBookTickerView(market: ContractMarket): SpotBookTickerView {
  return bookTickerView(market, priceFormat(market));
}

export function contractTickerView(market: ContractMarket, nowMs: number): ContractTickerView {
  const price = priceFormat(market);
  return {
    ...tickerView(market, price, nowMs),
    markPrice: price.text(market.mark.ticks),
    indexPrice: price.text(market.indexPrice.ticks),
  };
}

function priceFormat({ lastTicks, rules: { tick } }: ContractMarket): PriceFormat {
  return { last: lastTicks, text: (ticks) => formatSteps(ticks, tick) };
}
