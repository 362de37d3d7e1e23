/** The average price of fills, for a sentence. */
import { dividedDown } from "../decimals/arithmetic.ts";
import { groupDecimal } from "../decimals/format.ts";

/** Two decimals from 100 on, four from 1 on, else eight. */
export function averagePriceText(value: string, quantity: string): string {
  const whole = dividedDown(value, quantity, 0);
  const decimals = whole === "0" ? 8 : whole.length < 3 ? 4 : 2;
  return groupDecimal(dividedDown(value, quantity, decimals));
}
