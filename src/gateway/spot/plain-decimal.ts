/** Amounts as answers show them. */
import { formatDecimal, invariant, parseDecimal, SCALE_MAX } from "../../domain/index.ts";

/** An amount that a schema let in, without the zeros at its end. */
export function plainDecimal(text: string): string {
  // No asset has more decimals than text can carry.
  const units = parseDecimal(text, SCALE_MAX);
  invariant(typeof units === "bigint", "the schema lets only decimals in");
  return formatDecimal(units, SCALE_MAX);
}
