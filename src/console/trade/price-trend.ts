/** The direction of the last price change, for its colour. */
import { invariant, parseDecimal, SCALE_MAX } from "../../domain/index.ts";

export type Direction = "up" | "down" | "none";

export class PriceTrend {
  #text: string | null = null;
  #units = 0n;
  #direction: Direction = "none";

  /** The direction from the last different price; "none" at first. "0" means no price. */
  follow(price: string): Direction {
    if (price === this.#text || price === "0") return this.#direction;
    const units = parseDecimal(price, SCALE_MAX);
    invariant(typeof units === "bigint", "prices are decimal text");
    if (this.#text !== null && units !== this.#units) {
      this.#direction = units > this.#units ? "up" : "down";
    }
    this.#text = price;
    this.#units = units;
    return this.#direction;
  }
}
