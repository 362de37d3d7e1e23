/** Contracts: mark and index prices, open interest and funding. */
import {
  fundingRateRoute,
  openInterestRoute,
  premiumIndexRoute,
  symbolPriceRoute,
} from "../../api/contract/market.ts";
import { accept, invariant } from "../../domain/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { readPastRange } from "../parameters.ts";
import { querySymbolHistory } from "./symbol-history.ts";

const FUNDING_DAYS_MAX = 7;

export const symbolPrice = endpoint(symbolPriceRoute, async ({ query }, { engine }) => {
  const prices = await pricesOf(engine, query.symbol);
  if (!prices.ok) return prices;
  const { symbol, markPrice, indexPrice } = prices.value;
  const price = query.priceType === "MARK" ? markPrice : indexPrice;
  return accept({ symbol, price, time: prices.timestampMs });
});

export const openInterest = endpoint(openInterestRoute, async ({ query }, { engine }) => {
  const prices = await pricesOf(engine, query.symbol);
  if (!prices.ok) return prices;
  const { symbol, openInterest } = prices.value;
  return accept({ symbol, openInterest, time: prices.timestampMs });
});

export const premiumIndex = endpoint(premiumIndexRoute, async ({ query }, { engine }) => {
  const prices = await engine.query({ type: "contract-prices", symbol: query.symbol ?? null });
  if (!prices.ok) return prices;
  return accept(
    prices.value.map((market) => ({
      symbol: market.symbol,
      markPrice: market.markPrice,
      indexPrice: market.indexPrice,
      forecastFundingRate: market.forecastFundingRate,
      lastFundingRate: market.lastFundingRate,
      interestRate: market.interestRate,
      nextFundingTime: market.nextFundingMs,
      time: prices.timestampMs,
      collectCycle: market.fundingIntervalMinutes,
    })),
  );
});

async function pricesOf(engine: EngineClient, symbol: string) {
  const prices = await engine.query({ type: "contract-prices", symbol });
  if (!prices.ok) return prices;
  const [value] = prices.value;
  invariant(value !== undefined, "a listed market has a row of prices");
  return { ...prices, value };
}

/** Past fundings of a market, newest first. */
export const fundingRate = endpoint(fundingRateRoute, async ({ query }, exchange) => {
  const { symbol, limit } = query;
  const time = readPastRange(query, FUNDING_DAYS_MAX);
  if (!time.ok) return time;
  const question = { symbol, time: time.value, limit };
  const rates = await querySymbolHistory(exchange, "funding-rates", symbol, question);
  if (!rates.ok) return rates;
  return accept(
    rates.value.map((funding) => ({
      symbol: funding.symbol,
      fundingRate: funding.rate,
      fundingTime: funding.slotMs,
      markPrice: funding.markPrice,
    })),
  );
});

export const PRICE_ENDPOINTS: readonly Endpoint[] = [
  symbolPrice,
  openInterest,
  premiumIndex,
  fundingRate,
];
