/**
 * Decimal text ↔ exact integers. Prices are ticks and quantities lots, as safe integers; money is
 * a `bigint` of an asset's minor units (10^-scale). Parsing never rounds: a value that does not fit
 * is refused. Each division of money names its rounding direction.
 */
import { invariant } from "./invariant.ts";

/** The only accepted form of an amount: no sign, exponent, white space or leading zeros. */
export const DECIMAL_PATTERN = "^(0|[1-9]\\d{0,17})(\\.\\d{1,18})?$";
const DECIMAL = new RegExp(DECIMAL_PATTERN);
export const SCALE_MAX = 18;

/** Rates (fees, bands) are held as integers of 10^-8. */
export const RATE_SCALE = 8;
export const RATE_ONE_E8 = 100_000_000;

const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 40 }, (_, i) => 10n ** BigInt(i));

const NUMBER_POWERS_OF_TEN: readonly number[] = Array.from({ length: 16 }, (_, i) => 10 ** i);

const ZEROS: readonly string[] = NUMBER_POWERS_OF_TEN.map((_, i) => "0".repeat(i));

export function powerOfTen(exponent: number): bigint {
  const power = POWERS_OF_TEN[exponent];
  invariant(power !== undefined, "scales are from 0 to 39");
  return power;
}

function isDecimal(text: string): boolean {
  return text.length <= 37 && DECIMAL.test(text);
}

/**
 * Parses decimal text as an integer multiple of 10^-scale.
 * `"malformed"`: does not match `DECIMAL_PATTERN`. `"excess-precision"`: a non-zero digit beyond
 * the scale.
 */
export function parseDecimal(
  text: string,
  scale: number,
): bigint | "malformed" | "excess-precision" {
  if (!isDecimal(text)) return "malformed";
  const point = text.indexOf(".");
  if (point === -1) return BigInt(text) * powerOfTen(scale);
  let end = text.length;
  while (end > point + 1 && text.charCodeAt(end - 1) === 48) end--;
  const decimals = end - point - 1;
  if (decimals > scale) return "excess-precision";
  return BigInt(text.slice(0, point) + text.slice(point + 1, end)) * powerOfTen(scale - decimals);
}

/** Parses decimal text that may begin with a minus sign. */
export function parseSignedDecimal(
  text: string,
  scale: number,
): bigint | "malformed" | "excess-precision" {
  if (!text.startsWith("-")) return parseDecimal(text, scale);
  const units = parseDecimal(text.slice(1), scale);
  return typeof units === "string" ? units : -units;
}

/**
 * Formats an integer multiple of 10^-scale as decimal text: no exponent, no trailing zeros, zero as
 * `"0"`.
 */
export function formatDecimal(units: bigint, scale: number): string {
  if (units === 0n) return "0";
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  let end = digits.length;
  while (end > digits.length - scale && digits.charCodeAt(end - 1) === 48) end--;
  const fraction = digits.slice(digits.length - scale, end);
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A tick or lot size: `step` units of 10^-scale, e.g. `"0.05"` is `{scale: 2, step: 5}`. */
export interface Grid {
  readonly scale: number;
  readonly step: number;
}

/** Parses a tick or lot size; null when it is zero, malformed or finer than 10^-18. */
export function parseGrid(text: string): Grid | null {
  if (!isDecimal(text)) return null;
  const trimmed = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  const point = trimmed.indexOf(".");
  const scale = point === -1 ? 0 : trimmed.length - point - 1;
  const step = Number(trimmed.replace(".", ""));
  if (step === 0 || !Number.isSafeInteger(step)) return null;
  return { scale, step };
}

/**
 * Parses decimal text as a whole number of grid steps (ticks or lots).
 * `"off-grid"`: between two steps. `"out-of-range"`: beyond 2^53 - 1 steps.
 */
export function parseSteps(
  text: string,
  grid: Grid,
): number | "malformed" | "off-grid" | "out-of-range" {
  const short = parseShort(text, grid.scale);
  if (short !== NOT_SHORT) return short % grid.step === 0 ? short / grid.step : "off-grid";
  const units = parseDecimal(text, grid.scale);
  if (units === "malformed") return "malformed";
  if (units === "excess-precision") return "off-grid";
  const step = BigInt(grid.step);
  if (units % step !== 0n) return "off-grid";
  const steps = units / step;
  return steps > BigInt(Number.MAX_SAFE_INTEGER) ? "out-of-range" : Number(steps);
}

const NOT_SHORT = -1;
const SHORT_DIGITS_MAX = 15;

/**
 * The common case without bigints: well-formed text of at most 15 digits and no more decimals than
 * the scale, as units of 10^-scale. Everything else, including every refusal, returns `NOT_SHORT`
 * and is left to the full parser.
 */
function parseShort(text: string, scale: number): number {
  const length = text.length;
  if (length === 0 || length > SHORT_DIGITS_MAX + 1) return NOT_SHORT;
  let units = 0;
  let point = NOT_SHORT;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (digit === -2 && point === NOT_SHORT) point = i;
    else return NOT_SHORT;
  }
  const wholeDigits = point === NOT_SHORT ? length : point;
  const decimals = point === NOT_SHORT ? 0 : length - point - 1;
  const isWellFormed =
    wholeDigits > 0 &&
    (wholeDigits === 1 || text.charCodeAt(0) !== 48) &&
    (point === NOT_SHORT || decimals > 0);
  if (!isWellFormed || decimals > scale || wholeDigits + scale > SHORT_DIGITS_MAX) return NOT_SHORT;
  return units * (NUMBER_POWERS_OF_TEN[scale - decimals] as number);
}

export function formatSteps(steps: number, grid: Grid): string {
  const units = steps * grid.step;
  if (isShort(units, grid.scale)) return formatShort(units, grid.scale);
  return formatDecimal(BigInt(steps) * BigInt(grid.step), grid.scale);
}

function isShort(units: number, scale: number): boolean {
  return units >= 0 && units <= Number.MAX_SAFE_INTEGER && scale < NUMBER_POWERS_OF_TEN.length;
}

/** Nearly every price and quantity, in half the time that the digits of a bigint take. */
function formatShort(units: number, scale: number): string {
  const one = NUMBER_POWERS_OF_TEN[scale] as number;
  // Exact: below 2^53 a quotient is never rounded up to the next whole number.
  const whole = Math.floor(units / one);
  let fraction = units - whole * one;
  if (fraction === 0) return String(whole);
  let decimals = scale;
  while (fraction % 10 === 0) {
    fraction /= 10;
    decimals--;
  }
  const digits = String(fraction);
  return `${whole}.${ZEROS[decimals - digits.length]}${digits}`;
}

export function formatGrid(grid: Grid): string {
  return formatDecimal(BigInt(grid.step), grid.scale);
}

const TWO_POW_52 = 2 ** 52;
const double = new Float64Array(1);
const bitsOfDouble = new BigUint64Array(double.buffer);

/** A safe integer as a bigint. */
export function toBigInt(value: number): bigint {
  const shifted = value + TWO_POW_52;
  const isShort = value >= 0 && value < TWO_POW_52 && shifted - TWO_POW_52 === value;
  if (!isShort) return BigInt(value);
  // The value is now in the 52 bits of the fraction. Calling `BigInt` would cost as much as
  // everything done with its result.
  double[0] = shifted;
  return BigInt.asUintN(52, bitsOfDouble[0] as bigint);
}

/** The product of two safe integers. */
export function exactProduct(one: number, other: number): bigint {
  const product = one * other;
  // Below 2^53 the float product is exact; multiplying bigints takes several times as long.
  return Number.isSafeInteger(product) ? toBigInt(product) : BigInt(one) * BigInt(other);
}

/** Fees round up: the exchange never charges less than the exact fee. */
export function divideRoundingUp(numerator: bigint, denominator: bigint): bigint {
  invariant(numerator >= 0n && denominator > 0n, "divideRoundingUp takes non-negative amounts");
  return (numerator + denominator - 1n) / denominator;
}

/** Payouts round down: never more than the exact amount. */
export function divideRoundingDown(numerator: bigint, denominator: bigint): bigint {
  invariant(numerator >= 0n && denominator > 0n, "divideRoundingDown takes non-negative amounts");
  return numerator / denominator;
}

/** The largest integer not above the quotient; the numerator may have any sign. */
export function floorDivide(numerator: bigint, denominator: bigint): bigint {
  invariant(denominator > 0n, "a denominator is positive");
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
}

/** The smallest integer not below the quotient; the numerator may have any sign. */
export function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return -floorDivide(-numerator, denominator);
}

/** The nearest integer, halves rounded up even below zero; the numerator may have any sign. */
export function divideRoundingHalfUp(numerator: bigint, denominator: bigint): bigint {
  return floorDivide(2n * numerator + denominator, 2n * denominator);
}
