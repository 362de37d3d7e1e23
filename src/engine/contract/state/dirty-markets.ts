/**
 * The markets that a command changed, each once. A `Set` would make a new table whenever it is
 * cleared, which is at the end of nearly every command.
 */
import type { ContractMarket } from "./contract-market.ts";

export class DirtyMarkets {
  readonly #markets: ContractMarket[] = [];
  /** By the market's index. */
  readonly #isDirty: boolean[] = [];

  add(market: ContractMarket): void {
    const { index } = market;
    if (this.#isDirty[index] === true) return;
    while (this.#isDirty.length < index) this.#isDirty.push(false);
    this.#isDirty[index] = true;
    this.#markets.push(market);
  }

  get size(): number {
    return this.#markets.length;
  }

  /** By their index: in which order they changed is not in a snapshot. */
  inOrder(): readonly ContractMarket[] {
    const markets = this.#markets;
    if (markets.length > 1) markets.sort((one, other) => one.index - other.index);
    return markets;
  }

  clear(): void {
    // Taken out one by one: a length of 0 would give the room of the array away.
    for (let last = this.#markets.pop(); last !== undefined; last = this.#markets.pop()) {
      this.#isDirty[last.index] = false;
    }
  }
}
