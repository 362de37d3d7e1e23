/** What all accounts and books of a sandbox say, to compare before and after it went back. */
import { SYMBOL } from "./markets.ts";
import { answerOf } from "./operator-check.ts";
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

const DAY_MS = 86_400_000;
const AROUND_MS = { before: 30 * DAY_MS, after: 60 * DAY_MS };
/** When a sandbox was asked first; the question stays the same. */
const askedMs = new WeakMap<SimulatedExchange, number>();

/**
 * What all affiliates would cost at other rates, before and behind the present. The count of
 * requests stays as it was, as other questions are drawn by it.
 */
export async function costsOf(exchange: SimulatedExchange): Promise<unknown> {
  const { requests } = exchange;
  const { items } = await exchange.readOperator<Affiliates>(`affiliates?limit=${AFFILIATES_MAX}`);
  const atMs = askedMs.get(exchange) ?? (await readTime(exchange));
  askedMs.set(exchange, atMs);
  const rates = items.map(({ uid }) => ({ uid, spotRate: "0.4", futuresRate: "0.3" }));
  const time = { startTime: atMs - AROUND_MS.before, endTime: atMs + AROUND_MS.after };
  const question = { path: "commission-what-if", body: { rates, ...time } };
  const costs = rates.length === 0 ? null : await answerOf(exchange, question);
  exchange.requests = requests;
  return costs;
}

const AFFILIATES_MAX = 500;

interface Affiliates {
  readonly items: readonly { readonly uid: number }[];
}

/** Orders, fills and spot balances of all accounts, the books, and what commissions come to. */
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
  told.push(await exchange.life.until(costsOf(exchange)));
  return JSON.stringify(told);
}
