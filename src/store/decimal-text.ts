/**
 * Exact arithmetic on stored decimal text. Unlike amounts on the wire, sums may be of any length.
 */
import { formatDecimal, invariant, powerOfTen, SCALE_MAX } from "../domain/index.ts";

/** Reads canonical decimal text, perhaps signed, as a whole number of 10^-scale. */
export function decimalUnits(text: string, scale: number): bigint {
  const point = text.indexOf(".");
  if (point === -1) return BigInt(text) * powerOfTen(scale);
  const decimals = text.length - point - 1;
  invariant(decimals <= scale, `stored amount ${text} is finer than 10^-${scale}`);
  return BigInt(text.slice(0, point) + text.slice(point + 1)) * powerOfTen(scale - decimals);
}

export function addDecimals(left: string, right: string): string {
  return formatDecimal(decimalUnits(left, SCALE_MAX) + decimalUnits(right, SCALE_MAX), SCALE_MAX);
}

export function subtractDecimals(left: string, right: string): string {
  return formatDecimal(decimalUnits(left, SCALE_MAX) - decimalUnits(right, SCALE_MAX), SCALE_MAX);
}

export function negateDecimal(text: string): string {
  if (text === "0") return text;
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}

/** Negative when `left` is the smaller one. Both are canonical and not negative. */
export function compareDecimals(left: string, right: string): number {
  const difference = wholeDigits(left) - wholeDigits(right);
  if (difference !== 0) return difference;
  return left === right ? 0 : left < right ? -1 : 1;
}

function wholeDigits(text: string): number {
  const point = text.indexOf(".");
  return point === -1 ? text.length : point;
}
