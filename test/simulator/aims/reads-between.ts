/**
 * A client asks for its account between two changes that come faster than its stream tells of them:
 * what has returned to its old value by then must be told nevertheless.
 */
import type { Random } from "../../support/random.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product, SentOrder } from "../orders.ts";
import type { PrivateWatch } from "../watches.ts";
import type { World } from "./world.ts";

const CHANGES_MAX = 7;
/** Of the price; too far to meet anybody. */
const AWAY = 0.02;

export async function readBetween(
  { watches }: World,
  random: Random,
): Promise<readonly PrivateWatch[]> {
  const connected = watches.filter(({ isConnected }) => isConnected);
  if (connected.length === 0) return [];
  const watch = random.pick(connected);
  const { product, trader } = watch;
  const open: SentOrder[] = [];
  for (let count = random.integer(3, CHANGES_MAX); count > 0; count--) {
    const last = open.at(-1);
    if (last !== undefined && random.chance(0.5)) {
      open.pop();
      await trader.cancel(last);
    } else {
      const order = await trader.place(product, farOrder(product, random));
      if (order.fate === "accepted") open.push(order);
    }
    if (random.chance(0.6)) await watch.readAgain();
  }
  if (random.chance(0.5)) for (const order of open) await trader.cancel(order);
  return [watch];
}

/** It rests, and freezes what it would pay. */
export function farOrder(product: Product, random: Random): Record<string, string> {
  const side = random.pick(["BUY", "SELL"] as const);
  const factor = side === "BUY" ? 1 - AWAY : 1 + AWAY;
  const terms = { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC" };
  if (product === "spot") {
    return { ...terms, price: (SPOT_PRICE * factor).toFixed(2), quantity: "0.002" };
  }
  const positionSide = side === "BUY" ? "LONG" : "SHORT";
  return { ...terms, price: (CONTRACT_PRICE * factor).toFixed(1), quantity: "0.001", positionSide };
}
