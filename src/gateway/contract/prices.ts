/**
 * GET /capi/v3/market/symbolPrice, openInterest and premiumIndex: what the engine says of prices,
 * funding and open positions at present.
 */
import {
  openInterestRoute,
  premiumIndexRoute,
  symbolPriceRoute,
} from "../../api/contract/market.ts";
import { accept, invariant } from "../../domain/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";

export const symbolPriceEndpoint = endpoint(symbolPriceRoute, async ({ query }, { engine }) => {
  const prices = await pricesOf(engine, query.symbol);
  if (!prices.ok) return prices;
  const { symbol, markPrice, indexPrice } = prices.value;
  const price = query.priceType === "MARK" ? markPrice : indexPrice;
  return accept({ symbol, price, time: prices.timestampMs });
});

export const openInterestEndpoint = endpoint(openInterestRoute, async ({ query }, { engine }) => {
  const prices = await pricesOf(engine, query.symbol);
  if (!prices.ok) return prices;
  const { symbol, openInterest } = prices.value;
  return accept({ symbol, openInterest, time: prices.timestampMs });
});

export const premiumIndexEndpoint = endpoint(premiumIndexRoute, async ({ query }, { engine }) => {
  const prices = await engine.ask({ type: "contract-prices", symbol: query.symbol ?? null });
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
  const prices = await engine.ask({ type: "contract-prices", symbol });
  if (!prices.ok) return prices;
  const [value] = prices.value;
  invariant(value !== undefined, "a listed market has a row of prices");
  return { ...prices, value };
}
