/** Exact arithmetic on decimal text, as typed by the user and sent by the exchange. */

interface Parts {
  readonly units: bigint;
  readonly scale: number;
}

const FORM = /^-?\d+(\.\d+)?$/;

function partsOf(text: string): Parts {
  if (!FORM.test(text)) throw new RangeError(`"${text}" is no decimal`);
  const [whole = "0", fraction = ""] = text.split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

function textOf({ units, scale }: Parts): string {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const at = digits.length - scale;
  const fraction = digits.slice(at).replace(/0+$/, "");
  return `${sign}${digits.slice(0, at)}${fraction === "" ? "" : `.${fraction}`}`;
}

function aligned(left: string, right: string): [bigint, bigint, number] {
  const [one, other] = [partsOf(left), partsOf(right)];
  const scale = Math.max(one.scale, other.scale);
  const raised = ({ units, scale: own }: Parts): bigint => units * 10n ** BigInt(scale - own);
  return [raised(one), raised(other), scale];
}

export function plus(left: string, right: string): string {
  const [one, other, scale] = aligned(left, right);
  return textOf({ units: one + other, scale });
}

export function minus(left: string, right: string): string {
  const [one, other, scale] = aligned(left, right);
  return textOf({ units: one - other, scale });
}

/** The exact product. */
export function times(left: string, right: string): string {
  const [one, other] = [partsOf(left), partsOf(right)];
  return textOf({ units: one.units * other.units, scale: one.scale + other.scale });
}

/** The quotient, rounded towards zero. "0" if the divisor is 0. */
export function dividedDown(left: string, right: string, decimals: number): string {
  const [one, other] = aligned(left, right);
  if (other === 0n) return "0";
  return textOf({ units: (one * 10n ** BigInt(decimals)) / other, scale: decimals });
}

/** Rounds towards zero to a multiple of the step. */
export function cutToStep(text: string, step: string): string {
  const [value, unit, scale] = aligned(text, step);
  return unit === 0n ? text : textOf({ units: (value / unit) * unit, scale });
}

export function compare(left: string, right: string): -1 | 0 | 1 {
  const [one, other] = aligned(left, right);
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Without sign, exponent or leading zeros, as the exchange accepts it. */
export function isAmount(text: string): boolean {
  return /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(text);
}

export function isMultiple(text: string, step: string): boolean {
  const [value, unit] = aligned(text, step);
  return unit !== 0n && value % unit === 0n;
}
