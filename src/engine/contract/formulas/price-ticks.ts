/** Reads a price of a command against the grid of its market. */
import { formatGrid, parseSteps, type Rejection, reject } from "../../../domain/index.ts";
import type { ContractMarket } from "../state/contract-market.ts";

/** A price above zero on the market's grid, in ticks. */
export function readTicks(
  { rules: { tick } }: ContractMarket,
  text: string,
  field: string,
): number | Rejection {
  const ticks = parseSteps(text, tick);
  if (ticks === "malformed") return reject("malformed", field, "a decimal");
  if (ticks === "off-grid") return reject("off-tick", field, `a multiple of ${formatGrid(tick)}`);
  if (ticks === "out-of-range") return reject("out-of-range", field);
  return ticks === 0 ? reject("out-of-range", field, "more than 0") : ticks;
}
