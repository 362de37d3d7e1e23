/**
 * Exact arithmetic for expectations, written apart from the product's own so that the two check
 * each other: amounts are whole numbers of 10^-18 in a `bigint`.
 */
const SCALE = 18;
/** The number one, in units. */
export const ONE = 10n ** BigInt(SCALE);

/** Reads plain decimal text; anything else is a failure of the test. */
export function exact(text: string): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(text);
  if (parts === null) throw new Error(`not plain decimal text: ${JSON.stringify(text)}`);
  const [, sign, whole = "", fraction = ""] = parts;
  const units = BigInt(whole) * ONE + BigInt(fraction.padEnd(SCALE, "0"));
  return sign === "-" ? -units : units;
}

/** Plain decimal text without trailing zeros. */
export function text(units: bigint): string {
  const magnitude = units < 0n ? -units : units;
  const whole = magnitude / ONE;
  const fraction = (magnitude % ONE).toString().padStart(SCALE, "0").replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The product of two amounts, which must have no digit beyond 10^-18. */
export function times(a: bigint, b: bigint): bigint {
  const product = a * b;
  if (product % ONE !== 0n) throw new Error("a product needs more than 18 decimals");
  return product / ONE;
}

/** Rounds a product of two amounts (a whole number of 10^-36) up to one of 10^-scale. */
export function roundedUp(product: bigint, scale: number): bigint {
  const unit = 10n ** BigInt(SCALE - scale);
  return ((product + ONE * unit - 1n) / (ONE * unit)) * unit;
}

export function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function greatest(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

export function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
}

/** The wire's own rule for amounts: plain, no exponent, no trailing zeros, `"0"` for zero. */
export function isCanonicalDecimal(value: unknown): value is string {
  return (
    typeof value === "string" && /^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/.test(value) && value !== "-0"
  );
}
