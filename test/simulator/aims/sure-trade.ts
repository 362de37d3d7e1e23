/** A trade that takes place whatever is in the book: one waits at a price, another takes it. */
import type { Random } from "../../support/random.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Trader } from "../trader.ts";

export async function tradeSurely(
  product: Product,
  [maker, taker]: readonly [maker: Trader, taker: Trader],
  random: Random,
): Promise<void> {
  const isSpot = product === "spot";
  const away = random.integer(-4, 4);
  const price = isSpot ? (SPOT_PRICE + away / 100).toFixed(2) : (CONTRACT_PRICE + away).toFixed(1);
  const quantity = (random.integer(10, 30) / 1e4).toFixed(isSpot ? 4 : 3);
  const terms = { symbol: SYMBOL, type: "LIMIT", price, quantity };
  const isBought = random.chance(0.5);
  const sides = isBought ? (["SELL", "BUY"] as const) : (["BUY", "SELL"] as const);
  const sent = sides.map((side) => {
    const positionSide = side === "BUY" ? "LONG" : "SHORT";
    return { ...terms, side, ...(isSpot ? {} : { positionSide }) };
  });
  await maker.place(product, { ...sent[0], timeInForce: "GTC" });
  await taker.place(product, { ...sent[1], timeInForce: "IOC" });
}

/** Null when there is only one. */
export function someTwo(
  traders: readonly Trader[],
  random: Random,
  first?: Trader,
): readonly [Trader, Trader] | null {
  const others = random.shuffle(traders.filter((trader) => trader !== first));
  const [one = first, other] = first === undefined ? others : [first, others[0]];
  return one === undefined || other === undefined ? null : [one, other];
}
