/** Exchange time as everybody sees it, and a sandbox's clock as its operator does. */
import type { SimulatedExchange } from "./simulated-exchange.ts";

export interface Clock {
  readonly time: number;
  readonly speed: number;
}

export async function readTime(exchange: SimulatedExchange): Promise<number> {
  const asked = exchange.read<{ readonly serverTime: number }>(null, "/capi/v3/market/time");
  return (await exchange.life.until(asked)).serverTime;
}

export function readClock(exchange: SimulatedExchange): Promise<Clock> {
  return exchange.operator<Clock>("GET", "sandbox/clock");
}
