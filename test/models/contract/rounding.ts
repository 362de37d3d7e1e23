/**
 * Exact division for the reference exchange of contracts: whole numbers in, a named rounding out.
 * Amounts are whole numbers of 10^-18, products of two of them whole numbers of 10^-36.
 */

export const ONE = 10n ** 18n;

export type PositionDirection = "LONG" | "SHORT";

/** A number as numerator and positive denominator. */
export interface Ratio {
  readonly n: bigint;
  readonly d: bigint;
}

/** A whole number as a ratio. */
export function ratio(n: bigint): Ratio {
  return { n, d: 1n };
}

export function floorDivide(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n % d !== 0n && n < 0n ? quotient - 1n : quotient;
}

function ceilDivide(n: bigint, d: bigint): bigint {
  return -floorDivide(-n, d);
}

/** To the nearest whole number, a half upwards. */
export function halfUp(n: bigint, d: bigint): bigint {
  return floorDivide(2n * n + d, 2n * d);
}

/** The greatest multiple of `unit` that is not above n/d, and its companions. */
export function down(n: bigint, d: bigint, unit: bigint): bigint {
  return floorDivide(n, d * unit) * unit;
}

export function up(n: bigint, d: bigint, unit: bigint): bigint {
  return ceilDivide(n, d * unit) * unit;
}

export function nearest(n: bigint, d: bigint, unit: bigint): bigint {
  return halfUp(n, d * unit) * unit;
}

export function clamp(value: bigint, least: bigint, greatest: bigint): bigint {
  if (value < least) return least;
  return value > greatest ? greatest : value;
}

/** Negative when `one` is less than `other`; denominators are positive. */
export function compareRatios(one: Ratio, other: Ratio): number {
  const difference = one.n * other.d - other.n * one.d;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** +1 for LONG, −1 for SHORT. */
export function direction(side: PositionDirection): bigint {
  return side === "LONG" ? 1n : -1n;
}
