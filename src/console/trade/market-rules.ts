/** The trading rules of a market, in one shape for spot and contracts. */
import type { ContractSymbol, RialtoClient, SpotSymbol } from "../../client/index.ts";
import { decimalsOf } from "../decimals/format.ts";

export type Product = "spot" | "contract";

export interface MarketRules {
  readonly product: Product;
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  /** Maximum decimals of a price and of a quantity. */
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  /** Price step; for contracts the smallest with their decimals. */
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minQuantity: string;
  readonly maxQuantity: string;
  /** "0" if there is none. */
  readonly minNotional: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  /** 1 on spot. */
  readonly maxLeverage: number;
  /** Ascending; empty on spot. */
  readonly riskTiers: ContractSymbol["riskTiers"];
  /** Whether new orders are accepted. */
  readonly isTrading: boolean;
}

/** All markets of a product, in the exchange's order. */
export async function fetchMarkets(
  client: RialtoClient,
  product: Product,
  signal: AbortSignal,
): Promise<readonly MarketRules[]> {
  if (product === "spot") {
    const { symbols } = await client.spot.exchangeInfo({}, { signal });
    return symbols.map(rulesOfSpot);
  }
  const [{ symbols }, trading] = await Promise.all([
    client.contract.exchangeInfo({}, { signal }),
    client.contract.tradingSymbols({ signal }),
  ]);
  return symbols.map((market) => rulesOfContract(market, trading.includes(market.symbol)));
}

function rulesOfSpot(market: SpotSymbol): MarketRules {
  return {
    product: "spot",
    symbol: market.symbol,
    baseAsset: market.baseAsset,
    quoteAsset: market.quoteAsset,
    priceDecimals: decimalsOf(market.tickSize),
    quantityDecimals: decimalsOf(market.stepSize),
    tickSize: market.tickSize,
    stepSize: market.stepSize,
    minQuantity: market.minTradeAmount,
    maxQuantity: market.maxTradeAmount,
    minNotional: market.minNotional,
    makerFeeRate: market.makerFeeRate,
    takerFeeRate: market.takerFeeRate,
    maxLeverage: 1,
    riskTiers: [],
    isTrading: market.status === "TRADING",
  };
}

function rulesOfContract(market: ContractSymbol, isTrading: boolean): MarketRules {
  return {
    product: "contract",
    symbol: market.symbol,
    baseAsset: market.baseAsset,
    quoteAsset: market.quoteAsset,
    priceDecimals: market.pricePrecision,
    quantityDecimals: market.quantityPrecision,
    tickSize: stepOf(market.pricePrecision),
    stepSize: stepOf(market.quantityPrecision),
    minQuantity: market.minOrderSize,
    maxQuantity: market.maxOrderSize,
    minNotional: "0",
    makerFeeRate: market.makerFeeRate,
    takerFeeRate: market.takerFeeRate,
    maxLeverage: market.maxLeverage,
    riskTiers: market.riskTiers,
    isTrading,
  };
}

function stepOf(decimals: number): string {
  return decimals === 0 ? "1" : `0.${"1".padStart(decimals, "0")}`;
}
