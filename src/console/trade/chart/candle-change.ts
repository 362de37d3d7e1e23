/** The exact change between two prices. */
import {
  formatDecimal,
  invariant,
  parseDecimal,
  powerOfTen,
  SCALE_MAX,
} from "../../../domain/index.ts";

const FRACTION_DECIMALS = 6;

/** (to − from) ÷ from as a decimal fraction, cut after six decimals. */
export function changeOf(from: string, to: string): string {
  const [before, after] = [parseDecimal(from, SCALE_MAX), parseDecimal(to, SCALE_MAX)];
  invariant(typeof before === "bigint" && typeof after === "bigint", "prices are decimal text");
  if (before === 0n) return "0";
  const fraction = ((after - before) * powerOfTen(FRACTION_DECIMALS)) / before;
  return formatDecimal(fraction, FRACTION_DECIMALS);
}
