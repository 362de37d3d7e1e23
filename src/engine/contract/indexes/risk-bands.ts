/**
 * The marks between which nothing can become due: the bounds of a tier, of an isolated position,
 * and of a market's share in the surplus of a cross account.
 */
import { crossNotionalMinor, crossSlopeE8 } from "../formulas/account-equity.ts";
import { isolatedDueTicks, tierIndex } from "../formulas/valuation.ts";
import type { ContractMarketRules, Position, SymbolAccount } from "../state/contract-market.ts";

/** Marks outside which to look: at `low` and below, at `high` and above. */
export interface Band {
  /** 0 or less for none. */
  readonly low: number;
  /** Infinity for none. */
  readonly high: number;
}

export const NO_BAND: Band = { low: 0, high: Number.POSITIVE_INFINITY };

/** The last mark at which an isolated position is due at a maintenance rate. */
export function dueTicks(position: Position, rateE8: bigint): number {
  const { side, openValueMinor, marginMinor, sizeLots, owner } = position;
  const { rules } = owner.market;
  return isolatedDueTicks(side, openValueMinor, marginMinor, sizeLots, rules, rateE8);
}

/** The marks at which a notional of so many lots leaves its tier. */
export function tierBand(rules: ContractMarketRules, tier: number, lots: bigint): Band {
  const perTick = lots * rules.minorPerTickLot;
  const below = tier === 0 ? undefined : rules.tiers[tier - 1];
  const own = tier === rules.tiers.length - 1 ? undefined : rules.tiers[tier];
  return {
    low: below === undefined ? NO_BAND.low : Number(below.maxNotionalMinor / perTick),
    high: own === undefined ? NO_BAND.high : Number(own.maxNotionalMinor / perTick) + 1,
  };
}

/**
 * The marks up to which a market uses at most its share of an account's surplus, in the present
 * tier. Only moves against the account use it up.
 */
export function shareBand(owner: SymbolAccount, rateE8: bigint, shareE8: bigint): Band {
  const { rules, mark } = owner.market;
  const lots = BigInt(owner.sideLots[0]) + BigInt(owner.sideLots[1]);
  const tier = tierBand(rules, tierIndex(rules, crossNotionalMinor(owner)), lots);
  const slopeE8 = crossSlopeE8(owner, rateE8);
  if (slopeE8 === 0n) return tier;
  if (slopeE8 > 0n) {
    const low = mark.ticks - Number(shareE8 / slopeE8) - 1;
    return { low: Math.max(low, tier.low), high: tier.high };
  }
  const high = mark.ticks + Number(shareE8 / -slopeE8) + 1;
  return { low: tier.low, high: Math.min(high, tier.high) };
}
