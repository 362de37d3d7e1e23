/**
 * The price that the demo's makers quote around: a random walk in the logarithm that reverts to the
 * reference price, so that a venue left running for weeks stays in its range.
 */
import type { SeededRandom } from "./random.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Share of the distance to the reference that is reverted in a day. */
const REVERSION_PER_DAY = 0.5;

export class PriceWalk {
  readonly #reference: number;
  readonly #dailyVolatility: number;
  readonly #random: SeededRandom;
  /** Logarithm of price ÷ reference. */
  #distance: number;

  /** Continues from `price`. */
  constructor(reference: number, price: number, dailyVolatility: number, random: SeededRandom) {
    this.#reference = reference;
    this.#dailyVolatility = dailyVolatility;
    this.#random = random;
    this.#distance = Math.log(price / reference);
  }

  get price(): number {
    return this.#reference * Math.exp(this.#distance);
  }

  advance(elapsedMs: number): void {
    const days = Math.min(elapsedMs, DAY_MS) / DAY_MS;
    this.#distance *= 1 - REVERSION_PER_DAY * days;
    this.#distance += this.#dailyVolatility * Math.sqrt(days) * this.#random.normal();
  }
}
