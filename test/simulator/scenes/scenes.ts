/**
 * Which scenes there are, which of them a seed plays, and when. Seeds, steps and scenes draw from a
 * randomness of their own, which leaves the draws of everything else alone.
 */
import { Random } from "../../support/random.ts";
import type { Product } from "../orders.ts";
import { isReady } from "../probes.ts";
import { type Schedule, stepRandom } from "../schedule.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";
import { amounts } from "./amounts.ts";
import { caps } from "./caps.ts";
import { countdowns } from "./countdowns.ts";
import { counts } from "./counts.ts";
import { leverage } from "./leverages.ts";
import { liquidation } from "./liquidations.ts";
import { type Scene, Stage } from "./stage.ts";
import { stops } from "./stops.ts";

/** In an exchange that trades the product, or either of them, and is as it needs it. */
interface Playable {
  readonly scene: Scene;
  readonly product?: Product;
  readonly needs?: (schedule: Schedule) => boolean;
}

const SCENES: Readonly<Record<string, Playable>> = {
  amounts: { scene: amounts, product: "spot" },
  caps: {
    scene: caps,
    product: "spot",
    needs: ({ hasAffiliates, sandbox }) => hasAffiliates && sandbox,
  },
  countdowns: { scene: countdowns },
  counts: {
    scene: counts,
    product: "contract",
    needs: ({ maxOpenOrders }) => maxOpenOrders !== undefined,
  },
  leverage: { scene: leverage, product: "contract" },
  liquidation: { scene: liquidation, product: "contract" },
  stops: { scene: stops, product: "contract" },
};

/** Of a step, for each of a seed's scenes. */
const RATES = [0, 0.05, 0.1, 0.15];
/** Of the scenes that an exchange may play, those that a seed has. */
const SHARE = 0.6;

/** The scene behind a step, if there is one. */
export function sceneOf(
  schedule: Schedule,
  products: readonly Product[],
  step: number,
): {
  readonly name: string;
  readonly play: (exchange: SimulatedExchange, traders: readonly Trader[]) => Promise<void>;
} | null {
  const { seed } = schedule;
  const ofSeed = new Random(seed ^ 0x428a2f98);
  const rate = ofSeed.pick(RATES);
  const names = Object.entries(SCENES)
    .filter(() => ofSeed.chance(SHARE))
    .filter(([, { product, needs }]) => {
      const isTraded = product === undefined || products.includes(product);
      return isTraded && needs?.(schedule) !== false;
    })
    .map(([name]) => name);
  const random = stepRandom(seed ^ 0x71374491, step);
  if (names.length === 0 || !random.chance(rate * names.length)) return null;
  const name = random.pick(names);
  const play = async (exchange: SimulatedExchange, traders: readonly Trader[]): Promise<void> => {
    if (!(await isReady(exchange))) return;
    await SCENES[name]?.scene(new Stage(exchange, traders, random));
  };
  return { name, play };
}
