/**
 * Orders side by side at one price, amended to what they are, to a lot less or more, or to a tick
 * beside: whoever takes some of them then meets those first that have kept their place.
 */
import { text } from "../../support/exact.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Change, Product, SentOrder } from "../orders.ts";
import type { Trader } from "../trader.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const ORDERS_MAX = 4;
const AMENDMENTS_MAX = 4;
const LOTS_MAX = 5;
const PAUSE_MAX_MS = 3_000;

export interface Waiting {
  readonly trader: Trader;
  readonly order: SentOrder;
}

export const amendments =
  (product: Product): Scene =>
  async (stage) => {
    const { random, traders } = stage;
    const isSpot = product === "spot";
    await stage.clear(product, SYMBOL);
    const price = isSpot ? SPOT_PRICE.toFixed(2) : CONTRACT_PRICE.toFixed(1);
    const side = random.pick(["BUY", "SELL"] as const);
    // On spot also of the smallest lots, so that fees have remainders.
    const lots = () => (isSpot && random.chance(0.5) ? String(random.integer(10, 99)) : "");
    const quantity = () => `0.00${random.integer(2, LOTS_MAX)}${lots()}`;
    const termsOf = (ofSide: "BUY" | "SELL") => {
      const positionSide = ofSide === "BUY" ? "LONG" : "SHORT";
      const terms = { symbol: SYMBOL, side: ofSide, type: "LIMIT", price };
      return isSpot ? terms : { ...terms, positionSide };
    };
    const waiting: Waiting[] = [];
    for (let count = random.integer(2, ORDERS_MAX); count > 0; count--) {
      const trader = random.pick([...traders]);
      if (isSpot) await fundSpot(stage, trader);
      const terms = { ...termsOf(side), timeInForce: "GTC", quantity: quantity() };
      waiting.push({ trader, order: await stage.place(trader, product, terms) });
    }
    const taken = { ...termsOf(side === "BUY" ? "SELL" : "BUY"), timeInForce: "IOC" };
    for (let count = random.integer(1, AMENDMENTS_MAX); count > 0; count--) {
      const { order, trader } = random.pick(waiting);
      // It keeps the time of its placement.
      if (random.chance(0.3)) await stage.pass(random.integer(1, PAUSE_MAX_MS));
      const change = await changeOf(stage, product, order);
      if (change !== null) await stage.do(trader.amend(order, change));
      if (random.chance(0.5)) continue;
      await stage.place(random.pick([...traders]), product, { ...taken, quantity: quantity() });
    }
    await stage.look();
  };

/** Null for an order that does not wait. */
export async function changeOf(
  stage: Stage,
  product: Product,
  { orderId }: SentOrder,
  symbol: string = SYMBOL,
): Promise<Change | null> {
  const { random } = stage;
  const market = await stage.marketOf(product, symbol);
  const known = market?.resting.find((resting) => String(resting.orderId) === orderId);
  if (market === undefined || known === undefined) return null;
  const { filled } = known;
  const { step, tick } = market.rules;
  const price = text(known.price);
  const quantity = text(known.quantity);
  const lots = [known.quantity, known.quantity + step, known.quantity - step, filled + step];
  return random.pick([
    { price, quantity },
    { price, quantity },
    { price },
    { quantity },
    { quantity: text(random.pick(lots)) },
    { price, quantity: text(random.pick(lots)) },
    { price: text(known.price + random.pick([-1n, 1n]) * tick), quantity },
  ]);
}
