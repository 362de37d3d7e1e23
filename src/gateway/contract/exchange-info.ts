/** GET /capi/v3/market/exchangeInfo: the rules of the contract markets. */
import { contractExchangeInfoRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import type { ContractMarketView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";

const MINUTES_PER_DAY = 24 * 60;

export const contractExchangeInfoEndpoint = endpoint(
  contractExchangeInfoRoute,
  async ({ query }, { engine }) => {
    const symbol = query.symbol ?? null;
    const markets = await engine.ask({ type: "contract-markets", symbol });
    if (!markets.ok) return markets;
    const assets = [...new Set(markets.value.map(({ marginAsset }) => marginAsset))];
    return accept({
      assets: assets.map((asset) => ({ asset, marginAvailable: true as const })),
      rateLimits: [],
      symbols: markets.value.map(toSymbol),
    });
  },
);

function toSymbol(market: ContractMarketView) {
  return {
    symbol: market.symbol,
    displaySymbol: market.symbol,
    baseAsset: market.baseAsset,
    quoteAsset: market.quoteAsset,
    marginAsset: market.marginAsset,
    pricePrecision: market.pricePrecision,
    quantityPrecision: market.quantityPrecision,
    baseAssetPrecision: market.quantityPrecision,
    quotePrecision: market.quoteScale,
    contractVal: market.contractVal,
    delivery: fundingTimes(market.fundingIntervalMinutes),
    forwardContractFlag: true as const,
    minLeverage: market.minLeverage,
    maxLeverage: market.maxLeverage,
    buyLimitPriceRatio: market.buyLimitPriceRatio,
    sellLimitPriceRatio: market.sellLimitPriceRatio,
    makerFeeRate: market.makerFeeRate,
    takerFeeRate: market.takerFeeRate,
    minOrderSize: market.minOrderSize,
    maxOrderSize: market.maxOrderSize,
    maxPositionSize: market.maxPositionSize,
    marketOpenLimitSize: market.marketOpenLimitSize,
    liquidateFeeRate: market.liquidateFeeRate,
    riskTiers: [...market.tiers],
  };
}

/** Of one day in UTC, as clock times; the interval divides the day. */
function fundingTimes(intervalMinutes: number): string[] {
  return Array.from({ length: Math.floor(MINUTES_PER_DAY / intervalMinutes) }, (_, slot) => {
    const minutes = slot * intervalMinutes;
    const hours = String(Math.floor(minutes / 60)).padStart(2, "0");
    return `${hours}:${String(minutes % 60).padStart(2, "0")}:00`;
  });
}
