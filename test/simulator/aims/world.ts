/** Everybody in a simulation. */

import type { FundingWatch } from "../funding-watch.ts";
import type { Listener } from "../listener.ts";
import type { Product } from "../orders.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";
import type { PrivateWatch } from "../watches.ts";

export interface World {
  readonly exchange: SimulatedExchange;
  readonly traders: readonly Trader[];
  readonly products: readonly Product[];
  readonly watches: readonly PrivateWatch[];
  readonly fundingWatches: readonly FundingWatch[];
  readonly listeners: readonly Listener[];
  readonly streamIntervalMs: number;
}
