/**
 * Market orders for an amount of money that ends at an edge of the book: just a lot of the best
 * price, all of some levels, or the least that the market takes, and a unit more and less.
 */
import { text, times } from "../../support/exact.ts";
import { SYMBOL, spotPrice } from "../markets.ts";
import type { Scene } from "./stage.ts";

const ASKS_MAX = 3;
const BUYS_MAX = 4;

export const amounts: Scene = async (stage) => {
  const { random, traders } = stage;
  const [buyer, seller] = random.shuffle([...traders]);
  if (buyer === undefined || seller === undefined) return;
  const terms = { symbol: SYMBOL, side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  for (let count = random.integer(0, ASKS_MAX); count > 0; count--) {
    const quantity = (random.integer(1, 200) / 1e5).toFixed(5);
    await stage.place(seller, "spot", { ...terms, price: spotPrice(random), quantity });
  }
  for (let count = random.integer(1, BUYS_MAX); count > 0; count--) {
    const naive = await stage.look();
    const market = naive.markets.get(SYMBOL);
    if (market === undefined) return;
    const asks = naive.sideOf(market, "SELL");
    const { minNotional, quote, step } = market.rules;
    const [best] = asks;
    const edges = [minNotional];
    if (best !== undefined) edges.push(times(best.price, step), times(best.price, 2n * step));
    let whole = 0n;
    for (const { filled, price, quantity } of asks.slice(0, random.integer(1, ASKS_MAX))) {
      whole += times(price, quantity - filled);
      edges.push(whole);
    }
    const unit = 10n ** BigInt(18 - quote.scale);
    const amount = random.pick(edges) + BigInt(random.pick([-1, 0, 1])) * unit;
    if (amount <= 0n) continue;
    const order = { symbol: SYMBOL, side: "BUY", type: "MARKET", quoteAmount: text(amount) };
    await stage.place(buyer, "spot", order);
  }
  await stage.look();
};
