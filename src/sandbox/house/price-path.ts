/** The prices on the way from one price to another. Pure: a seed repeats a random walk. */
import type { Result } from "../../domain/index.ts";
import { accept, reject } from "../../domain/index.ts";
import { SeededRandom } from "../random.ts";
import { priceLimits } from "./book-request.ts";
import type { MarketMoment } from "./market-moment.ts";

export const PRICE_PATHS = ["jump", "linear", "random-walk"] as const;
export type PricePath = (typeof PRICE_PATHS)[number];

/** A move is made of so many steps, and of fewer where they would be closer in time. */
const STEPS_MAX = 1_000;
const STEP_MS_MIN = 200;

/** Trades that bring a price beyond the market's limits of order prices. */
const STOPS_MAX = 1_000;

/** How many steps a move of this length has. */
export function stepsIn(lengthMs: number): number {
  return Math.min(STEPS_MAX, Math.max(1, Math.ceil(lengthMs / STEP_MS_MIN)));
}

export interface PathTerms {
  readonly fromTicks: number;
  readonly toTicks: number;
  readonly steps: number;
  readonly path: PricePath;
  /** Standard deviation of the walk in the middle of the way times two, as a fraction. */
  readonly volatility: number;
  readonly seed: number;
}

/** One price for each step; the last one is exactly the goal. */
export function pathTicks({ fromTicks, toTicks, steps, path, ...walk }: PathTerms): number[] {
  if (path === "jump") return [toTicks];
  const ticks: number[] = [];
  const away = path === "random-walk" ? bridge(steps, walk.volatility, walk.seed) : null;
  for (let step = 1; step < steps; step++) {
    const share = step / steps;
    const straight = fromTicks + (toTicks - fromTicks) * share;
    const price = away === null ? straight : straight * Math.exp(away[step] as number);
    ticks.push(Math.max(1, Math.round(price)));
  }
  return [...ticks, toTicks];
}

/** A random walk in the logarithm that ends where it began. */
function bridge(steps: number, volatility: number, seed: number): number[] {
  const random = new SeededRandom(seed);
  const walk = [0];
  const perStep = volatility / Math.sqrt(steps);
  for (let step = 1; step <= steps; step++) {
    walk.push((walk[step - 1] as number) + perStep * random.normal());
  }
  const end = walk[steps] as number;
  return walk.map((value, step) => value - (end * step) / steps);
}

/** The prices of trades by which the last price gets there within the limits of order prices. */
export function stopsTo(moment: MarketMoment, toTicks: number): Result<number[]> {
  const { rules } = moment;
  const stops: number[] = [];
  let bandTicks = rules.product === "spot" ? moment.bandTicks : 0;
  while (stops.length < STOPS_MAX) {
    const { highestBuy, lowestSell } = priceLimits({ rules, bandTicks });
    const next = Math.max(lowestSell, Math.min(highestBuy, toTicks));
    stops.push(next);
    if (next === toTicks) return accept(stops);
    if (next === bandTicks) break;
    bandTicks = next;
  }
  const detail = "within reach: the market's price band does not allow trades up to it";
  return reject("out-of-range", "to", detail);
}
