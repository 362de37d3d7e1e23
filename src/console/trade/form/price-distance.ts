/** How far a price is from the last one, so that a typo shows before the order is sent. */
import { compare, dividedDown, minus } from "../../decimals/arithmetic.ts";

const PERCENT_DECIMALS = 2;

/** "1.5% below the last price"; both are above 0. */
export function distanceText(price: string, lastPrice: string): string {
  const isBelow = compare(price, lastPrice) < 0;
  const difference = isBelow ? minus(lastPrice, price) : minus(price, lastPrice);
  const percent = dividedDown(`${difference}`, dividedDown(lastPrice, "100", 18), PERCENT_DECIMALS);
  if (compare(difference, "0") === 0) return "At the last price";
  if (percent === "0") return `Just ${isBelow ? "below" : "above"} the last price`;
  return `${percent}% ${isBelow ? "below" : "above"} the last price`;
}
