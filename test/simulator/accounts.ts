/** What all accounts and books of a sandbox say, to compare before and after it went back. */
import { SYMBOL } from "./markets.ts";
import type { Product } from "./orders.ts";
import { readTime } from "./sandbox-clock.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

/** Commissions are settled, and funding is paid at some of its ends. */
const HOUR_MS = 3_600_000;

/** What all accounts have, and between which hours of exchange time they were asked. */
export interface Accounts {
  readonly text: string;
  readonly hours: readonly [from: number, to: number];
}

export interface Checkpointed {
  readonly exchange: SimulatedExchange;
  readonly traders: readonly Trader[];
  readonly products: readonly Product[];
}

async function hourOf(exchange: SimulatedExchange): Promise<number> {
  return Math.floor((await readTime(exchange)) / HOUR_MS);
}

export async function accountsOf(world: Checkpointed): Promise<Accounts> {
  const from = await hourOf(world.exchange);
  const text = await accountsText(world);
  return { text, hours: [from, await hourOf(world.exchange)] };
}

/** Whether nothing has changed, but for what the turn of an hour changes. */
export function isSame(now: Accounts, then: Accounts): boolean {
  return now.text === then.text || now.hours[1] !== then.hours[0];
}

/** Orders, fills and spot balances of all accounts, and the books. */
async function accountsText({ exchange, products, traders }: Checkpointed): Promise<string> {
  const told: unknown[] = [];
  for (const product of products) {
    for (const trader of traders) {
      const { balances, fills, orders } = await exchange.life.until(trader.readAccount(product));
      const rows = [orders, fills, ...(product === "spot" ? [balances] : [])];
      told.push(rows.map((found) => [...found].sort(([a], [b]) => (a < b ? -1 : 1))));
    }
    const family = product === "spot" ? "/api/v3" : "/capi/v3";
    const query = { symbol: SYMBOL, limit: 200 };
    const depth = exchange.read<{ bids: unknown; asks: unknown }>(
      null,
      `${family}/market/depth`,
      query,
    );
    const { asks, bids } = await exchange.life.until(depth);
    told.push([asks, bids]);
  }
  return JSON.stringify(told);
}
