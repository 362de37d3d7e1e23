/**
 * An order that is filled a little, amended so that it loses or keeps its place, and filled again:
 * what its owner is told of its fees and profit is what all its fills have.
 */
import type { Random } from "../support/random.ts";
import { someTwo } from "./aims/sure-trade.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "./markets.ts";
import type { Product } from "./orders.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";
import { PrivateWatch } from "./watches.ts";

const ROUNDS_MAX = 3;

/** Of an exchange to which nobody else sends anything meanwhile. */
export async function amendBetweenFills(
  exchange: SimulatedExchange,
  traders: readonly Trader[],
  random: Random,
): Promise<void> {
  const both = someTwo(traders, random);
  if (both === null) return;
  const product: Product = random.pick(["spot", "contract"]);
  const watch = new PrivateWatch(both[0], product, random.pick(["v2", "v3"]));
  await exchange.life.until(watch.connect());
  await exchange.life.until(fillAndAmend(product, both, random));
  await exchange.life.until(watch.check());
  watch.disconnect();
}

async function fillAndAmend(
  product: Product,
  [maker, taker]: readonly [maker: Trader, taker: Trader],
  random: Random,
): Promise<void> {
  const isSpot = product === "spot";
  const side = random.pick(["BUY", "SELL"] as const);
  const other = side === "BUY" ? "SELL" : "BUY";
  const price = () => {
    const away = random.integer(-4, 4);
    return isSpot ? (SPOT_PRICE + away / 100).toFixed(2) : (CONTRACT_PRICE + away).toFixed(1);
  };
  // Contracts are closed as often as opened, as only that has a profit.
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  const ofBoth = { symbol: SYMBOL, type: "LIMIT", ...(isSpot ? {} : { positionSide }) };
  // On spot of the smallest lots, so that fees have remainders, which an amended order keeps.
  const quantity = (thousandths: number) => {
    const more = isSpot ? random.integer(0, 99) : 0;
    return ((thousandths * 100 + more) / 1e5).toFixed(isSpot ? 5 : 3);
  };
  let now = price();
  const waiting = { ...ofBoth, side, price: now, quantity: quantity(9), timeInForce: "GTC" };
  const order = await maker.place(product, waiting);
  if (order.fate !== "accepted") return;
  for (let rounds = random.integer(1, ROUNDS_MAX); rounds > 0; rounds--) {
    const taking = { ...ofBoth, side: other, price: now, quantity: quantity(2) };
    const opposite = positionSide === "LONG" ? "SHORT" : "LONG";
    const own = isSpot ? {} : { positionSide: random.pick([positionSide, opposite]) };
    await taker.place(product, { ...taking, ...own, timeInForce: "IOC" });
    const isLess = rounds > 1 && random.chance(0.4);
    if (isLess) {
      await maker.amend(order, { quantity: quantity(5 + rounds) });
      continue;
    }
    now = price();
    await maker.amend(order, { price: now });
  }
  if (random.chance(0.5)) await maker.cancel(order);
}
