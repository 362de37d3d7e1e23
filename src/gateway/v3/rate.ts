/** Fee rates and bands in force, for comparing them. */
import { invariant, parseDecimal, RATE_SCALE } from "../../domain/index.ts";

/** A whole number of 10^-8; the text is one that the engine answered. */
export function toRateE8(rate: string): bigint {
  const rateE8 = parseDecimal(rate, RATE_SCALE);
  invariant(typeof rateE8 === "bigint", "a rate in force is a decimal");
  return rateE8;
}
