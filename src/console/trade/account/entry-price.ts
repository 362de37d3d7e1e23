/** The average entry price of a position. */
import type { Position } from "../../../client/index.ts";
import { dividedDown } from "../../decimals/arithmetic.ts";

const PRICE_DECIMALS = 8;

export function entryPriceOf({ openValue, size }: Position): string {
  return dividedDown(openValue, size, PRICE_DECIMALS);
}
