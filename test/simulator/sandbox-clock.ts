/** The sandbox's clock, as its operator sees it. */
import type { SimulatedExchange } from "./simulated-exchange.ts";

export interface Clock {
  readonly time: number;
  readonly speed: number;
}

export function readClock(exchange: SimulatedExchange): Promise<Clock> {
  return exchange.operator<Clock>("GET", "sandbox/clock");
}
