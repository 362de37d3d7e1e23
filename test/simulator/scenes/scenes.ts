/**
 * Which scenes a seed plays, and when. Seeds, steps and scenes draw from a randomness of their own,
 * which leaves the draws of everything else alone.
 */
import { Random } from "../../support/random.ts";
import type { Product } from "../orders.ts";
import { isReady } from "../probes.ts";
import { type Schedule, stepRandom } from "../schedule.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";
import { SCENE_SETS, type SceneSet } from "./scene-sets.ts";
import { Stage } from "./stage.ts";

/** Of the scenes that an exchange may play, those that a seed has. */
const SHARE = 0.6;

/** What is played behind a step, if anything is. */
export function sceneOf(
  schedule: Schedule,
  products: readonly Product[],
  step: number,
): {
  readonly name: string;
  readonly play: (exchange: SimulatedExchange, traders: readonly Trader[]) => Promise<void>;
} | null {
  const drawn = SCENE_SETS.flatMap((set) => drawnOf(set, schedule, products, step));
  if (drawn.length === 0) return null;
  const play = async (exchange: SimulatedExchange, traders: readonly Trader[]): Promise<void> => {
    for (const { random, scene } of drawn) {
      if (await isReady(exchange)) await scene(new Stage(exchange, traders, random));
    }
  };
  return { name: drawn.map(({ name }) => name).join(", "), play };
}

function drawnOf(
  { keys: [ofSeed, ofStep], rates, scenes }: SceneSet,
  schedule: Schedule,
  products: readonly Product[],
  step: number,
) {
  const { seed } = schedule;
  const own = new Random(seed ^ ofSeed);
  const rate = own.pick(rates);
  const possible = Object.entries(scenes)
    .filter(() => own.chance(SHARE))
    .filter(([, { product, needs }]) => {
      const isTraded = product === undefined || products.includes(product);
      return isTraded && needs?.(schedule) !== false;
    })
    .flatMap((one) => Array.from({ length: one[1].weight ?? 1 }, () => one));
  const random = stepRandom(seed ^ ofStep, step);
  if (possible.length === 0 || !random.chance(rate * possible.length)) return [];
  const [name, { scene }] = random.pick(possible);
  return [{ name, scene, random }];
}
