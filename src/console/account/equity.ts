/** What an account is worth in the quote asset, at the last spot prices. */
import { plus, times } from "../decimals/arithmetic.ts";

export const QUOTE = "USDT";

export interface Holding {
  readonly asset: string;
  readonly amount: string;
}

export interface Equity {
  readonly value: string;
  /** Assets without a market against the quote asset: not counted. */
  readonly unpriced: readonly string[];
}

/** `prices` by symbol; "0" is no price. */
export function equityOf(
  holdings: readonly Holding[],
  prices: ReadonlyMap<string, string>,
): Equity {
  let value = "0";
  const unpriced: string[] = [];
  for (const { asset, amount } of holdings) {
    const price = asset === QUOTE ? "1" : (prices.get(`${asset}${QUOTE}`) ?? "0");
    if (Number(amount) !== 0 && Number(price) === 0) unpriced.push(asset);
    value = plus(value, times(amount, price));
  }
  return { value, unpriced };
}
