/**
 * What a scene leaves behind, and tries once more behind every start: it must be as before, however
 * the exchange has come to know of it.
 */
import type { SimulatedExchange } from "../simulated-exchange.ts";

export class AgainBehindStarts<Left> {
  readonly #attempt: (exchange: SimulatedExchange, left: Left) => Promise<void>;
  /** Of an exchange, from the first time on, and behind which start it was tried last. */
  readonly #left = new WeakMap<SimulatedExchange, { readonly left: Left; restarts: number }>();

  constructor(attempt: (exchange: SimulatedExchange, left: Left) => Promise<void>) {
    this.#attempt = attempt;
  }

  of(exchange: SimulatedExchange): Left | undefined {
    return this.#left.get(exchange)?.left;
  }

  keep(exchange: SimulatedExchange, left: Left): Left {
    this.#left.set(exchange, { left, restarts: exchange.restarts });
    return left;
  }

  /** Whether there is something, and the exchange has started since it was tried. */
  isDue(exchange: SimulatedExchange): boolean {
    const kept = this.#left.get(exchange);
    return kept !== undefined && kept.restarts !== exchange.restarts;
  }

  async attempt(exchange: SimulatedExchange): Promise<void> {
    const kept = this.#left.get(exchange);
    if (kept === undefined) return;
    kept.restarts = exchange.restarts;
    await this.#attempt(exchange, kept.left);
  }
}
