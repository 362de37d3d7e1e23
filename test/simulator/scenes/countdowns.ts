/**
 * Many countdowns at once, of all users, products and markets: set, set again, taken back, ended at
 * their millisecond or one beside, and held by a halt, in any order.
 */
import { nextDueIn } from "../directed.ts";
import { SYMBOL, TWO_SYMBOLS } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Scene, Stage } from "./stage.ts";

const PRODUCTS: readonly Product[] = ["spot", "contract"];
/** Few of them the same. */
const LENGTHS_MS = { least: 1_000, most: 12_000 };
const MOVES_MAX = 12;

async function set(stage: Stage, countdownMs: number): Promise<void> {
  const { random, traders } = stage;
  const family = random.pick(PRODUCTS) === "spot" ? "/api" : "/capi";
  const symbol = random.pick([null, ...TWO_SYMBOLS]);
  const scope = symbol === null ? {} : { symbol };
  const path = `${family}/v3/order/cancelAllAfter`;
  await stage.send(random.pick([...traders]), "POST", path, { ...scope, countdownMs });
}

function setSome(stage: Stage): Promise<void> {
  return set(stage, stage.random.integer(LENGTHS_MS.least, LENGTHS_MS.most));
}

/** Of somebody, far enough from the others that it waits. */
async function placeOne(stage: Stage, product: Product): Promise<void> {
  const { random, traders } = stage;
  const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const order =
    product === "spot"
      ? { ...terms, price: "990.00", quantity: "0.0012" }
      : { ...terms, price: "58500.0", quantity: "0.001", positionSide: "LONG" };
  await stage.place(random.pick([...traders]), product, order);
}

export const countdowns: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  for (const product of PRODUCTS) await placeOne(stage, product);
  for (let count = 3 * traders.length; count > 0; count--) await setSome(stage);
  let halted: Product | null = null;
  const toggle = async (): Promise<void> => {
    const product: Product = halted ?? random.pick(PRODUCTS);
    const state = halted === null ? "halted" : "trading";
    halted = halted === null ? product : null;
    await stage.operate("PATCH", `markets/${product}/${SYMBOL}`, { state });
  };
  for (let count = random.integer(3, MOVES_MAX); count > 0; count--) {
    const move = random.pick(["set", "set", "take back", "order", "halt", "end", "end"] as const);
    if (move === "set") await setSome(stage);
    else if (move === "take back") await set(stage, 0);
    else if (move === "order") await placeOne(stage, random.pick(PRODUCTS));
    else if (move === "halt") await toggle();
    else {
      await stage.look();
      await stage.pass(nextDueIn(exchange, random) ?? 1);
    }
  }
  if (halted !== null) await toggle();
  await stage.look();
};
