/** Formats decimal strings for display: cut and grouped, never rounded, never floats. */

/** Of amounts in a quote asset. */
export const MONEY_DECIMALS = 2;
/** Of fees in a quote asset: they are small. */
export const QUOTE_FEE_DECIMALS = 4;

/** "1234567.89100" with 2 places: "1,234,567.89". Digits beyond the places are cut off. */
export function groupDecimal(text: string, places?: number): string {
  const [whole = "0", fraction = ""] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const shown = places === undefined ? fraction : fraction.padEnd(places, "0").slice(0, places);
  return shown === "" ? grouped : `${grouped}.${shown}`;
}

/** How many decimals a step has: "0.01" has 2, "1" and "10" have 0. */
export function decimalsOf(step: string): number {
  return step.includes(".") ? step.length - step.indexOf(".") - 1 : 0;
}

/** "-0.0123" as "-1.23%", cut after two decimals; with a sign when it is positive. */
export function percentOf(fraction: string, places = 2): string {
  const negative = fraction.startsWith("-");
  const [whole = "0", part = ""] = fraction.replace("-", "").split(".");
  const digits = `${whole}${part.padEnd(places + 2, "0").slice(0, places + 2)}`;
  const cut = digits.padStart(places + 1, "0");
  const at = cut.length - places;
  const number = `${cut.slice(0, at).replace(/^0+(?=\d)/, "")}.${cut.slice(at)}`;
  if (/^[0.]+$/.test(number)) return `${number}%`;
  return `${negative ? "-" : "+"}${number}%`;
}

/** A fraction as percent without a plus: "0.0123" as "1.23%". */
export function rateText(fraction: string, places = 2): string {
  return percentOf(fraction, places).replace("+", "");
}

/** -1, 0 or 1. */
export function signOf(text: string): -1 | 0 | 1 {
  if (/^-?[0.]*$/.test(text)) return 0;
  return text.startsWith("-") ? -1 : 1;
}

/** With a plus where it is positive: "+1,234.50 USDT". */
export function signed(text: string): string {
  return text.startsWith("-") || !/[1-9]/.test(text) ? text : `+${text}`;
}

/** The colour of a gain or a loss. */
export function toneOf(text: string): "buy" | "sell" | "plain" {
  return ({ "-1": "sell", 0: "plain", 1: "buy" } as const)[signOf(text)];
}
