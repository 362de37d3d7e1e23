/** Requests up to the limits of users, and ones that come again behind a jump of the clock. */
import { reachLimits } from "../limits.ts";
import type { Product } from "../orders.ts";
import { repeatBehindAdvance } from "../repeats.ts";
import type { Scene } from "./stage.ts";

export const limits: Scene = async (stage) => {
  const [trader] = stage.traders;
  if (trader !== undefined) await stage.do(Promise.resolve(reachLimits(trader, stage.random)));
};

export function repetitions(product: Product): Scene {
  return async (stage) => {
    const { random, traders } = stage;
    await stage.do(repeatBehindAdvance(random.pick([...traders]), product, random));
    await stage.look();
  };
}
