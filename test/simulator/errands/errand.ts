/** Who does an errand, and with which randomness. */
import type { Random } from "../../support/random.ts";
import type { SimulatedExchange, Wire } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";

export interface Errand {
  readonly exchange: SimulatedExchange;
  readonly traders: readonly Trader[];
  readonly random: Random;
  /** What happens to the requests of users. */
  readonly wire: Wire | undefined;
}
