/**
 * The formulas of contracts, in whole minor units of the margin asset. Values are exact; where a
 * result is not whole, its name or comment gives the rounding. Decisions compare by multiplying
 * across, never by a rounded quotient.
 */
import {
  divideRoundingDown,
  divideRoundingUp,
  exactProduct,
  invariant,
  RATE_ONE_E8,
} from "../../../domain/index.ts";
import { type FeeRates, feeRatesKey, type User } from "../../accounts/user.ts";
import {
  type ContractMarket,
  type ContractMarketRules,
  LONG,
  type Position,
  type PositionSideIndex,
} from "../state/contract-market.ts";

export const ONE_E8 = BigInt(RATE_ONE_E8);

/** Price × quantity, exact. */
export function valueMinor(rules: ContractMarketRules, ticks: number, lots: number): bigint {
  return exactProduct(ticks, lots) * rules.minorPerTickLot;
}

/** Unrealised profit of a size that was opened for `openValueMinor` and is worth `nowMinor`. */
export function pnlMinor(
  side: PositionSideIndex,
  openValueMinor: bigint,
  nowMinor: bigint,
): bigint {
  return side === LONG ? nowMinor - openValueMinor : openValueMinor - nowMinor;
}

/** Value / leverage, rounded up. */
export function initialMarginMinor(value: bigint, leverage: number): bigint {
  return divideRoundingUp(value, BigInt(leverage));
}

/**
 * The part of an amount that goes with a part of the size: rounded towards zero, and all of it with
 * the last part.
 */
export function removedPart(amountMinor: bigint, partLots: number, sizeLots: number): bigint {
  invariant(partLots > 0 && partLots <= sizeLots, "a part is at most the whole");
  if (partLots === sizeLots || amountMinor === 0n) return amountMinor;
  // BigInt division truncates towards zero.
  return (amountMinor * BigInt(partLots)) / BigInt(sizeLots);
}

/**
 * The part of the open value that goes with a part of the size: up for LONG, down for SHORT, so
 * that realised profit is never rounded in the holder's favour.
 */
export function removedOpenValue(
  side: PositionSideIndex,
  openValueMinor: bigint,
  partLots: number,
  sizeLots: number,
): bigint {
  invariant(partLots > 0 && partLots <= sizeLots, "a part is at most the whole");
  if (partLots === sizeLots) return openValueMinor;
  const exact = openValueMinor * BigInt(partLots);
  return side === LONG
    ? divideRoundingUp(exact, BigInt(sizeLots))
    : divideRoundingDown(exact, BigInt(sizeLots));
}

/** The tier of a notional: one equal to a tier's maximum belongs to it; above all, the last. */
export function tierIndex(rules: ContractMarketRules, notionalMinor: bigint): number {
  const { tiers } = rules;
  for (let i = 0; i < tiers.length - 1; i++) {
    if (notionalMinor <= (tiers[i]?.maxNotionalMinor ?? 0n)) return i;
  }
  return tiers.length - 1;
}

/** Maintenance rate of a tier and the holder's taker fee rate together, in 10^-8; below one. */
export function maintenanceE8(
  rules: ContractMarketRules,
  tier: number,
  takerFeeRateE8: number,
): bigint {
  const { maintenanceMarginRateE8 } = rules.tiers[tier] ?? { maintenanceMarginRateE8: 0 };
  return BigInt(maintenanceMarginRateE8 + takerFeeRateE8);
}

/** Margin + unrealised profit at or below the maintenance margin of an isolated position, exact. */
export function isIsolatedDue(position: Position, markTicks: number, mE8: bigint): boolean {
  const { side, owner } = position;
  return isMarginDue(owner.market.rules, side, position, markTicks, mE8);
}

/** The same of any figures of an isolated position. */
export function isMarginDue(
  rules: ContractMarketRules,
  side: PositionSideIndex,
  figures: Readonly<Pick<Position, "sizeLots" | "openValueMinor" | "marginMinor">>,
  markTicks: number,
  mE8: bigint,
): boolean {
  const { sizeLots, openValueMinor, marginMinor } = figures;
  const value = valueMinor(rules, markTicks, sizeLots);
  return isDueAt(marginMinor + pnlMinor(side, openValueMinor, value), value * mE8);
}

/** The rule of every liquidation, exact: equity is at or below maintenance. */
export function isDueAt(equityMinor: bigint, maintenanceMinorE8: bigint): boolean {
  return equityMinor * ONE_E8 <= maintenanceMinorE8;
}

/**
 * The last mark at which an isolated position is due: it is for every mark up to it (LONG) or from
 * it on (SHORT). -1: a LONG that is due at no price. It is where equity = maintenance margin: LONG
 * (open value − margin) / (size × (1 − m)), SHORT (open value + margin) / (size × (1 + m)).
 */
export function isolatedDueTicks(
  side: PositionSideIndex,
  openValueMinor: bigint,
  marginMinor: bigint,
  lots: number,
  rules: ContractMarketRules,
  mE8: bigint,
): number {
  const perTick = BigInt(lots) * rules.minorPerTickLot;
  if (side === LONG) {
    const numerator = (openValueMinor - marginMinor) * ONE_E8;
    return numerator < 0n ? -1 : Number(divideRoundingDown(numerator, perTick * (ONE_E8 - mE8)));
  }
  const numerator = (openValueMinor + marginMinor) * ONE_E8;
  return Number(divideRoundingUp(numerator, perTick * (ONE_E8 + mE8)));
}

/** The nearest tick to a price, half up; 0 for a price that is not above zero. */
export function nearestTick(numerator: bigint, denominator: bigint): bigint {
  invariant(denominator > 0n, "a price fraction has a positive denominator");
  if (numerator <= 0n) return 0n;
  return (2n * numerator + denominator) / (2n * denominator);
}

/** The user's own rates for the contract or for all contracts; else the market's. */
export function contractFeeRates(user: User, market: ContractMarket): FeeRates {
  if (user.feeRates !== null) {
    const own =
      user.feeRates.get(feeRatesKey("contract", market.symbol)) ??
      user.feeRates.get(feeRatesKey("contract", null));
    if (own !== undefined) return own;
  }
  return market.rules;
}

export function takerRateE8(user: User, market: ContractMarket): number {
  return contractFeeRates(user, market).takerFeeRateE8;
}
