/**
 * What an amount is worth in USDT now, in 10^-8 USDT: USDT counts 1, another coin its last spot
 * price against USDT, and nothing before there is one. Caps and shares are measured this way.
 */
import { powerOfTen, RATE_ONE_E8 } from "../../domain/index.ts";
import type { Asset, State } from "../state.ts";

const USDT = "USDT";
const ONE_E8 = BigInt(RATE_ONE_E8);

/** 10^-8 USDT per minor unit, as a fraction, so that nothing is rounded before the end. */
export interface UsdtPrice {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Null before the first trade of the asset's market against USDT, and without such a market. */
export function usdtPriceOf(state: State, { asset, scale }: Asset): UsdtPrice | null {
  if (asset === USDT) return { numerator: ONE_E8, denominator: powerOfTen(scale) };
  const market = state.spotMarketsBySymbol.get(`${asset}${USDT}`);
  if (market === undefined || market.lastPriceUnits === 0) return null;
  const { baseAsset, quoteAsset } = market.rules;
  if (baseAsset.asset !== asset || quoteAsset.asset !== USDT) return null;
  return {
    numerator: BigInt(market.lastPriceUnits) * ONE_E8,
    denominator: powerOfTen(scale) * powerOfTen(market.priceScale),
  };
}

/** The value of an amount, rounded down. */
export function valueE8(price: UsdtPrice | null, amountMinor: bigint): bigint {
  return price === null ? 0n : (amountMinor * price.numerator) / price.denominator;
}

/** How many minor units a value buys, rounded down. */
export function unitsWithin({ numerator, denominator }: UsdtPrice, withinE8: bigint): bigint {
  return (withinE8 * denominator) / numerator;
}
