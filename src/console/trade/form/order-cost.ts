/**
 * Estimates for an order: fee, margin, liquidation price, and the quantity that a share of the
 * funds buys. The exchange decides.
 */
import { compare, cutToStep, dividedDown, minus, plus, times } from "../../decimals/arithmetic.ts";
import type { MarketRules } from "../market-rules.ts";
import { type Draft, positionSideOf } from "./order-draft.ts";

const WORKING_DECIMALS = 12;

export interface Funds {
  /** Spot: free base asset. */
  readonly base: string;
  /** Spot: free quote asset. Contracts: available margin. */
  readonly quote: string;
  /** Contracts: position sizes that can be closed. */
  readonly longSize: string;
  readonly shortSize: string;
}

export const NO_FUNDS: Funds = { base: "0", quote: "0", longSize: "0", shortSize: "0" };

/** The user's rates, which may differ from the market's. */
export interface FeeRates {
  readonly maker: string;
  readonly taker: string;
}

/** The asset the fee is paid in: the received asset on spot, else the margin asset. */
export function feeAssetOf({ side }: Draft, rules: MarketRules): string {
  return rules.product === "spot" && side === "BUY" ? rules.baseAsset : rules.quoteAsset;
}

/** At the taker rate, the maximum; post-only orders pay the maker rate. */
export function estimatedFee(
  draft: Draft,
  price: string,
  rules: MarketRules,
  rates: FeeRates,
): string {
  const { quantity, side, kind, timeInForce } = draft;
  const isMaker = kind === "LIMIT" && timeInForce === "POST_ONLY";
  const rate = isMaker ? rates.maker : rates.taker;
  const isInBase = rules.product === "spot" && side === "BUY";
  return times(isInBase ? quantity : times(quantity, price), rate);
}

/** price × quantity / leverage; closing orders need none. */
export function initialMargin(draft: Draft, price: string, leverage: string): string {
  if (draft.closes) return "0";
  return dividedDown(times(draft.quantity, price), leverage, WORKING_DECIMALS);
}

/**
 * The quantity that a share of the funds buys, cut to the step: quote / price for a spot buy, the
 * base asset for a sell, what margin and fee allow for an opening contract order, the position for
 * a closing one.
 */
export function quantityForPercent(
  draft: Draft,
  percent: number,
  price: string,
  funds: Funds,
  facts: { readonly rules: MarketRules; readonly rates: FeeRates; readonly leverage: string },
): string {
  const { rules, rates, leverage } = facts;
  const share = dividedDown(String(percent), "100", 2);
  const cut = (text: string): string => cutToStep(text, rules.stepSize);
  if (rules.product === "spot") {
    if (draft.side === "SELL") return cut(times(funds.base, share));
    return cut(dividedDown(times(funds.quote, share), price, WORKING_DECIMALS));
  }
  if (draft.closes) {
    const held = positionSideOf(draft) === "LONG" ? funds.longSize : funds.shortSize;
    return cut(times(held, share));
  }
  const marginOfOne = dividedDown(price, leverage, WORKING_DECIMALS);
  const costOfOne = plus(marginOfOne, times(price, rates.taker));
  return cut(dividedDown(times(funds.quote, share), costOfOne, WORKING_DECIMALS));
}

/** Whether the order costs more than is available, or closes more than is open. */
export function isBeyondFunds(
  draft: Draft,
  price: string,
  funds: Funds,
  facts: { readonly rules: MarketRules; readonly rates: FeeRates; readonly leverage: string },
): boolean {
  const { rules, rates, leverage } = facts;
  const { quantity } = draft;
  if (rules.product === "spot") {
    if (draft.side === "SELL") return compare(quantity, funds.base) > 0;
    return compare(times(quantity, price), funds.quote) > 0;
  }
  if (draft.closes) {
    const held = positionSideOf(draft) === "LONG" ? funds.longSize : funds.shortSize;
    return compare(quantity, held) > 0;
  }
  const fee = estimatedFee(draft, price, rules, rates);
  return compare(plus(initialMargin(draft, price, leverage), fee), funds.quote) > 0;
}

/** A step of the maintenance margin table. */
export interface RiskTier {
  /** Upper bound of the tier. */
  readonly maxNotional: string;
  readonly maintenanceMarginRate: string;
}

function maintenanceRateOf(notional: string, tiers: readonly RiskTier[]): string {
  const tier = tiers.find(({ maxNotional }) => compare(notional, maxNotional) <= 0);
  return (tier ?? tiers.at(-1))?.maintenanceMarginRate ?? "0";
}

export interface LiquidationFacts {
  /** Margin behind the position: its own, or the wallet for cross. */
  readonly backing: string;
  readonly tiers: readonly RiskTier[];
}

/**
 * The mark price at which a position from this order alone would be liquidated, as if isolated:
 * long (value − margin) / (size × (1 − m)), short (value + margin) / (size × (1 + m)). Null if the
 * order closes or the backing covers everything.
 */
export function estimatedLiquidation(
  draft: Draft,
  price: string,
  rules: MarketRules,
  { backing, tiers }: LiquidationFacts,
): string | null {
  if (draft.closes || compare(draft.quantity, "0") === 0) return null;
  const value = times(draft.quantity, price);
  const rate = maintenanceRateOf(value, tiers);
  const isLong = positionSideOf(draft) === "LONG";
  const left = isLong ? minus(value, backing) : plus(value, backing);
  if (compare(left, "0") <= 0) return null;
  const divisor = times(draft.quantity, isLong ? minus("1", rate) : plus("1", rate));
  return dividedDown(left, divisor, rules.priceDecimals);
}
