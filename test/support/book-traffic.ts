/** Random orders and cancels that keep a book of both sides alive, of one product. */
import type { Product } from "../../src/domain/index.ts";
import type { Command } from "../../src/protocol/index.ts";
import type { Random } from "./random.ts";
import { SYMBOL } from "./stream-fixture.ts";

const MID_TICKS = 10_000;
/** How far from the middle orders rest, on both sides of which some trade. */
const AWAY_TICKS = 400;

/** `number` is the how many-th it is; earlier ones are what is cancelled. */
export function randomBookCommand(
  random: Random,
  product: Product,
  uids: readonly number[],
  number: number,
): Command {
  const uid = random.pick(uids);
  if (random.chance(0.3)) {
    const clientOrderId = `order-${random.integer(Math.max(1, number - 3_000), number)}`;
    const target = { uid, orderId: null, clientOrderId };
    return product === "spot"
      ? { type: "cancel-spot-order", symbol: SYMBOL, ...target }
      : { type: "cancel-contract-order", ...target };
  }
  if (random.chance(0.001)) {
    const all = { uid, symbol: SYMBOL };
    return product === "spot"
      ? { type: "cancel-all-spot-orders", ...all }
      : { type: "cancel-all-contract-orders", ...all };
  }
  const side = random.pick(["BUY", "SELL"] as const);
  // Most are near the middle, where they change what everybody sees.
  const reach = random.chance(0.7) ? 25 : AWAY_TICKS;
  const awayTicks = random.integer(-12, reach) * (side === "BUY" ? -1 : 1);
  const terms = {
    uid,
    symbol: SYMBOL,
    clientOrderId: `order-${number}`,
    side,
    orderType: "LIMIT",
    timeInForce: random.chance(0.1) ? "IOC" : "GTC",
    price: ((MID_TICKS + awayTicks) / 10).toFixed(1),
    quantity: String(random.integer(1, 50) / 1000),
  } as const;
  if (product === "spot") return { type: "place-spot-order", ...terms, quantityUnit: "base" };
  return {
    type: "place-contract-order",
    ...terms,
    positionSide: side === "BUY" ? "LONG" : "SHORT",
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}
