/**
 * A sandbox goes back to a checkpoint: every account has again what it had then, or, when the
 * machine stopped on the way and nobody was answered, all of what it had before.
 */
import type { Random } from "../support/random.ts";
import { hold, MachineEnded } from "./breach.ts";
import { SYMBOL } from "./markets.ts";
import type { Product } from "./orders.ts";
import { createKey, isLive } from "./probes.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";
import type { Trader } from "./trader.ts";

const NAME = "kept";
const CALLS_MAX = 60;

export interface Kept {
  readonly stateHash: string;
  readonly accounts: string;
}

export interface Checkpointed {
  readonly exchange: SimulatedExchange;
  readonly traders: readonly Trader[];
  readonly products: readonly Product[];
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

/** Otherwise one may end while the machine is off, and nobody knows which orders are left. */
async function takeBackCountdowns({ exchange, traders }: Checkpointed): Promise<boolean> {
  await checkStep(exchange);
  for (const { product, symbol, uid } of [...exchange.story.naive.switches]) {
    const trader = traders.find((one) => one.uid === uid);
    const family = product === "spot" ? "/api" : "/capi";
    const scope = symbol === null ? {} : { symbol };
    const body = { ...scope, countdownMs: 0 };
    const path = `${family}/v3/order/cancelAllAfter`;
    if (trader !== undefined) await exchange.life.until(trader.send("POST", path, body));
  }
  await checkStep(exchange);
  return exchange.story.naive.switches.length === 0;
}

export async function makeCheckpoint(world: Checkpointed): Promise<Kept | null> {
  const { exchange } = world;
  if (!(await takeBackCountdowns(world))) return null;
  const body = { name: NAME };
  const { stateHash } = await exchange.operator<{ stateHash: string }>(
    "POST",
    "sandbox/checkpoints",
    body,
  );
  return { stateHash, accounts: await accountsText(world) };
}

/** Nothing that was told before counts any more. */
export async function restoreCheckpoint(
  world: Checkpointed,
  kept: Kept,
  random: Random,
): Promise<void> {
  const { exchange } = world;
  if (!(await takeBackCountdowns(world))) return;
  const late = await createKey(exchange, world.traders[0]?.uid ?? 0);
  const before = await accountsText(world);
  if (random.chance(0.6)) {
    const inCalls = random.integer(0, CALLS_MAX);
    exchange.life.files.arm({ inCalls, fault: { kind: "stop" }, of: null });
  }
  const request = exchange.operatorRequest("POST", "sandbox/restore", { name: NAME });
  let status: number | null = null;
  let answer: unknown = null;
  try {
    const outcome = await exchange.life.until(exchange.send("operator", request));
    status = outcome?.status ?? null;
    answer = outcome?.body;
    exchange.life.files.arm(null);
    exchange.checkRunning();
  } catch (error) {
    if (!(error instanceof MachineEnded)) throw error;
    await startAgain(exchange, random);
  }
  hold(status === null || status === 200, "a restore is done", () => JSON.stringify(answer));
  if (status === 200 && random.chance(0.5)) await startAgain(exchange, random);
  const isOfNobody = status !== 200 || !(await isLive(exchange, late));
  hold(isOfNobody, "a restore takes back later keys", () => late.apiKey);
  const now = await accountsText(world);
  const isThere = now === kept.accounts;
  const mayBeBefore = status === null && now === before;
  const detail = () => `answered ${status}: ${now} instead of ${kept.accounts}`;
  hold(isThere || mayBeBefore, "a restore brings back everything", detail);
}

async function startAgain(exchange: SimulatedExchange, random: Random): Promise<void> {
  const disk = random.pick(["kill", "drops-all", "tears"] as const);
  await exchange.end({ disk, history: "kept" });
  await exchange.start();
}
